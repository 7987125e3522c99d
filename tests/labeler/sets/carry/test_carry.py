"""Judgements on another snapshot: what comes along, what follows, and that all else is listed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.labelset.format import ADJUDICATION, Judgement, LabelSet, read_label_set
from labeler.cli.main import main
from labeler.freezing.freeze import freeze
from labeler.freezing.header_work import HeaderWork
from labeler.judging.adjudicate import adjudicate_workspace
from labeler.sets.carry.carry import Carry, prepare, store
from labeler.sets.carry.plan import Carried, plan_carry
from labeler.sets.differences import differences
from labeler.workspace.sample_design import SampleDesign
from labeler.workspace.workspace import Workspace
from tests.labeler.frozen import QUERIES, event, frozen
from tests.labeler.small import GRADED, TEXTS, chunks, clock, entry, small_workspace

WORDS = [f"w{number}" for number in range(24)]


def cut(size: int, doc: str = "doc", words: Sequence[str] = WORDS) -> dict[str, str]:
    """A document of words, cut into chunks of some size."""
    return {
        f"{doc}#{start // size}": " ".join(words[start : start + size])
        for start in range(0, len(words), size)
    }


def carried(
    directory: Path,
    events: Sequence[Judgement],
    *,
    old: Mapping[str, str],
    new: Mapping[str, str],
    least: float = 0.9,
) -> Carried:
    labels = frozen(directory / "labels/first", events, texts=old)
    return plan_carry(labels, chunks=chunks(new), old_texts=old, least=least)


def grades(found: Carried) -> dict[tuple[str, str], int | None]:
    return {(each.chunk_id, each.assessor): each.grade for each in found.judgements}


# What follows from an overlap

TEN = {"doc#0": " ".join(WORDS[:10])}
NEARLY = {"doc#0": " ".join([*WORDS[:9], "changed"])}
TWICE = {"doc#0": "same text", "doc#1": "same text"}
LYING = {"doc#0": " ".join(WORDS[:12]), "doc#1": " ".join(WORDS[3:7])}


@pytest.mark.parametrize(
    ("given", "texts", "expected", "hows"),
    [
        ("ada 1 1, ada 0 0", (cut(4), cut(8)), {"0 ada": 1}, "lost overlap"),
        ("ada 0 1", (TEN, NEARLY), {"0 ada": 1}, "overlap"),
        ("ada 0 0", (cut(8), cut(4)), {"0 ada": 0, "1 ada": 0}, "overlap"),
        ("ada 0 0, ada 1 0", (cut(4), cut(8)), {"0 ada": 0}, "overlap overlap"),
        ("ada 0 0, bob 1 0", (cut(4), cut(8)), {}, "lost lost"),
        ("ada 0 1, bob 0 0", (cut(4), cut(8)), {}, "lost"),
        ("ada 0 0, bob 1 1", (LYING, {"doc#0": " ".join(WORDS[2:8])}), {}, "ambiguous ambiguous"),
        (
            "ada 0 1, ada 1 0",
            (cut(4), cut(8, "other") | {"doc#0": "Another text."}),
            {},
            "lost lost",
        ),
        ("ada 0 1, ada 1 0", (TWICE, {"doc#0": "same text"}), {}, "ambiguous ambiguous"),
    ],
    ids=[
        *("gold held whole", "gold held nearly whole", "parts of what is not relevant"),
        *("covered by what is not relevant", "covered for two people", "assessors disagree"),
        *("gold in text judged not relevant", "another document", "two grades for one text"),
    ],
)
def test_what_follows_for_other_chunks(
    given: str,
    texts: tuple[Mapping[str, str], Mapping[str, str]],
    expected: Mapping[str, int],
    hows: str,
    tmp_path: Path,
) -> None:
    """Assessors, chunks and grades on old texts; nothing passes to another document."""
    acts = [act.split() for act in given.split(", ")]
    events = [event("q1", f"doc#{chunk}", who, int(grade)) for who, chunk, grade in acts]
    old, new = texts
    found = carried(tmp_path, events, old=old, new=new)
    assert expected == {
        f"{c.split('#')[1]} {who}": grade for (c, who), grade in grades(found).items()
    }
    assert hows.split() == [fate.how for fate in found.fates]
    assert (found.to_judge == 1) == ("ambiguous" in hows)


def test_what_is_carried_by_overlap_is_an_event_of_its_own(tmp_path: Path) -> None:
    """Its assessor saw another text; how much of it must be held can be set."""
    events = [event("q1", "doc#0", "ada", 1)]
    (judgement,) = carried(tmp_path / "a", events, old=TEN, new=NEARLY).judgements
    assert (None, None) == (judgement.text_sha256, judgement.position)
    assert "by overlap with doc#0 (90% of its words)" == judgement.note
    assert {} == grades(carried(tmp_path / "b", events, old=TEN, new=NEARLY, least=1.0))


def test_a_part_of_gold_says_nothing(tmp_path: Path) -> None:
    """Smaller chunks: the answer may be in the other one. Both are pooled, to be judged."""
    found = carried(tmp_path, [event("q1", "doc#0", "ada", 1)], old=cut(8), new=cut(4))
    assert {} == grades(found)
    assert "one chunk holds at most 50% of its words in a row" == found.fates[0].reason
    assert [("q1", "doc#0"), ("q1", "doc#1")] == [(e.query_id, e.chunk_id) for e in found.pool]
    assert 2 == found.to_judge


def test_disagreements_and_middle_grades_need_the_very_text(tmp_path: Path) -> None:
    """Nothing follows from them for another text, and the reason is given."""
    events = [event("q1", "doc#0", "ada", 1), event("q1", "doc#0", "bob", 0)]
    found = carried(tmp_path / "both", events, old=cut(4), new=cut(8))
    reason = "assessors disagree, and its text is no chunk now"
    assert ({}, reason) == (grades(found), found.fates[0].reason)
    events = [event("q1", "doc#0", "ada", 1), event("q1", "doc#1", "ada", 3)]
    labels = frozen(tmp_path / "graded", events, texts=cut(4), grades=GRADED, min_grade=2)
    found = plan_carry(labels, chunks=chunks(cut(8)), old_texts=cut(4))
    assert {("doc#0", "ada"): 3} == grades(found)
    assert ["lost", "overlap"] == [fate.how for fate in found.fates]
    assert "goes with its very text only" in found.fates[0].reason


# Equal texts


def test_equal_texts_keep_every_event(tmp_path: Path) -> None:
    """Also what was undone, "can't tell" and decided; under the new id."""
    events = (
        event("q1", "leave.md#0", "ada", 1, event_id="a"),
        event("q1", "leave.md#0", "ada", None, verdict="undone", event_id="b"),
        event("q1", "leave.md#0", "bob", None, event_id="c"),
        event("q2", "vpn.md#1", "ada", 1, event_id="d"),
        event("q2", "vpn.md#1", "bob", 0, event_id="e"),
        event("q2", "vpn.md#1", "cy", 1, event_id="f", method=ADJUDICATION),
    )
    labels = frozen(tmp_path / "first", events, pool=[("q1", "vpn.md#0")])
    texts = {f"{name.split('#')[0]}#9{name[-1]}": text for name, text in TEXTS.items()}
    workspace = small_workspace(tmp_path / "work", texts=texts)
    carry = prepare(workspace, labels.path)
    assert (True, 1) == (carry.carried.is_whole, carry.carried.to_judge)
    store(workspace, carry)
    assert {"leave.md#90", "vpn.md#91"} == {each.chunk_id for each in workspace.events()}
    assert [each[3:7] for each in events] == [each[3:7] for each in workspace.events()]
    assert [each.text_sha256 for each in labels.pool] == [
        each.text_sha256 for each in workspace.pool.entries()
    ]
    assert [*"abcdef"] == [each.event_id for each in workspace.events()]
    mark = f"label set first {labels.sha256[:16]}"
    assert {mark} == {each.imported_from for each in workspace.judgements.all()}
    assert {"vpn.md#91": 1} == adjudicate_workspace(workspace).qrels["q2"]
    assert (labels.queries, {"q2": "none"}) == (
        tuple(workspace.queries.all()),
        workspace.queries.seen(),
    )
    assert SampleDesign.from_json(labels.manifest["sampling"]) == workspace.queries.sample()


def test_a_moved_document_takes_its_grades_along(tmp_path: Path) -> None:
    """Where no chunk of the old document has the text; the report counts such pairs."""
    events = [event("q1", "leave.md#0", "ada", 1)]
    new = {"other.md#5": TEXTS["leave.md#0"], "leave.md#0": "Another text."}
    found = carried(tmp_path, events, old=TEXTS, new=new)
    assert ({("other.md#5", "ada"): 1}, 1) == (grades(found), found.elsewhere)


def test_a_filter_still_hides_what_it_hides(tmp_path: Path) -> None:
    """A chunk that the asker cannot find now is in no pool."""
    queries = (replace(QUERIES[0], filter={"team": "l"}), QUERIES[1])
    labels = frozen(tmp_path / "first", [event("q1", "leave.md#0", "ada", 1)], queries=queries)
    found = plan_carry(
        labels, chunks=chunks({"parking.md#0": TEXTS["leave.md#0"]}), old_texts=TEXTS
    )
    assert (["lost"], ()) == ([fate.how for fate in found.fates], found.pool)


# Properties


@given(
    old_size=st.integers(1, 24),
    new_size=st.integers(1, 24),
    drawn=st.lists(st.sampled_from([0, 1, None, 2]), min_size=48, max_size=48),  # 2 is nothing
)
@settings(max_examples=60, deadline=None)
def test_nothing_is_lost_unlisted_and_no_grade_changes_its_document(
    old_size: int, new_size: int, drawn: list[int | None]
) -> None:
    """Two documents cut anew: each grade that came along follows, checked word by word."""
    others = [f"v{number}" for number in range(24)]
    old = cut(old_size) | cut(old_size, "other", others)
    new = cut(new_size) | cut(new_size, "other", others)
    events = [event("q1", chunk, "ada", g) for chunk, g in zip(old, drawn, strict=False) if g != 2]
    if not events:
        return
    with TemporaryDirectory() as folder:
        found = carried(Path(folder), events, old=old, new=new)
    grade_by_word = {word: e.grade for e in events for word in old[e.chunk_id].split()}
    gold = [set(old[each.chunk_id].split()) for each in events if each.grade == 1]
    assert {each[1:3] for each in events} == {
        (fate.query_id, fate.chunk_id) for fate in found.fates
    }
    for each in found.judgements:
        words = set(new[each.chunk_id].split())
        if each.grade == 1:
            assert any(len(held & words) >= 0.9 * len(held) for held in gold)
        if each.grade == 0:
            assert {0} == {grade_by_word.get(word) for word in words}
    kept = {chunk for fate in found.fates if fate.how in ("exact", "overlap") for chunk in fate.to}
    assert {each.chunk_id for each in found.judgements} == kept
    lost = [fate for fate in found.fates if fate.how == "lost"]
    assert all(fate.reason for fate in lost)
    assert found.is_whole == (not lost)


# Into a workspace


@pytest.fixture
def labels(tmp_path: Path) -> LabelSet:
    """A set as a workspace keeps it, beside its own snapshot."""
    old = small_workspace(tmp_path / "old")
    events = [event("q1", "leave.md#0", "ada", 1), event("q1", "vpn.md#1", "ada", 0)]
    return frozen(old.path / "labels/first", events, snapshot=old.settings.snapshot_digest)


def lossy(directory: Path, labels: LabelSet) -> tuple[Workspace, Carry]:
    texts = {**TEXTS, "leave.md#0": "Tell your manager four weeks before.", "x#0": "New."}
    workspace = small_workspace(directory, texts=texts)
    return workspace, prepare(workspace, labels.path)


def test_a_loss_must_be_accepted(tmp_path: Path, labels: LabelSet) -> None:
    """Until then nothing is stored; afterwards the pool says where it came from."""
    workspace, carry = lossy(tmp_path / "new", labels)
    with pytest.raises(InputError, match="1 judged pairs would be lost and 0 are ambiguous"):
        store(workspace, carry)
    assert ([], [], []) == (
        workspace.queries.all(),
        list(workspace.pool.entries()),
        list(workspace.events()),
    )
    store(workspace, carry, accept_losses=True)
    assert ["vpn.md#1"] == [each.chunk_id for each in workspace.events()]
    (source,) = workspace.pool.sources()
    assert ("carry:first", labels.sha256, 1) == (
        source["source"],
        source["labels"]["sha256"],
        source["judged_pairs"]["lost"],
    )


def test_a_set_of_which_nothing_stands_is_still_on_record(tmp_path: Path, labels: LabelSet) -> None:
    """The pool says what was lost, and what its authors declared takes the place of all else."""
    workspace = small_workspace(tmp_path / "new", texts={"x#0": "New."})
    workspace.queries.declare_seen({"of another": "chunks"})
    store(workspace, prepare(workspace, labels.path), accept_losses=True)
    (source,) = workspace.pool.sources()
    assert ([], 2) == (list(workspace.pool.entries()), source["judged_pairs"]["lost"])
    assert {"q2": "none"} == workspace.queries.seen()


def test_a_workspace_in_use_is_refused(tmp_path: Path, labels: LabelSet) -> None:
    """Also when it was taken into use since the plan was made."""
    workspace, carry = lossy(tmp_path / "new", labels)
    workspace.queries.add(QUERIES)
    workspace.pool.add([entry("q1", "vpn.md#1")], source={"source": "system", "depth": 3})
    with pytest.raises(InputError, match="holds queries and pool already"):
        prepare(workspace, labels.path)
    with pytest.raises(InputError, match="holds queries and pool already"):
        store(workspace, carry, accept_losses=True)


def test_another_scale_is_refused_with_the_command_that_helps(
    tmp_path: Path, labels: LabelSet
) -> None:
    """What was decided when a workspace was made cannot be changed."""
    workspace = small_workspace(tmp_path / "new", grades=GRADED, min_grade=2)
    with pytest.raises(InputError, match="another scale and another lowest grade") as refused:
        prepare(workspace, labels.path)
    assert "--grades '0=not relevant,1=relevant' --min-grade 1 --salt 00" in str(refused.value)


def test_without_the_old_snapshot_only_equal_texts_are_found(
    tmp_path: Path, labels: LabelSet
) -> None:
    """And the report says how to find more."""
    (labels.path.parent.parent / "snapshot").rename(tmp_path / "elsewhere")
    workspace = small_workspace(tmp_path / "new", texts={"leave.md#0": "Unused days are paid."})
    command = ["carry", str(labels.path), str(workspace.path), "--dry-run"]
    alone = CliRunner().invoke(main, command)
    assert "only equal texts were found" in alone.output
    named = CliRunner().invoke(main, [*command, "--snapshot", str(tmp_path / "elsewhere")])
    assert "By overlap, within one document" in named.output
    wrong = CliRunner().invoke(main, [*command, "--snapshot", str(workspace.path / "snapshot")])
    assert (1, True) == (wrong.exit_code, "another chunk set" in wrong.output)


def test_the_command_tells_what_is_lost_before_it_stores(tmp_path: Path, labels: LabelSet) -> None:
    """Text or JSON on standard output; a loss without consent is exit code 1."""
    workspace, _ = lossy(tmp_path / "new", labels)
    command = ["carry", str(labels.path), str(workspace.path)]
    refused = CliRunner().invoke(main, command)
    assert 1 == refused.exit_code
    assert "  notice: 1 by equal text, 0 by overlap, 0 ambiguous, 1 lost; gold kept 0 of 1" in (
        refused.stdout
    )
    found = json.loads(CliRunner().invoke(main, [*command, "--json", "--dry-run"]).stdout)
    assert ["lost", "exact"] == [fate["how"] for fate in found["fates"]]
    done = CliRunner().invoke(main, [*command, "--accept-losses"])
    assert (0, True) == (done.exit_code, "Carried 1 judgements" in done.stderr)


def test_what_was_carried_by_overlap_is_told_apart(tmp_path: Path) -> None:
    """In a comparison it is neither a new judgement nor an old one."""
    old = small_workspace(tmp_path / "old", texts=cut(4))
    events = [event("q1", "doc#1", "ada", 1)]
    digest = old.settings.snapshot_digest
    first = frozen(old.path / "labels/first", events, texts=cut(4), snapshot=digest)
    workspace = small_workspace(tmp_path / "new", texts=cut(8))
    store(workspace, prepare(workspace, first.path))
    second = frozen(tmp_path / "second", list(workspace.events()), texts=cut(8))
    (ada,) = differences(first, second).judgements
    assert (1, 0, 1) == (ada.carried, ada.grades, ada.gone)


def test_a_successor_can_be_frozen_and_compared(tmp_path: Path, labels: LabelSet) -> None:
    """Carried judgements are still those of people, and no new ones in the comparison."""
    workspace = small_workspace(tmp_path / "new")
    store(workspace, prepare(workspace, labels.path))
    none = HeaderWork(begun=False)
    options = {"declared_by": "ada", "supersedes": labels.path, "clock": clock}
    made = freeze(workspace, name="second", header_work=none, **options)  # type: ignore[arg-type]
    second = read_label_set(made.path)
    found = differences(labels, second)
    assert ("names it", (), ()) == (found.supersedes, found.judgements, found.regraded)
    assert () == found.query_fields
    assert ["people"] == second.manifest["assessment"]["made_by"]
    assert labels.manifest["sampling"] == second.manifest["sampling"]
