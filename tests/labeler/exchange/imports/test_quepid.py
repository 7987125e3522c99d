"""Quepid's exports: ratings, books and cases, with queries that go by their text."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from evaluator import InputError
from evaluator.labelset.format import Query
from labeler.exchange.imports.judgements import read_judgements
from labeler.exchange.imports.plan import Imported
from labeler.exchange.imports.queries import query_id_of, read_queries
from labeler.workspace.workspace import Workspace
from tests.labeler.small import NOW, file, import_set

SCALE = (0, 1)
BOOK = {
    "name": "made up",
    "show_rank": False,
    "scale": [0, 1],
    "query_doc_pairs": [
        {
            "query_text": "notice",
            "doc_id": "leave.md#0",
            "position": 1,
            "information_need": "How long before?",
            "judgements": [
                {"rating": 1.0, "user_email": "ada@example.org", "explanation": "says it"},
                {"rating": 0.0, "user_email": "bob@example.org"},
                {"rating": None, "unrateable": True, "user_email": "cy@example.org"},
                {"rating": None, "judge_later": True, "user_email": "di@example.org"},
            ],
        },
        {"query_text": "notice", "doc_id": "vpn.md#0", "information_need": None, "judgements": []},
        {"query_text": "=1+1", "doc_id": "vpn.md#1", "judgements": [{"rating": 0}]},
    ],
}
CASE = {
    "case_name": "made up",
    "queries": [
        {
            "query_text": "notice",
            "information_need": "How long before?",
            "ratings": [{"doc_id": "leave.md#0", "rating": 1, "user_email": "ada@example.org"}],
        },
        {"query_text": "lost", "ratings": []},
    ],
}
OLDER_CASE = {"queries": [{"query_text": "notice", "ratings": {"leave.md#0": 1, "vpn.md#0": 0}}]}
RATINGS = {"queries": [{"query": "notice", "ratings": {"leave.md#0": 1, "vpn.md#0": 0}}]}

Read = list[tuple[str, str, int | str, str | None]]


def read(path: Path) -> Read:
    """Query, chunk, grade or why there is none, and assessor."""
    return [
        (p.query, p.chunk_id, p.verdict if p.grade is None else p.grade, p.assessor)
        for p in read_judgements(path, scale=SCALE).pairs
    ]


@pytest.mark.parametrize("header", ["query,docid,rating\n", "query,doc_id,rating\n", ""])
@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_ratings_come_with_either_header_or_none(tmp_path: Path, header: str, ending: str) -> None:
    """A query without ratings has two empty cells; it is no judgement, and counted."""
    text = header + 'notice,a,1\n"a, b",a,0\nlost,,\n =1+1,c,1' + ending
    path = file(tmp_path, "case.csv", text)
    assert [("notice", "a", 1, None), ("a, b", "a", 0, None), ("=1+1", "c", 1, None)] == read(path)
    found = read_judgements(path, scale=SCALE)
    assert ("Quepid ratings", True) == (found.shape, found.reading.by_text)
    assert "1 queries have no rating" in found.reading.notes
    assert bool(header) != any("no header" in note for note in found.reading.notes)


@pytest.mark.parametrize("start", "-=+@")
def test_the_blank_before_what_looks_like_a_formula_is_quepids(tmp_path: Path, start: str) -> None:
    """One blank goes, in queries, chunk ids and names; other blanks stay."""
    header = f"query,docid, {start}ada"
    path = file(tmp_path, "book.csv", f"{header}\n {start}x, {start}y,1\n x,z,0\n")
    assert [
        (f"{start}x", f"{start}y", 1, f"{start}ada"),
        (" x", "z", 0, f"{start}ada"),
    ] == read(path)


def test_a_book_has_one_column_a_judge(tmp_path: Path) -> None:
    """An empty cell is no judgement; a pair that nobody judged is pooled; Anonymous is nobody."""
    text = "query,docid,Ada L,Bob,Anonymous\nnotice,a,1,0,\nnotice,b,,,\nlost,a,,,1.0\n"
    assert [
        ("notice", "a", 1, "Ada L"),
        ("notice", "a", 0, "Bob"),
        ("notice", "b", "unjudged", None),
        ("lost", "a", 1, None),
    ] == read(file(tmp_path, "book.csv", text))
    with pytest.raises(InputError, match="column 'Ada' twice"):
        read(file(tmp_path, "book.csv", "query,docid,Ada,Ada\nnotice,a,1,0\n"))


def test_unrateable_is_cannot_tell_and_later_is_unjudged(tmp_path: Path) -> None:
    """A book as JSON says who judged and why; neither word becomes a 0."""
    path = file(tmp_path, "book.json", BOOK)
    assert [
        ("notice", "leave.md#0", 1, "ada@example.org"),
        ("notice", "leave.md#0", 0, "bob@example.org"),
        ("notice", "leave.md#0", "unsure", "cy@example.org"),
        ("notice", "leave.md#0", "unjudged", "di@example.org"),
        ("notice", "vpn.md#0", "unjudged", None),
        ("=1+1", "vpn.md#1", 0, None),
    ] == read(path)
    assert "says it" == read_judgements(path, scale=SCALE).pairs[0].note


def test_a_book_may_be_zipped(tmp_path: Path) -> None:
    """One .json file in the archive; another number of them, or no archive, is refused."""
    book = file(tmp_path, "book.json", BOOK)
    with zipfile.ZipFile(tmp_path / "book.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("book.json", json.dumps(BOOK))
        archive.writestr("__MACOSX/._book.json", "x")
    assert read(book) == read(tmp_path / "book.zip")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w") as archive:
        archive.writestr("readme.txt", "x")
    with pytest.raises(InputError, match=r"holds 0 \.json files"):
        read(tmp_path / "empty.zip")
    with pytest.raises(InputError, match="cannot be unpacked"):
        read(file(tmp_path, "broken.zip", "no archive"))


@pytest.mark.parametrize("case", [OLDER_CASE, RATINGS])
def test_older_cases_map_documents_to_ratings(tmp_path: Path, case: dict[str, Any]) -> None:
    """And the ratings alone call the text `query`; newer ones are lists with their users."""
    assert [("notice", "leave.md#0", 1, None), ("notice", "vpn.md#0", 0, None)] == read(
        file(tmp_path, "case.json", case)
    )
    newer = file(tmp_path, "newer.json", CASE)
    assert [("notice", "leave.md#0", 1, "ada@example.org")] == read(newer)


# Queries


@pytest.mark.parametrize("name", ["book.json", "case.json"])
def test_an_export_gives_its_queries(tmp_path: Path, name: str) -> None:
    """Each once, with its need, under an id made from its text."""
    found = read_queries(
        file(tmp_path, name, BOOK if name == "book.json" else CASE), origin="authored"
    )
    first = Query(
        query_id_of("notice", origin="authored"), "notice", "How long before?", "authored"
    )
    assert first == found.queries[0]
    assert (2, True) == (len(found.queries), found.by_text)


def test_a_table_without_ids_gives_its_queries(tmp_path: Path) -> None:
    """Information needs as Quepid exports them, and a book as CSV."""
    needs = file(tmp_path, "needs.csv", "query,information_need\nnotice,How long?\n -x,\n")
    book = file(tmp_path, "book.csv", "query,docid,Ada\nnotice,a,1\nnotice,b,0\n")
    expected = {"notice": "How long?", "-x": None}
    assert expected == {q.text: q.need for q in read_queries(needs, origin="log").queries}
    assert ["notice"] == [q.text for q in read_queries(book, origin="log").queries]


def test_one_text_with_two_needs_is_refused(tmp_path: Path) -> None:
    """A query asks for one thing."""
    pairs = [{"query_text": "x", "doc_id": "a", "information_need": n} for n in ("one", "two")]
    with pytest.raises(InputError, match="entry 2: query 'x' stands above with another"):
        read_queries(file(tmp_path, "b.json", {"query_doc_pairs": pairs}), origin="log")


# Into a workspace


def bring(workspace: Workspace, path: Path, *, with_queries: bool = False) -> Imported:
    return import_set(workspace, queries=path if with_queries else None, judgements=path, now=NOW)


def test_one_book_gives_queries_and_judgements(empty: Workspace, tmp_path: Path) -> None:
    """Both options name the same file; people stay people, marked as imported."""
    imported = bring(empty, file(tmp_path, "book.json", BOOK), with_queries=True)
    assert (2, 3, 4) == (imported.queries, imported.pairs, imported.judgements)
    assert ["How long before?", None] == [query.need for query in empty.queries.all()]
    stored = list(empty.judgements.all())
    assert {"book.json"} == {judgement.imported_from for judgement in stored}
    assert {
        "ada@example.org", "bob@example.org", "cy@example.org", "import:book.json"
    } == {judgement.assessor for judgement in stored}  # fmt: skip
    assert 4 == len({judgement.event_id for judgement in stored})
    again = bring(empty, tmp_path / "book.json", with_queries=True)
    assert (0, 0, 0) == (again.queries, again.pairs, again.judgements)


def test_queries_that_are_there_are_met_by_their_text(empty: Workspace, tmp_path: Path) -> None:
    """The very text first, then the key of the query log."""
    empty.queries.add([Query("q1", "Notice"), Query("q2", "notice"), Query("q3", "=1+1 ")])
    bring(empty, file(tmp_path, "book.json", BOOK))
    assert ["q2", "q2", "q3"] == [entry.query_id for entry in empty.pool.entries()]


def test_a_text_that_may_be_two_queries_is_reported(empty: Workspace, tmp_path: Path) -> None:
    """Nothing is guessed and nothing stored."""
    empty.queries.add([Query("q1", "Notice"), Query("q2", "NOTICE"), Query("q3", "=1+1")])
    with pytest.raises(InputError, match="queries that several of the workspace may be: notice"):
        bring(empty, file(tmp_path, "book.json", BOOK))
    assert [] == list(empty.pool.entries())


def test_unknown_texts_are_reported_with_what_to_do(empty: Workspace, tmp_path: Path) -> None:
    """They can be added from the same file."""
    with pytest.raises(InputError, match="names queries by their text"):
        bring(empty, file(tmp_path, "case.csv", "query,docid,rating\nother,leave.md#0,1\n"))


def test_queries_of_a_book_that_are_there_are_not_added_again(
    empty: Workspace, tmp_path: Path
) -> None:
    """Whoever asked them first keeps id and need."""
    empty.queries.add([Query("q1", "NOTICE", need="mine")])
    imported = bring(empty, file(tmp_path, "book.json", BOOK), with_queries=True)
    assert 1 == imported.queries
    assert "mine" == empty.queries.get("q1").need
    assert any("1 queries of book.json were in the workspace already" in n for n in imported.notes)
