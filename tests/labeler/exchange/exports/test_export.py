"""Label sets as files for other tools: loaded by those tools, and by our own import."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import ir_measures
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.files.records import guarded, unguarded
from evaluator.labelset.format import ADJUDICATION, LabelSet, Query, decode_id
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import write_snapshot
from evaluator.text.words import is_blank
from labeler.cli import sets as cli_sets
from labeler.cli.main import main
from labeler.exchange.exports.export import FORMATS, export
from labeler.workspace.workspace import Workspace
from tests.labeler.frozen import event, frozen
from tests.labeler.small import GRADED, import_set, small_workspace
from tests.labeler.small import NOW as LATER

TEXTS = {"a b.md#0": "One text.", "50%.md#0": "Two, texts.", "=c.md#0": "Three", "d.md#0": "Four"}
QUERIES = (
    Query("q 1", "=1+1", need="NA", log_count=3, inclusion_probability=0.5, weight=6.0),
    Query("007", "null", origin="authored"),
    Query("q3", "given up", origin="authored", skip_reason="unclear"),
    Query("q4", "nobody judged it", origin="authored"),
)
EVENTS = (
    event("q 1", "a b.md#0", "ada lovelace", 2),
    event("q 1", "a b.md#0", "=bob", 0),
    event("q 1", "a b.md#0", "cy", 2, method=ADJUDICATION),
    event("q 1", "50%.md#0", "ada lovelace", 0),
    event("q 1", "=c.md#0", "ada lovelace", None),
    event("007", "=c.md#0", "=bob", 1),
    event("007", "a b.md#0", "=bob", 3),
    event("007", "50%.md#0", "=bob", 3),
    event("007", "50%.md#0", "=bob", None, verdict="undone"),
    event("q3", "d.md#0", "ada lovelace", 3),
)
QRELS = {"q 1": {"a b.md#0": 2, "50%.md#0": 0}, "007": {"=c.md#0": 1, "a b.md#0": 3}}


@pytest.fixture
def labels(tmp_path: Path) -> LabelSet:
    """Ids with blanks and signs, a graded scale, and every way of having no grade."""
    work = small_workspace(tmp_path / "old", grades=GRADED, min_grade=2, texts=TEXTS)
    return frozen(
        work.path / "labels/first",
        EVENTS,
        queries=QUERIES,
        texts=TEXTS,
        pool=[("q 1", "d.md#0"), ("q4", "d.md#0")],
        grades=GRADED,
        min_grade=2,
        snapshot=work.settings.snapshot_digest,
    )


def written(labels: LabelSet, to: str) -> Path:
    """The place of an export, beside the workspace of the set."""
    place = labels.path.parent.parent.parent / f"export{FORMATS[to].suffix}"
    export(labels.path, place, to=to)
    return place


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def decoded(qrels: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    return {
        decode_id(q): {decode_id(chunk): grade for chunk, grade in by_chunk.items()}
        for q, by_chunk in qrels.items()
    }


# TREC


def test_ir_measures_reads_trec_qrels(labels: LabelSet) -> None:
    """Ids come back by the reversible encoding, and by the map beside."""
    place = written(labels, "trec")
    read: dict[str, dict[str, int]] = {}
    for each in ir_measures.read_trec_qrels(str(place / "qrels.txt")):
        read.setdefault(each.query_id, {})[each.doc_id] = each.relevance
    assert QRELS == decoded(read)
    original = json.loads((place / "ids.json").read_text())
    assert {"q%201": "q 1", "a%20b.md#0": "a b.md#0", "50%25.md#0": "50%.md#0"} == original


def test_an_id_that_begins_like_a_comment_is_in_the_map(tmp_path: Path) -> None:
    """A line that begins with # would be skipped."""
    queries = [Query("#1", "first", origin="authored")]
    labels = frozen(
        tmp_path / "first", [event("#1", "d.md#0", "ada", 1)], queries=queries, texts=TEXTS
    )
    export(labels.path, tmp_path / "trec", to="trec")
    assert "%231 0 d.md#0 1\n" == (tmp_path / "trec/qrels.txt").read_text()
    assert {"%231": "#1"} == json.loads((tmp_path / "trec/ids.json").read_text())


