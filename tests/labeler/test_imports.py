"""Queries and judgements made elsewhere: every shape, every kind of damage."""

import json
from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.labelset import Query
from labeler.imports import Imported, import_set
from labeler.judgement_files import read_judgements
from labeler.query_files import read_queries
from labeler.store import Workspace
from tests.labeler.small import GRADED, NOW, small_workspace

SCALE = (0, 1, 2, 3)
QUERIES = '{"_id": "q1", "text": "notice"}\n{"_id": "q2", "text": "NA"}\n'
TREC = "q1 0 leave.md#0 1\nq1 0 vpn.md#1 0\nq2 0 vpn.md#1 1\n"


def file(directory: Path, name: str, text: str) -> Path:
    path = directory / name
    path.write_bytes(text.encode())
    return path


def run(workspace: Workspace, *, queries: str = QUERIES, judgements: str = TREC) -> Imported:
    return import_set(
        workspace,
        queries=file(workspace.path, "queries.jsonl", queries),
        judgements=file(workspace.path, "qrels.txt", judgements),
        now=NOW,
    )


def grades(path: Path, scale: tuple[int, ...] = SCALE) -> dict[str, object]:
    """Grade, or the verdict where there is no grade, by chunk."""
    read = read_judgements(path, scale=scale)
    return {p.chunk_id: p.verdict if p.grade is None else p.grade for p in read.pairs}


@pytest.mark.parametrize("key", ["query_id", "_id", "id"])
def test_query_ids_stand_under_three_names(tmp_path: Path, key: str) -> None:
    """Ours, BEIR's, and the one that everybody uses; numbers become text."""
    path = file(tmp_path, "q.jsonl", json.dumps({key: 7, "text": "007"}) + "\n")
    assert (Query("7", "007", origin="authored"),) == read_queries(path, origin="authored").queries


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.tsv", "q1\tnull\nq2\t=1+1\n"),
        ("q.tsv", "query_id\ttext\nq1\tnull\nq2\t=1+1\n"),
        ("q.csv", "\ufeffquery_id,text\r\nq1,null\r\nq2,=1+1\r\n"),
        ("q.jsonl", '{"id": "q1", "text": "null"}\n\n{"id": "q2", "text": "=1+1"}'),
    ],
)
def test_query_texts_stay_as_they_are(tmp_path: Path, name: str, text: str) -> None:
    """No word becomes a missing value or a formula, in any of the shapes."""
    read = read_queries(file(tmp_path, name, text), origin="authored")
    assert {"q1": "null", "q2": "=1+1"} == {q.query_id: q.text for q in read.queries}


def test_what_a_query_file_knows_is_kept(tmp_path: Path) -> None:
    """Need under its usual names, group, filter and origin."""
    row = {"id": "q", "text": "t", "info_need": "n", "group": "g", "filter": {"a": "b"}}
    path = file(tmp_path, "q.jsonl", json.dumps(row | {"origin": "log"}))
    expected = Query("q", "t", need="n", origin="log", filter={"a": "b"}, group="g")
    assert (expected,) == read_queries(path, origin="authored").queries


