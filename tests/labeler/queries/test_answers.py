"""Queries with known answers: found by id or by quotation, and judged."""

import json
from pathlib import Path

import pytest

from evaluator import InputError
from labeler.queries.answers import Added, add_known
from labeler.workspace.records import KNOWN_ANSWER
from labeler.workspace.workspace import Workspace
from tests.labeler.small import GRADED, NOW, small_workspace

HEADER = "query,need,doc_id,quotation\n"


def add(workspace: Workspace, text: str, **options: str) -> Added:
    path = workspace.path / "known.csv"
    path.write_text(text, encoding="utf-8")
    return add_known(workspace, path, now=NOW, **options)  # type: ignore[arg-type]


def test_a_quotation_names_its_chunk(tmp_path: Path) -> None:
    """The answer is pooled and judged with the highest grade, whatever any system finds."""
    workspace = small_workspace(tmp_path, grades=GRADED)
    added = add(workspace, HEADER + '"parking, please",Cost?,parking.md,fourteen   euros\n')
    assert Added(1, 1) == added
    (query,), (pair,) = workspace.queries.all(), list(workspace.pool.entries())
    (judgement,) = workspace.judgements.all()
    assert ("parking, please", "Cost?", "known-item") == (query.text, query.need, query.origin)
    assert ("parking.md#0", (KNOWN_ANSWER,)) == (pair.chunk_id, pair.found_by)
    assert (3, KNOWN_ANSWER, "known.csv") == (
        judgement.grade,
        judgement.assessor,
        judgement.imported_from,
    )


def test_a_chunk_id_names_its_chunk(empty: Workspace, tmp_path: Path) -> None:
    """JSON lines with the id of the chunk; the id of the query is kept."""
    path = tmp_path / "known.jsonl"
    path.write_text(json.dumps({"query_id": "k1", "query": "007", "chunk_id": "vpn.md#0"}))
    add_known(empty, path, now=NOW)
    assert ["k1"] == [query.query_id for query in empty.queries.all()]
    assert ["vpn.md#0"] == [entry.chunk_id for entry in empty.pool.entries()]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("q,,vpn.md,no such words", "line 2: .* stands in 0 of the 2 chunks of 'vpn.md'"),
        ("q,,vpn.md,e", "line 2: .* stands in 2 of the 2 chunks"),
        ("q,,gone.md,words", "line 2: there is no document 'gone.md'"),
        ("q,,,", "line 2: no answer"),
        ("q,,vpn.md,", "line 2: doc_id and quotation go together"),
        (",,vpn.md,client", "line 2: no text"),
    ],
)
def test_an_answer_that_cannot_be_found_is_named(empty: Workspace, row: str, message: str) -> None:
    """The line and the reason; nothing is stored, not even the lines that are sound."""
    with pytest.raises(InputError, match=message):
        add(empty, HEADER + row + "\nother,,vpn.md,client\n")
    assert ([], []) == (empty.queries.all(), list(empty.pool.entries()))


def test_authored_queries_need_no_answer(empty: Workspace) -> None:
    """What authors have seen is kept for each; columns that nobody reads are told."""
    text = "query,answer\none,in the handbook\ntwo,\n"
    added = add(empty, text, origin="authored", seen="documents")
    assert Added(2, 0, ("not read: answer (1)",)) == added
    queries = empty.queries.all()
    assert {"authored"} == {query.origin for query in queries}
    assert {query.query_id: "documents" for query in queries} == empty.queries.seen()
    with pytest.raises(InputError, match="holds no queries"):
        add(empty, "query,chunk_id\n", origin="authored")


def test_each_file_is_on_record_and_none_comes_twice(empty: Workspace) -> None:
    """Two lines of one query are one with two answers; the same text gets the same id."""
    assert Added(1, 2) == add(empty, HEADER + "q,,vpn.md,client\nq,,leave.md,Unused days\n")
    assert Added(1, 1) == add(empty, HEADER + "r,,vpn.md,client\n")
    (source,) = empty.pool.sources()
    assert 2 == len(source["files"])
    with pytest.raises(InputError, match="in the workspace already"):
        add(empty, HEADER + "q,,vpn.md,client\n")