def test_ids_that_look_like_encoded_ones_come_back(tmp_path: Path) -> None:
    """`a b` and `a%20b` in one set, as queries too; the map beside tells them apart."""
    texts = {"a b": "one", "a%20b": "two", "c": "three"}
    place = small_workspace(tmp_path / "old", texts=texts)
    labels = frozen(
        tmp_path / "old/labels/alike",
        [event(query_id, "a b", "ada", 1) for query_id in ("q 1", "q%201")]
        + [event("q 1", "a%20b", "ada", 0)],
        queries=[Query(name, f"text of {name}", origin="authored") for name in ("q 1", "q%201")],
        texts=texts,
        snapshot=place.settings.snapshot_digest,
    )
    for to, qrels in (("trec", "qrels.txt"), ("beir", "qrels/test.tsv")):
        out = tmp_path / to
        export(labels.path, out, to=to)
        workspace = small_workspace(tmp_path / f"new-{to}", texts=texts)
        import_set(workspace, queries=out / "queries.jsonl", judgements=out / qrels, now=LATER)
        imported = {(e.query_id, e.chunk_id): e.grade for e in workspace.events()}
        assert {("q 1", "a b"): 1, ("q 1", "a%20b"): 0, ("q%201", "a b"): 1} == imported


def test_every_assessor_has_a_file(labels: LabelSet) -> None:
    """Grades before adjudication; what was undone, and "can't tell", is in none."""
    folder = written(labels, "trec") / "assessors"
    assert {
        "%3Dbob.txt": "007 0 =c.md#0 1\n007 0 a%20b.md#0 3\nq%201 0 a%20b.md#0 0\n",
        "ada lovelace.txt": "q%201 0 50%25.md#0 0\nq%201 0 a%20b.md#0 2\n",
    } == {path.name: path.read_text() for path in folder.iterdir()}


# BEIR and ranx


def test_beir_has_corpus_queries_and_judgements(labels: LabelSet) -> None:
    """As its loader reads them: the first line is skipped, titles are out of the texts' way."""
    place = written(labels, "beir")
    lines = (place / "qrels/test.tsv").read_text().splitlines()
    assert ["query-id", "corpus-id", "score"] == lines[0].split("\t")
    read: dict[str, dict[str, int]] = {}
    for query_id, chunk_id, grade in csv.reader(lines[1:], delimiter="\t"):
        read.setdefault(query_id, {})[chunk_id] = int(grade)
    assert QRELS == read
    corpus = [json.loads(line) for line in _lines(place / "corpus.jsonl")]
    assert TEXTS == {row["_id"]: row["text"] for row in corpus}
    assert {""} == {row["title"] for row in corpus}
    queries = [json.loads(line) for line in _lines(place / "queries.jsonl")]
    assert {"q 1": "=1+1", "007": "null", "q4": "nobody judged it"} == {
        row["_id"]: row["text"] for row in queries
    }


def test_beir_encodes_ids_only_where_tabs_cannot_part_them(tmp_path: Path) -> None:
    """Then everywhere alike, with a map."""
    texts = {'"x"\t.md#0': "One text."}
    old = small_workspace(tmp_path / "old", texts=texts)
    labels = frozen(
        old.path / "labels/first",
        [event("q", '"x"\t.md#0', "ada", 1)],
        queries=[Query("q", "why", origin="authored")],
        texts=texts,
        snapshot=old.settings.snapshot_digest,
    )
    place = written(labels, "beir")
    assert "query-id\tcorpus-id\tscore\nq\t%22x%22%09.md#0\t1\n" == (
        (place / "qrels/test.tsv").read_text()
    )
    assert {"%22x%22%09.md#0": '"x"\t.md#0'} == json.loads((place / "ids.json").read_text())


def test_a_workspace_on_an_export_has_the_chunks_of_the_first_one(tmp_path: Path) -> None:
    """With ids, documents and headings as they were, also of chunks that no query found."""
    chunks = [
        Chunk('a "b".md#0', 'a "b".md', "One text.", "A", ("A", "B"), "", {}),
        Chunk("50%.md#0", "50%.md", "Two texts.", "C", (), "", {}),
        Chunk("50%25.md#0", "50%25.md", "Three texts.", "", (), "", {}),
    ]
    old = write_snapshot(
        tmp_path / "old", chunks, name="old", chunker={"name": "x"}, corpus="-", created_at=LATER
    )
    labels = frozen(
        tmp_path / "first",
        [event('q"1', 'a "b".md#0', "ada", 1)],
        queries=[Query('q"1', "why", origin="authored")],
        texts={chunk.chunk_id: chunk.text for chunk in chunks},
        snapshot=old.digest,
    )
    place = tmp_path / "beir"
    export(labels.path, place, to="beir", snapshot=old.path)
    made = CliRunner().invoke(main, ["init", str(tmp_path / "w"), "--corpus", str(place)])
    assert 0 == made.exit_code, made.output
    assert "ids as ids.json beside it gives them (3)" in made.stderr
    back = Workspace.open(tmp_path / "w")
    assert list(old.chunks()) == list(back.snapshot.chunks())
    judged = place / "qrels/test.tsv"
    import_set(back, queries=place / "queries.jsonl", judgements=judged, now=LATER)
    assert [('q"1', 'a "b".md#0', 1)] == [
        (each.query_id, each.chunk_id, each.grade) for each in back.judgements.standing()
    ]