def test_a_text_that_cannot_be_kept_is_set_aside(tmp_path: Path) -> None:
    """A blank text, a NUL and half a surrogate are named; the others are imported."""
    lines = [r'{"id": "a", "text": "x\u0000"}', r'{"id": "b", "text": "\ud800"}']
    lines += ['{"id": "c", "text": " "}', '{"id": "d", "text": "fine"}']
    read = read_queries(file(tmp_path, "q.jsonl", "\n".join(lines)), origin="authored")
    assert ["d"] == [query.query_id for query in read.queries]
    assert [1, 2, 3] == [problem.line for problem in read.set_aside]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("q.jsonl", '{"text": "no id"}', "line 1: no query id"),
        ("q.jsonl", '{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}', "line 2: .*another text"),
        ("q.jsonl", '{"id": "a"', "line 1: no JSON"),
        ("q.jsonl", '["a", "x"]', "line 1: no JSON object"),
        ("q.jsonl", '{"id": "a", "text": "x", "origin": "web"}', "origin 'web' is none of"),
        ("q.jsonl", '{"id": "a", "text": "x", "filter": "b"}', "no map"),
        ("q.tsv", "q1 no tab", "line 1: no tab"),
        ("q.csv", "id,text\na,x,y", "line 2: 3 cells under a header of 2"),
        ("q.csv", 'id,text\na,"x\n\nb,y', "line 2: .*quote is not closed"),
        ("q.csv", "id;text\na;x", "semicolons"),
        ("q.csv", "id,text,text\na,x,y", "column 'text' twice"),
    ],
)
def test_bad_query_files_name_their_lines(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    """Nothing is guessed and nothing is dropped."""
    with pytest.raises(InputError, match=message):
        read_queries(file(tmp_path, name, text), origin="authored")


@pytest.mark.parametrize(
    ("name", "text", "shape"),
    [
        ("qrels.txt", "# made by hand\nq1 0 a 1\nq1\t0  b   0\n", "TREC qrels"),
        ("test.tsv", "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t0\n", "BEIR"),
        ("qrels.tsv", "\ufeffq1\ta\t1\r\nq1\tb\t0\r\n", "three columns"),
        ("j.csv", "query_id,chunk_id,grade\nq1,a,1\nq1,b,0\n", "named columns"),
        ("j.csv", "query-id,docid,rating\nq1,a,1\nq1,b,0.0\n", "named columns"),
        ("j.jsonl", '{"query_id": "q1", "chunk_id": "a", "grade": 1}\n'
                    '{"query_id": "q1", "chunk_id": "b", "grade": 0}\n', "named columns"),
    ],
)  # fmt: skip
def test_judgements_come_in_four_shapes(tmp_path: Path, name: str, text: str, shape: str) -> None:
    """The same two judgements, read the same, and the shape is said."""
    path = file(tmp_path, name, text)
    assert {"a": 1, "b": 0} == grades(path)
    assert shape == read_judgements(path, scale=SCALE).shape


def test_missing_and_negative_grades_are_not_zero(tmp_path: Path) -> None:
    """Empty, -1 and unsure stay unjudged; below -1 is worse than nothing, so it is 0."""
    path = file(
        tmp_path,
        "judgements.csv",
        "query_id,chunk_id,grade,note\n"
        "q1,a,1,\nq1,junk,-2,spam\nq1,b,2,\nq1,n,0,\n"
        "q1,y,,not yet judged\nq1,z,unsure,cannot tell\nq1,w,3.0,typed by hand\nq1,p,-1,\n",
    )
    expected = {"a": 1, "junk": 0, "b": 2, "n": 0, "y": "unjudged", "z": "unsure", "w": 3}
    assert expected | {"p": "unjudged"} == grades(path)
    read = read_judgements(path, scale=SCALE)
    assert 1 == read.below_zero
    assert "grade below zero in the file: -2; spam" == read.pairs[1].note


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 0 a 1\nq1 0 b 7\n", "line 2: grade 7 is not on the scale"),
        ("q1 0 a 1\nq1 0 b 0.5\n", "line 2: grade '0.5' is no whole number"),
        ("q1 0 a 1\nq1 0 b yes\n", "line 2: grade 'yes'"),
        ("q1 0 a 1\nq1 0 a 2\n", "line 2: query 'q1', chunk 'a' has 2 here and 1 on line 1"),
        ("q1 0 a 1\nq1 a 2\n", "line 2: 3 columns"),
        ("q1\ta\t1\nq1\ta\t2\t3\n", "line 2: 4 columns between tabs"),
        ("q1,a,1\n", "no judgement. Known shapes"),
        ("", "holds no judgements"),
    ],
)
def test_bad_judgements_name_their_lines(tmp_path: Path, text: str, message: str) -> None:
    """A grade off the scale, a conflict, or a line of another shape."""
    with pytest.raises(InputError, match=message):
        read_judgements(file(tmp_path, "qrels", text), scale=SCALE)


def test_a_csv_without_a_header_is_not_guessed(tmp_path: Path) -> None:
    """The first judgement is not eaten as a header."""
    with pytest.raises(InputError, match="no column query_id and no column chunk_id"):
        read_judgements(file(tmp_path, "j.csv", "q1,a,1\nq1,b,0\n"), scale=SCALE)


def test_the_same_judgement_twice_is_one(tmp_path: Path) -> None:
    """Repeats are merged and counted; several assessors of one pair are no repeat."""
    text = "query_id,chunk_id,grade,assessor\nq1,a,1,ada\nq1,a,1,ada\nq1,a,0,bob\n"
    read = read_judgements(file(tmp_path, "j.csv", text), scale=SCALE)
    assert (2, 1) == (len(read.pairs), read.merged)


def test_an_import_is_the_pool(tmp_path: Path) -> None:
    """Pairs found by the file, judged by the file, no probability, no sample."""
    workspace = small_workspace(tmp_path)
    imported = run(workspace)
    assert (2, 3, 3) == (imported.queries, imported.pairs, imported.judgements)
    assert {("import:qrels.txt",)} == {entry.found_by for entry in workspace.pool()}
    assert {None} == {query.inclusion_probability for query in workspace.queries()}
    judgements = list(workspace.judgements())
    assert {("import:qrels.txt", "qrels.txt")} == {
        (judgement.assessor, judgement.imported_from) for judgement in judgements
    }
    assert workspace.sample() is None


