"""The built-in system and run files fill the pool."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluator import InputError
from evaluator.labelset.format import Query
from evaluator.vectors.model import Model
from labeler.pool.encoder import System, rank_plain
from labeler.pool.fill import Filled, chosen_system, fill_pool
from labeler.workspace.workspace import Workspace
from tests.labeler.small import TEXTS, small_workspace
from tests.stand_in import stand_in_model

T = TypeVar("T")
QUERIES = [Query("q1", TEXTS["leave.md#1"]), Query("q2", TEXTS["vpn.md#0"])]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("ONECAUSE_CACHE", str(tmp_path / "cache"))
    workspace = small_workspace(tmp_path / "w")
    workspace.queries.add(QUERIES)
    return workspace


def run_file(workspace: Workspace, text: str) -> Path:
    path = workspace.path / "production.run"
    path.write_text(text)
    return path


@pytest.mark.parametrize("ranking", ["exact", "hnsw"])
def test_the_system_finds_the_chunk_that_says_the_same(workspace: Workspace, ranking: str) -> None:
    """A query in the words of a chunk has that chunk first, by either ranking."""
    system = System(stand_in_model, ranking=ranking)  # type: ignore[arg-type]
    run = rank_plain(workspace.snapshot, QUERIES, system, model=stand_in_model(), depth=2)
    assert {"q1": "leave.md#1", "q2": "vpn.md#0"} == {q: found[0][0] for q, found in run.items()}
    assert {2} == {len(found) for found in run.values()}


def test_a_query_sees_what_its_filter_allows(workspace: Workspace) -> None:
    """The pool of a filtered query holds no chunk that its asker could not have found."""
    filtered = [Query("q1", TEXTS["leave.md#1"], filter={"team": "v"}), QUERIES[1]]
    system = System(stand_in_model)
    run = rank_plain(workspace.snapshot, filtered, system, model=stand_in_model(), depth=6)
    assert {"vpn.md#0", "vpn.md#1"} == {chunk_id for chunk_id, _ in run["q1"]}
    assert 6 == len(run["q2"])


def test_a_pool_deeper_than_the_snapshot_holds_it_all(workspace: Workspace) -> None:
    """No made-up results, no repeats."""
    filled = fill_pool(workspace, depth=50, system=System(stand_in_model))
    assert [Filled("test:stand-in", 12, 12, None)] == filled


def test_a_run_of_distances_is_told(workspace: Workspace) -> None:
    """Their best chunks have the least scores, and would come last."""
    path = run_file(workspace, "q1 Q0 leave.md#1 1 0.1 x\nq1 Q0 parking.md#1 2 0.8 x\n")
    (filled,) = fill_pool(workspace, depth=1, runs=[path])
    assert (
        "It answers 1 of 2 queries. The rank column has another order than the scores, which "
        "decide, for 1 of 1 queries, such as q1. Are they distances? Then write them negative."
    ) == filled.note


def test_sources_are_kept_apart_and_merged(workspace: Workspace) -> None:
    """A pair that two sources found is one pair with two finders."""
    path = run_file(workspace, "q1 Q0 leave.md#1 1 0.9 x\nq1 Q0 parking.md#1 2 0.8 x\n")
    filled = fill_pool(workspace, depth=1, runs=[path], system=System(stand_in_model))
    assert [
        Filled("run:production.run", 1, 1, "It answers 1 of 2 queries."),
        Filled("test:stand-in", 2, 1, None),
    ] == filled
    assert ("run:production.run", "test:stand-in") == next(workspace.pool.entries("q1")).found_by
    assert [1, 1] == [source["depth"] for source in workspace.pool.sources()]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q1 Q0 gone#0 1 0.9 x\n", "1 of 1 chunk ids are not in the snapshot"),
        ("q9 Q0 leave.md#1 1 0.9 x\n", "1 of 1 query ids are not in the workspace: q9"),
    ],
)
def test_strange_ids_are_refused_before_a_model_is_loaded(
    workspace: Workspace, line: str, message: str
) -> None:
    """A minute of loading is not spent on a run that cannot be used."""

    def load() -> Model:
        raise AssertionError("loaded")

    with pytest.raises(InputError, match=message):
        fill_pool(workspace, depth=5, runs=[run_file(workspace, line)], system=System(load))
    assert [] == list(workspace.pool.entries())


def test_no_queries_and_no_depth_are_refused(workspace: Workspace, tmp_path: Path) -> None:
    """Each with what to do."""
    with pytest.raises(InputError, match="depth 0"):
        fill_pool(workspace, depth=0)
    with pytest.raises(InputError, match="labeler sample"):
        fill_pool(small_workspace(tmp_path / "empty"), depth=5)


def test_a_pool_that_was_stopped_goes_on_where_it_was(workspace: Workspace) -> None:
    """Each batch was kept, nothing is in the pool before all is found, and progress is shown."""
    whole = replace(stand_in_model(), batch_tokens=1)  # each text is a batch
    seen: list[str] = []

    def stopped(texts: Sequence[str]) -> NDArray[np.float32]:
        if len(seen) == 4:
            raise KeyboardInterrupt
        seen.extend(texts)
        return whole.encode(texts)

    with pytest.raises(KeyboardInterrupt):
        fill_pool(workspace, depth=2, system=System(lambda: replace(whole, encode=stopped)))
    assert not workspace.pool.sizes()
    shown: list[tuple[str, int | None]] = []

    def progress(items: Iterable[T], /, *, label: str, total: int | None = None) -> Iterator[T]:
        shown.append((label, total))
        yield from items

    fill_pool(workspace, depth=2, system=System(lambda: whole), progress=progress)
    assert ("Encoding 2 texts", 2) == shown[0]
    assert {"q1": 2, "q2": 2} == workspace.pool.sizes()


def test_prompts_that_are_not_used_are_mentioned(workspace: Workspace) -> None:
    """A model that was trained with prefixes finds less without them."""
    model = stand_in_model(prompts={"query": "query: "})
    (filled,) = fill_pool(workspace, depth=1, system=System(lambda: model))
    assert "'query: '" in str(filled.note)
    used = System(lambda: model, query_prefix="query: ")
    (filled,) = fill_pool(workspace, depth=1, system=used)
    assert ("test:stand-in, prefixes 'query: ' ''", None) == (filled.source, filled.note)


def test_full_text_search_is_a_source_of_its_own(workspace: Workspace) -> None:
    """Its pairs, depth and engine are recorded; a query without a shared word is mentioned."""
    workspace.queries.add([Query("q3", "zeppelin")])
    filled = fill_pool(workspace, depth=2, bm25=True)
    assert [Filled("bm25", 4, 4, "1 of 3 queries share no word with any chunk.")] == filled
    assert {("bm25",)} == {entry.found_by for entry in workspace.pool.entries()}
    assert {"leave.md#1", "vpn.md#0"} <= {entry.chunk_id for entry in workspace.pool.entries()}
    (source,) = workspace.pool.sources()
    assert ("bm25", 2, 1.2) == (source["kind"], source["depth"], source["k1"])


def test_full_text_search_sees_what_a_filter_allows(workspace: Workspace) -> None:
    """Chunks that the asker could not have found are in no pool, however well they fit."""
    workspace.queries.add([Query("q3", "tell your manager", filter={"team": "v"})])
    fill_pool(workspace, depth=1, bm25=True)
    assert ["vpn.md#1"] == [entry.chunk_id for entry in workspace.pool.entries("q3")]


def test_a_run_alone_needs_no_model(tmp_path: Path) -> None:
    """The default model is for those who name nothing."""
    assert chosen_system(runs=[tmp_path], model=None) is None
    assert chosen_system(runs=[], model=None, bm25=True) is None
    assert chosen_system(runs=[], model="folder:x", bm25=True) is not None
    assert chosen_system(runs=[], model=None) is not None


def test_pairs_that_nobody_judged_are_added_whole(workspace: Workspace) -> None:
    """Whatever else a line says is not read, and no depth cuts them."""
    path = workspace.path / "unjudged.jsonl"
    path.write_text(
        '{"query_id": "q1", "chunk_id": "vpn.md#0", "rank": 7, "arm": "headed"}\n'
        '{"query_id": "q1", "chunk_id": "vpn.md#0"}\n'
        '{"query_id": "q2", "chunk_id": "leave.md#1"}\n'
    )
    filled = fill_pool(workspace, depth=1, pairs=[path])
    assert [Filled("pairs:unjudged.jsonl", 2, 2, None)] == filled
    assert {("q1", "vpn.md#0"), ("q2", "leave.md#1")} == {
        (entry.query_id, entry.chunk_id) for entry in workspace.pool.entries()
    }
    (source,) = workspace.pool.sources()
    assert ("pairs", None) == (source["kind"], source["depth"])
    assert "headed" not in json.dumps(source)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query_id,chunk_id\nq9,vpn.md#0\n", "1 of 1 query ids are not in the workspace: q9"),
        ("query_id,chunk_id\nq1,gone.md#0\n", "1 of 1 chunk ids are not in the snapshot"),
        ("query_id,chunk_id\nq1,\n", "line 2: no chunk_id"),
        ("query_id,chunk_id\n", "holds no pairs"),
    ],
)
def test_pairs_of_elsewhere_are_refused(workspace: Workspace, text: str, message: str) -> None:
    """Nothing is stored, and the message says which ids."""
    path = workspace.path / "pairs.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        fill_pool(workspace, depth=1, pairs=[path])
    assert [] == list(workspace.pool.entries())