def test_ranx_takes_one_json_object(labels: LabelSet) -> None:
    """Grade by chunk by query."""
    assert QRELS == json.loads(written(labels, "ranx").read_text())


# Tools that know queries by their text


def test_quepid_has_ratings_and_queries_without(labels: LabelSet) -> None:
    """Cells that begin like a formula carry Quepid's own blank."""
    rows = list(csv.reader(_lines(written(labels, "quepid"))))
    assert ["query", "docid", "rating"] == rows[0]
    assert [" =1+1", "a b.md#0", "2"] in rows
    assert ["null", " =c.md#0", "1"] in rows
    assert ["nobody judged it", "", ""] in rows
    assert 6 == len(rows)


def test_a_quepid_book_has_a_column_for_every_assessor(labels: LabelSet) -> None:
    """An empty cell where somebody gave no grade."""
    rows = list(csv.reader(_lines(written(labels, "quepid-book"))))
    assert ["query", "docid", " =bob", "ada lovelace"] == rows[0]
    assert [" =1+1", "a b.md#0", "0", "2"] in rows
    assert [" =1+1", " =c.md#0", "", ""] in rows


def test_opensearch_gets_the_body_of_a_request(labels: LabelSet) -> None:
    """Ratings are texts there, by query."""
    body = json.loads(written(labels, "opensearch").read_text())
    assert ("first", "IMPORT_JUDGMENT") == (body["name"], body["type"])
    assert {
        "query": "=1+1",
        "ratings": [{"docId": "50%.md#0", "rating": "0"}, {"docId": "a b.md#0", "rating": "2"}],
    } in body["judgmentRatings"]


def test_queries_with_one_text_are_left_out_where_texts_name_them(tmp_path: Path) -> None:
    """They are named on the way; nothing is merged."""
    queries = [Query(name, "same", origin="authored") for name in ("q1", "q2")]
    queries.append(Query("q3", " =blank", origin="authored"))
    events = [event(query.query_id, "d.md#0", "ada", 1) for query in queries]
    labels = frozen(tmp_path / "first", events, queries=queries, texts=TEXTS)
    made = export(labels.path, tmp_path / "ratings.csv", to="quepid")
    assert "query,docid,rating\n" == (tmp_path / "ratings.csv").read_text()
    assert made.notes[0].startswith("2 queries were left out")
    assert "q1, q2" in made.notes[0]
    assert made.notes[1].startswith("1 queries were left out")
    assert "Quepid takes for its guard: q3" in made.notes[1]
    export(labels.path, tmp_path / "list.json", to="opensearch")
    assert [" =blank"] == [
        each["query"]
        for each in json.loads((tmp_path / "list.json").read_text())["judgmentRatings"]
    ]


# A table for spreadsheets


@given(st.text())
def test_every_cell_comes_back_and_none_is_a_formula(text: str) -> None:
    """An apostrophe goes in front where needed, and one is taken away."""
    cell = guarded(text)
    assert text == unguarded(cell) if cell != text else not text.startswith("'")
    assert not cell.startswith(tuple("=+-@\t\r＝＋－＠"))


@pytest.mark.parametrize("text", ["=1+1", "007", "1e5", "TRUE", "Mar 5", "'tis", "-1", " =x"])
def test_what_a_spreadsheet_would_change_is_guarded(text: str) -> None:
    """Formulas, numbers, truth values, dates, and apostrophes themselves."""
    assert f"'{text}" == guarded(text)


@pytest.mark.parametrize("text", ["NA", "null", "how many days", "<script>", "a=1", ""])
def test_other_texts_stay_as_they_are(text: str) -> None:
    """So that people can read the table."""
    assert text == guarded(text)


def test_the_table_has_every_pair_and_who_judged_it(labels: LabelSet) -> None:
    """A pair without a judgement has an empty grade, "can't tell" is a word, neither is 0."""
    text = written(labels, "csv").read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert 9 == len(rows)
    by_pair = {(row["query_id"], row["chunk_id"], row["assessor"]): row for row in rows}
    assert "" == by_pair["q 1", "d.md#0", ""]["grade"]
    assert "unsure" == by_pair["q 1", "'=c.md#0", "ada lovelace"]["grade"]
    judged = by_pair["q 1", "a b.md#0", "'=bob"]
    assert ("0", "2", "'=1+1") == (judged["grade"], judged["adjudicated"], judged["query"])
    assert "'007" in {row["query_id"] for row in rows}


# Back again


