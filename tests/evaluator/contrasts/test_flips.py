"""Flips in detail, and the rules behind the guesses at their causes."""

from dataclasses import replace
from typing import Any

import pytest

from evaluator.contrasts import contrast as contrasts
from evaluator.contrasts.causes import Evidence, is_near_tie
from evaluator.contrasts.flips import HitChange, ShownTexts, find_flip, named_flips
from evaluator.contrasts.model import OutrankingChunk
from evaluator.contrasts.pair import ArmPair
from evaluator.snapshot.chunk import Chunk
from tests.small_world import World, arm, run_record

pytestmark = pytest.mark.usefixtures("cache")


def ranked(chunk_ids: str, *, step: float = 0.1) -> list[tuple[str, float]]:
    """One chunk for each letter, with scores that fall by a step."""
    return [(chunk_id, 1 - step * rank) for rank, chunk_id in enumerate(chunk_ids)]


def pair(baseline: str, treatment: str, *, k: int = 2, gold: str = "g") -> ArmPair:
    return ArmPair(
        baseline={"q": ranked(baseline)},
        treatment={"q": ranked(treatment)},
        qrels={"q": dict.fromkeys(gold, 1) | {"x": 0}},
        min_grade=1,
        max_grade=1,
        query_ids=["q"],
        gold_ids=["q"],
        primary=f"Success@{k}",
        measures=[f"Success@{k}"],
        k=k,
    )


def reading(**changes: Any) -> ShownTexts:
    chunks = {
        c: Chunk(c, f"doc-{c}", f"The words of {c}, " + "and so on " * 5, f"Title {c}", (), "", {})
        for c in "gabc"
    }
    usual = ShownTexts({"q": "tuning"}, {"q": "what"}, chunks, lambda _: False, opened=False)
    return replace(usual, **changes)


# What happened


def test_a_lost_query_names_what_came_before_its_gold_only_there() -> None:
    """a stood before g in both arms; b and c overtook it. A won one is the same turned round."""
    lost = find_flip(pair("agbc", "abcg", k=3), "q", won=False)
    won = find_flip(pair("abcg", "agbc", k=3), "q", won=True)
    assert HitChange("q", False, "g", 2, 4, [(2, "b"), (3, "c")]) == lost
    assert replace(lost, won=True, rank_baseline=4, rank_treatment=2) == won


def test_a_gold_chunk_that_is_not_found_has_no_rank() -> None:
    """Below the depth of the run; everything in its first k stands before it."""
    flip = find_flip(pair("ga", "abc"), "q", won=False)
    assert (1, None, [(1, "a"), (2, "b")]) == (
        flip.rank_baseline,
        flip.rank_treatment,
        flip.before_it,
    )


def test_of_several_gold_chunks_the_one_that_hit_is_followed() -> None:
    """h is gold as well and is ranked better where g fell out."""
    flip = find_flip(pair("gabch", "abhcg", gold="gh"), "q", won=False)
    assert ("g", 1, 5) == (flip.chunk_id, flip.rank_baseline, flip.rank_treatment)


def test_the_record_names_title_and_first_words() -> None:
    """Three chunks that outrank the gold at most, each with its rank."""
    found = named_flips(
        pair("gx", "abcxg", k=4),
        won=[],
        lost=["q"],
        reading=reading(),
        guess=lambda _: ["x"],
        rules={},
    )
    [flip] = found.lost
    assert [1, 2, 3] == [chunk.rank for chunk in flip.outranked_by]
    words = "The words of a, and so on and so on and so ..."
    assert OutrankingChunk("a", 1, "Title a", words) == flip.outranked_by[0]
    assert (("x",), "what", ("g",)) == (flip.causes, flip.text, flip.gold)
    assert (1, 5) == (flip.chunk.rank_baseline, flip.chunk.rank_treatment)


def test_what_is_held_out_stays_closed_until_it_is_opened() -> None:
    """A held-out query is left out, and a held-out document that outranks says nothing."""
    how: dict[str, Any] = {"won": [], "lost": ["q"], "guess": lambda _: [], "rules": {}}
    one = pair("gx", "abg")
    held = reading(class_by_query={"q": "held-out"})
    assert () == named_flips(one, reading=held, **how).lost
    opened = replace(held, opened=True)
    assert 1 == len(named_flips(one, reading=opened, **how).lost)
    closed = reading(holds_out=lambda doc_id: doc_id == "doc-a")
    [flip] = named_flips(one, reading=closed, **how).lost
    assert OutrankingChunk("a", 1, held_out=True) == flip.outranked_by[0]
    assert "Title b" == flip.outranked_by[1].title


def test_without_a_snapshot_there_are_ids_and_ranks() -> None:
    """Runs made elsewhere know no more."""
    bare = reading(chunk_by_id={}, text_by_query={})
    [flip] = named_flips(
        pair("gx", "abg"), won=[], lost=["q"], reading=bare, guess=lambda _: [], rules={}
    ).lost
    assert ("q", OutrankingChunk("a", 1)) == (flip.text, flip.outranked_by[0])


