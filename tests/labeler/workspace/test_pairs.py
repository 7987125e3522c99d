"""Rankings to pairs, and the order that hides where they came from."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.labelset.format import text_sha256
from evaluator.snapshot.snapshot import Snapshot
from labeler.workspace.pairs import judging_order, make_pool
from tests.labeler.small import TEXTS, small_workspace

IDS = st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=60)
RANKING = [(chunk_id, 1.0 - place / 10) for place, chunk_id in enumerate(TEXTS)]


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    return small_workspace(tmp_path).snapshot


def test_a_pool_takes_the_first_of_every_ranking(snapshot: Snapshot) -> None:
    """Depth cuts each query's ranking, and each pair knows its document and text."""
    pool = make_pool({"q1": RANKING, "q2": RANKING[4:]}, depth=2, source="a", snapshot=snapshot)
    assert [
        ("q1", "leave.md#0", "leave.md"),
        ("q1", "leave.md#1", "leave.md"),
        ("q2", "vpn.md#0", "vpn.md"),
        ("q2", "vpn.md#1", "vpn.md"),
    ] == [(e.query_id, e.chunk_id, e.doc_id) for e in pool]
    assert text_sha256(TEXTS["leave.md#0"]) == pool[0].text_sha256
    assert {("a",)} == {e.found_by for e in pool}


def test_a_deeper_pool_contains_a_shallower_one(snapshot: Snapshot) -> None:
    """No judgement is lost by pooling deeper."""
    run = {"q1": RANKING, "q2": RANKING[::-1]}
    shallow = make_pool(run, depth=2, source="a", snapshot=snapshot)
    deep = make_pool(run, depth=3, source="a", snapshot=snapshot)
    assert set(shallow) <= set(deep)


def test_chunks_of_another_snapshot_are_refused(snapshot: Snapshot) -> None:
    """All unknown ids are counted and the first are named."""
    run = {"q1": [("leave.md#0", 1.0), *((f"x{n}", 0.1) for n in range(7))]}
    with pytest.raises(InputError, match=r"7 of 8 chunk ids .*: x0, x1, x2, x3, x4 and 2 more"):
        make_pool(run, depth=10, source="run:a", snapshot=snapshot)


@given(IDS, st.text(), st.text())
def test_the_order_is_a_shuffle(chunk_ids: list[str], assessor: str, query_id: str) -> None:
    """Every chunk once, whatever order they came in."""
    order = judging_order(chunk_ids, assessor=assessor, query_id=query_id, seed="s")
    assert sorted(chunk_ids) == sorted(order)
    assert order == judging_order(chunk_ids[::-1], assessor=assessor, query_id=query_id, seed="s")


@given(IDS, st.integers(0, 60))
def test_a_growing_pool_keeps_the_order_of_the_rest(chunk_ids: list[str], some: int) -> None:
    """An added chunk slips in; the others keep their places to each other."""
    known = set(chunk_ids[:some])
    before = judging_order(chunk_ids[:some], assessor="a", query_id="q", seed="s")
    after = judging_order(chunk_ids, assessor="a", query_id="q", seed="s")
    assert before == [chunk_id for chunk_id in after if chunk_id in known]


def test_assessors_queries_and_seeds_differ() -> None:
    """Nobody meets the chunks in the order of another."""
    chunk_ids = [str(n) for n in range(50)]
    orders = {
        tuple(judging_order(chunk_ids, assessor=a, query_id=q, seed=s))
        for a in ("ada", "bob")
        for q in ("q1", "q2")
        for s in ("s", "t")
    }
    assert 8 == len(orders)


def test_rank_does_not_show_in_the_order() -> None:
    """The first of the ranking is not more often first on the screen."""
    chunk_ids = [str(n) for n in range(50)]
    places = [
        judging_order(chunk_ids, assessor="ada", query_id=f"q{n}", seed="s").index("0")
        for n in range(400)
    ]
    assert 24.5 == pytest.approx(sum(places) / len(places), abs=2.5)