@pytest.mark.parametrize(
    ("to", "queries", "judgements"),
    [
        ("trec", "queries.jsonl", "qrels.txt"),
        ("beir", "queries.jsonl", "qrels/test.tsv"),
        ("quepid", "", ""),
        ("opensearch", "", ""),
        ("ranx", None, ""),
    ],
)
def test_our_own_import_reads_the_grades_back(
    tmp_path: Path, labels: LabelSet, to: str, queries: str | None, judgements: str
) -> None:
    """The same grades for the same queries and chunks, and no grade besides."""
    place, back = written(labels, to), _back(tmp_path)
    if queries is None:
        back.queries.add(QUERIES)
    asked = None if queries is None else place / queries
    said = import_set(back, queries=asked, judgements=place / judgements, now=LATER)
    assert any("4 judgements name nobody and stand under" in note for note in said.notes)
    text_by_id = {query.query_id: query.text for query in back.queries.all()}
    ours = {query.query_id: query.text for query in QUERIES}
    assert {(ours[q], c, g) for q, by_chunk in QRELS.items() for c, g in by_chunk.items()} == {
        (text_by_id[each.query_id], each.chunk_id, each.grade)
        for each in back.judgements.standing()
    }


WORD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
CHUNK_ID = WORD.filter(lambda word: word[0] != "#")  # what stands before # names the document
SEEN = WORD.filter(lambda word: not is_blank(word))


@given(chunk_id=CHUNK_ID, query_id=WORD, text=SEEN, assessor=WORD, note=WORD)
@settings(max_examples=25, deadline=None)
def test_any_text_comes_back_from_the_table(
    chunk_id: str, query_id: str, text: str, assessor: str, note: str
) -> None:
    """Line breaks, quotes, signs and blanks of any kind, in every column."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        texts = {chunk_id: "Some text."}
        judged = event(query_id, chunk_id, assessor, 1)._replace(note=note)
        query = Query(query_id, text, origin="authored")
        labels = frozen(place / "first", [judged], queries=[query], texts=texts)
        export(labels.path, place / "table.csv", to="csv")
        back = small_workspace(place / "back", texts=texts)
        import_set(back, queries=place / "table.csv", judgements=place / "table.csv", now=LATER)
        assert [(query_id, text)] == [(each.query_id, each.text) for each in back.queries.all()]
        assert [(chunk_id, assessor, 1, note)] == [
            (each.chunk_id, each.assessor, each.grade, each.note)
            for each in back.judgements.standing()
        ]
        back.close()


def _back(directory: Path) -> Workspace:
    return small_workspace(directory / "back", grades=GRADED, min_grade=2, texts=TEXTS)


# What is said, and what is refused


@pytest.mark.parametrize("to", FORMATS)
def test_what_has_no_grade_gets_none(labels: LabelSet, to: str) -> None:
    """No format says 0 of a pair that nobody judged, or on which nobody could tell."""
    place = written(labels, to)
    files = [place] if place.is_file() else sorted(place.rglob("*"))
    text = "\n".join(path.read_text("utf-8") for path in files if path.is_file())
    assert [] == [each for each in ("d.md#0\t0", "d.md#0,0", "d.md#0 0") if each in text]
    notes = export(labels.path, place.with_name(f"again{place.suffix}"), to=to).notes
    assert any("have no room for" in note and "skipped queries (1)" in note for note in notes)


def test_a_threshold_that_no_file_holds_is_told(labels: LabelSet, tmp_path: Path) -> None:
    """Tools would take grade 1 as relevant."""
    made = export(labels.path, tmp_path / "qrels.json", to="ranx")
    assert any("unless told rel=2" in note for note in made.notes)
    assert any("decisions on disagreements, as such (1)" in note for note in made.notes)


def test_nothing_is_overwritten_or_half_written(labels: LabelSet, tmp_path: Path) -> None:
    """A place that is taken, another suffix, and a corpus that is not there."""
    (tmp_path / "taken").mkdir()
    with pytest.raises(InputError, match="exists already"):
        export(labels.path, tmp_path / "taken", to="trec")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file is no folder"):
        export(labels.path, tmp_path / "file" / "out", to="trec")
    with pytest.raises(InputError, match=r"ends in \.json"):
        export(labels.path, tmp_path / "qrels.txt", to="ranx")
    (labels.path.parent.parent / "snapshot").rename(tmp_path / "elsewhere")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match="--snapshot DIR"):
        export(labels.path, tmp_path / "beir", to="beir")
    assert before == sorted(tmp_path.iterdir())
    export(labels.path, tmp_path / "beir", to="beir", snapshot=tmp_path / "elsewhere")


def test_the_command_lists_its_files(labels: LabelSet, tmp_path: Path) -> None:
    """On standard output; what was left behind goes to standard error."""
    assert list(cli_sets.FORMATS) == list(FORMATS)
    out = tmp_path / "table.csv"
    done = CliRunner().invoke(main, ["export", str(labels.path), "--to", "csv", "-o", str(out)])
    assert (0, f"{out}\n") == (done.exit_code, done.stdout)
    assert "have no room for" in done.stderr