# Why it may have happened


@pytest.mark.parametrize(("below", "near"), [(0.001, True), (0.05, False)])
def test_a_near_tie_is_measured_by_the_scores_of_the_list(below: float, near: bool) -> None:
    """The list runs from 1.0 to 0.5, so 0.01 below the k-th is the most."""
    lost = [("a", 1.0), ("b", 0.8), ("g", 0.8 - below), ("c", 0.5)]
    one = replace(pair("ga", "abgc"), treatment={"q": lost})
    assert near == is_near_tie(one, find_flip(one, "q", won=False))


def test_what_is_not_in_the_list_is_no_near_tie() -> None:
    """Nobody knows its score."""
    one = pair("ga", "abc")
    assert not is_near_tie(one, find_flip(one, "q", won=False))


def contrast(world: World, **how: Any) -> Any:
    return run_record(world, **how)["contrasts"][0]


def test_a_header_that_names_what_the_body_leaves_out_is_seen(world: World) -> None:
    """ "parental" stands in the heading path of leave#0 and in no body."""
    flips = contrast(world, open_held_out=True)["flips"]
    [q1] = [flip for flip in flips["won"] if flip["query_id"] == "q1"]
    assert "header names it" in q1["causes"]
    assert (0, 4) == (q1["chunk"]["header_tokens_baseline"], q1["chunk"]["header_tokens_treatment"])
    assert q1["chunk"]["body_tokens_baseline"] == q1["chunk"]["body_tokens_treatment"]


def test_taking_the_header_away_loses_what_it_had_won(world: World) -> None:
    """The arms swapped: the same queries are lost, and no header is left to mislead."""
    world.write_experiment(arms=arm("headed", header="title+path") + arm("plain"))
    flips = contrast(world, open_held_out=True)["flips"]
    assert 6 == len(flips["lost"])
    assert all("header names it" in f["causes"] for f in flips["lost"] if f["query_id"] == "q1")
    assert not any("misleading path" in flip["causes"] for flip in flips["lost"])


def evidence(world: World) -> Evidence:
    """The evidence of a run over the small world, as `contrasts` makes it."""
    kept: list[Evidence] = []

    def keep(**fields: Any) -> Evidence:
        kept.append(Evidence(**fields))
        return kept[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contrasts, "Evidence", keep)
        contrast(world)
    return kept[0]


def test_each_rule_fits_what_it_says(world: World) -> None:
    """One flip, with the inputs changed until each rule fits."""
    made = evidence(world)
    one = replace(
        made.pair,
        baseline={"q1": [("leave#0", 1.0), ("leave#1", 0.9)]},
        treatment={"q1": [("leave#1", 1.0), ("leave#0", 0.2), ("leave#2", 0.1)]},
    )
    flip = HitChange("q1", False, "leave#0", 1, 2, [(1, "leave#1")])
    row = made.row_by_chunk["leave#0"]
    inputs = made.treatment.inputs
    longer, cut = inputs.header.copy(), inputs.truncated.copy()
    longer[row], cut[row] = 99, True
    bare = replace(made, pair=one, text_by_query={"q1": "sick"})

    def causes(made: Evidence, **changed: Any) -> list[str]:
        run = replace(made.treatment, inputs=replace(inputs, **changed))
        return replace(made, treatment=run).causes(flip)

    assert ["misleading path"] == causes(bare)
    assert [] == causes(replace(bare, text_by_query={"q1": "nothing of it"}))
    assert "header outweighs body" in causes(bare, header=longer)
    assert "truncated" in causes(bare, truncated=cut)
    exact = {"q1": [("leave#0", 1.0)]}
    approximate = replace(bare, is_approximate=True, treatment=replace(bare.treatment, exact=exact))
    assert "approximate search" in causes(approximate)
    assert "approximate search" not in causes(replace(approximate, is_approximate=False))


def test_words_that_say_nothing_are_no_hint(world: World) -> None:
    """A header that shares "of" or "für" with the query, in any case, has led nobody anywhere."""
    made = evidence(world)
    flip = HitChange("q1", False, "leave#0", 1, 2, [(1, "leave#1")])
    headers = ["" for _ in made.treatment.inputs.headers]
    headers[made.row_by_chunk["leave#1"]] = "Terms Of use > Für alle\n"
    inputs = replace(made.treatment.inputs, headers=headers)
    headed = replace(made, treatment=replace(made.treatment, inputs=inputs))

    def causes(query: str) -> list[str]:
        return replace(headed, text_by_query={"q1": query}).causes(flip)

    assert "misleading path" in causes("of terms")
    assert "misleading path" not in causes("of für where the")
    won = HitChange("q1", True, "leave#1", 2, 1, [])
    for query, fits in (("terms of", True), ("of", False)):
        found = replace(headed, text_by_query={"q1": query}).causes(won)
        assert fits == ("header names it" in found)