def test_importing_twice_adds_nothing(tmp_path: Path) -> None:
    """The same files again are recognised by their content."""
    workspace = small_workspace(tmp_path)
    run(workspace)
    again = run(workspace)
    assert (0, 0, 0) == (again.queries, again.pairs, again.judgements)
    assert 3 == len(list(workspace.judgements()))


@pytest.mark.parametrize(
    ("judgements", "message"),
    [
        ("q1 0 leave.md#0 1\nq9 0 leave.md#0 1\nq8 0 vpn.md#1 1\n", "2 judgements of 2 queries"),
        ("q1 0 gone#0 1\nq2 0 gone#0 1\n", "2 judgements of 1 chunks .*: gone#0"),
        ("q1 0 leave.md 1\n", "ids of documents"),
    ],
)
def test_unknown_ids_are_refused_before_anything_is_stored(
    tmp_path: Path, judgements: str, message: str
) -> None:
    """Counts and names; the workspace stays empty."""
    workspace = small_workspace(tmp_path)
    with pytest.raises(InputError, match=message):
        run(workspace, judgements=judgements)
    assert ([], []) == (workspace.queries(), workspace.pool())


def test_unknown_ids_can_be_left_out(tmp_path: Path) -> None:
    """The rest is imported and what was left out is said."""
    workspace = small_workspace(tmp_path)
    imported = import_set(
        workspace,
        queries=file(tmp_path, "q.jsonl", QUERIES),
        judgements=file(tmp_path, "qrels.txt", TREC + "q1 0 gone#0 1\n"),
        skip_unknown=True,
        now=NOW,
    )
    assert 3 == imported.judgements
    assert any("Left out: 1 judgements of 1 chunks" in note for note in imported.notes)


def test_an_encoded_id_finds_its_chunk(tmp_path: Path) -> None:
    """TREC files cannot hold blanks or signs that begin a comment; %XX stands for them."""
    workspace = small_workspace(tmp_path)
    run(workspace, judgements="q1 0 leave.md%230 1\n")
    assert ["leave.md#0"] == [entry.chunk_id for entry in workspace.pool()]


def test_a_query_cannot_change_its_text(tmp_path: Path) -> None:
    """The same id with another text is another query."""
    workspace = small_workspace(tmp_path)
    run(workspace)
    with pytest.raises(InputError, match="1 query ids are in the workspace with another text: q1"):
        run(workspace, queries='{"_id": "q1", "text": "changed"}\n')


def test_another_file_of_the_same_name_is_another_source(tmp_path: Path) -> None:
    """One name in found_by never means two files."""
    workspace = small_workspace(tmp_path)
    run(workspace)
    run(workspace, judgements="q1 0 parking.md#0 1\n")
    first, second = (source["source"] for source in workspace.pool_sources())
    assert ("import:qrels.txt", True) == (first, second.startswith("import:qrels.txt@"))


def test_assessors_times_and_notes_are_kept(tmp_path: Path) -> None:
    """A file that says who judged, when and why keeps that; a time to come is refused."""
    workspace = small_workspace(tmp_path, grades=GRADED)
    header = "query_id,chunk_id,grade,assessor,judged_at,note\n"
    path = file(tmp_path, "j.csv", header + "q1,leave.md#0,2,ada,2025-05-06T07:08:09+02:00,clear\n")
    queries = file(tmp_path, "q.jsonl", QUERIES)
    import_set(workspace, queries=queries, judgements=path, now=NOW)
    (judgement,) = workspace.judgements()
    assert ("ada", "2025-05-06T05:08:09.000Z", "clear") == (
        judgement.assessor,
        judgement.judged_at,
        judgement.note,
    )
    late = file(tmp_path, "late.csv", header + "q1,leave.md#0,2,ada,2027-01-01T00:00:00Z,\n")
    with pytest.raises(InputError, match="still to come"):
        import_set(workspace, queries=None, judgements=late, now=NOW)


def test_nothing_to_import_is_refused(tmp_path: Path) -> None:
    """Neither file was given."""
    with pytest.raises(InputError, match="Nothing to import"):
        import_set(small_workspace(tmp_path), queries=None, judgements=None, now=NOW)


def test_query_ids_that_are_chunk_ids_are_mentioned(tmp_path: Path) -> None:
    """Harmless here, but another evaluator would drop such results."""
    workspace = small_workspace(tmp_path)
    imported = run(
        workspace,
        queries='{"id": "leave.md#0", "text": "x"}\n',
        judgements="leave.md#0\tleave.md#0\t1\n",
    )
    assert any("1 query ids are chunk ids too" in note for note in imported.notes)
