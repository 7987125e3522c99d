"""Authored queries: documents as running text, and a declaration that is frozen."""

from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.labelset.format import Query
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import write_snapshot
from labeler.freezing.manifest import authored
from labeler.queries.authored import SEEN, add_authored, document_text, read_document, reading_order
from labeler.workspace.workspace import Workspace
from tests.labeler.small import NOW, TEXTS, small_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return small_workspace(tmp_path)


SHARED = "and it must be written down."


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([f"Part {n}." for n in range(12)], "\n\n".join(f"Part {n}." for n in range(12))),
        (
            [f"Say it, {SHARED}", f"{SHARED} Then wait.", "wait. Again."],
            f"Say it, {SHARED} Then wait.\n\nwait. Again.",
        ),
        (
            ["Tell your", "manager:", "| a | 1 |", "| b | 2 |", "- one", "- two", "Then wait."],
            "Tell your manager:\n\n| a | 1 |\n| b | 2 |\n- one\n- two\n\nThen wait.",
        ),
    ],
    ids=["the tenth after the second", "an overlap is read once", "no border shows"],
)
def test_a_document_is_its_chunks_in_their_order(
    tmp_path: Path, texts: list[str], expected: str
) -> None:
    """Sentences, tables and lists that were cut go on; no title and no heading is in it."""
    chunks = [
        Chunk(f"a.md#{n}", "a.md", text, "Title", ("Heading",), "", {})
        for n, text in enumerate(texts)
    ]
    chunks.append(Chunk("b", "b.md", "Other.", "Title", (), "", {}))
    snapshot = write_snapshot(
        tmp_path / "s", chunks, name="s", chunker={"name": "given"}, corpus="s", created_at=NOW
    )
    assert expected == document_text(snapshot, "a.md")
    assert "Other." == document_text(snapshot, "b.md")


def test_each_author_reads_in_an_order_of_their_own(workspace: Workspace) -> None:
    """All documents, always in the same order for one author."""
    orders = {author: reading_order(workspace.snapshot, author=author) for author in "abcdefgh"}
    assert {"leave.md", "parking.md", "vpn.md"} == set(orders["a"])
    assert 1 < len({tuple(order) for order in orders.values()})
    assert orders["a"] == reading_order(workspace.snapshot, author="a")


def test_a_reading_has_the_text_and_the_place(workspace: Workspace) -> None:
    """First, second and third of three; a fourth is refused."""
    reading = read_document(workspace.snapshot, author="ada", number=2)
    assert (2, 3) == (reading.number, reading.documents)
    assert TEXTS[f"{reading.doc_id}#0"] in reading.text
    with pytest.raises(InputError, match="There are 3 documents; there is no number 4"):
        read_document(workspace.snapshot, author="ada", number=3)
    with pytest.raises(InputError, match="no document 'gone'"):
        document_text(workspace.snapshot, "gone")


def test_what_an_author_has_seen_goes_into_the_manifest(workspace: Workspace) -> None:
    """For every authored query; None where nobody declared anything."""
    query = add_authored(workspace, "when do I tell my boss", seen="documents", need="Notice?")
    workspace.queries.add([Query("old", "x", origin="authored"), Query("log", "y")])
    assert {query.query_id: "documents", "old": None} == authored(
        workspace, workspace.queries.all()
    )["seen"]
    workspace.queries.declare_seen({"old": "chunks"})
    assert {query.query_id: "documents", "old": "chunks"} == workspace.queries.seen()
    assert ("authored", "Notice?") == (query.origin, workspace.queries.get(query.query_id).need)


def test_the_last_check_of_wording_is_kept(workspace: Workspace) -> None:
    """Its figures and flags, not the words of every query."""
    assert authored(workspace, [])["wording"] is None
    kept = {"rule": "r", "reference": 3, "groups": [], "flagged": ["a"]}
    workspace.queries.keep_wording(kept | {"queries": [1, 2]})
    assert kept == authored(workspace, [])["wording"]


def test_what_is_no_query_or_there_already_is_refused(workspace: Workspace) -> None:
    """An empty text, a declaration that is not one of four, and the same query twice."""
    assert ["none", "documents", "headings", "chunks"] == list(SEEN)
    add_authored(workspace, "x", seen="none")
    for text, seen in ((" ", "none"), ("y", "everything"), ("x", "none")):
        with pytest.raises(InputError):
            add_authored(workspace, text, seen=seen)  # type: ignore[arg-type]
    assert ["x"] == [query.text for query in workspace.queries.all()]
