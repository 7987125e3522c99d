"""Files that are not what their suffix says, or say two things: refused in one message, or told."""

import json
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from evaluator import InputError
from labeler.exchange.imports.json_files import read_json
from labeler.exchange.imports.judgements import read_judgements
from labeler.exchange.imports.queries import read_queries
from tests.labeler.small import file

SCALE = (0, 1, 2, 3)
HEADER = "query_id,chunk_id,grade\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("qrels", "q1 0 a 1\nq1 0 b 7\n", "line 2: grade 7 is not on the scale"),
        ("qrels", "q1 0 a 1\nq1 0 b 0.5\n", "line 2: grade '0.5' is no whole number"),
        ("qrels", "q1 0 a 1\nq1 0 a 2\n", "line 2: query 'q1', chunk 'a' has 2 here and 1 on"),
        ("qrels", "q1 0 a 1\nq1 a 2\n", "line 2: 3 columns"),
        ("qrels", "q1\ta\t1\nq1\ta\t2\t3\n", "line 2: 4 columns between tabs"),
        ("qrels", "q1,a,1\n", "no judgement. Known shapes"),
        ("qrels", "", "holds no judgements"),
        ("j.json", "{", "is no JSON"),
        ("j.json", "[" * 100_000, "is no JSON|nested too deeply"),
        ("j.csv", HEADER + "q1,a,1\n" + HEADER, "line 3: the header again"),
        ("j.csv", HEADER.replace(",", "\t") + "q1\ta\t1\n", "separated by tabs"),
        ("j.csv", HEADER, "holds no judgements"),
        ("j.jsonl", "\n", "holds no judgements"),
        ("j.json", '{"q1": {}}', "holds no judgements"),
        ("j.json", '{"q1": {"a": 1, "a": 0}}', "'a' stands twice"),
        ("j.json", '{"q1": {"a": 0.93}}', "holds no judgements"),
        ("j.jsonl", '{"query_id": "q1", "chunk_id": "a", "grade": 0, "grade": 1}', "stands twice"),
        (
            "j.json",
            f'[{{"id": "q", "docid": "a", "rel": 1, "lead_time": {10**400}}}]',
            "no seconds",
        ),
        ("j.jsonl", "[" * 100_000, "line 1: JSON that is nested too deeply"),
        ("j.csv", "query,docid,rating,note,ada\nnotice,a,1,why,0\n", "grade 'why'"),
    ],
)
def test_judgements_that_cannot_be_are_refused(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    """Nothing is guessed, and no message is longer than a screen."""
    with pytest.raises(InputError, match=f"(?m){message}"):
        read_judgements(file(tmp_path, name, text), scale=SCALE)


LONG = "x" * 10_000
TABLE = "".join(f"{LONG}{number},a,{LONG}\n" for number in range(9))
OBJECT = json.dumps({"grade": 1, LONG: 0}).removesuffix("}") + f', "{LONG}": 0}}'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("j.csv", HEADER + TABLE),
        ("j.csv", ",".join(f"{LONG}{number}" for number in range(30)) + "\n" + "," * 29),
        ("j.csv", f"{LONG},{LONG}\n"),
        ("j.json", OBJECT),
        ("j.jsonl", f"{OBJECT}\n" * 9),
        ("qrels.txt", LONG),
    ],
)
def test_a_message_quotes_a_long_text_by_its_ends(tmp_path: Path, name: str, text: str) -> None:
    """A whole chapter may stand where an id should be."""
    with pytest.raises(
        InputError, match=r" \.\.\. .*\([1-9][0-9]*,[0-9]{3} characters\)"
    ) as refused:
        read_judgements(file(tmp_path, name, text), scale=SCALE)
    assert len(str(refused.value).replace(str(tmp_path), "")) < 1_000


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("q.jsonl", '{"text": "no id"}', "line 1: no query id"),
        ("q.jsonl", '{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}', "line 2: .*another text"),
        ("q.jsonl", '{"id": "a"', "line 1: not JSON"),
        ("q.jsonl", '["a", "x"]', "line 1: a list, not an object"),
        ("q.jsonl", '{"id": "a", "text": "x", "origin": "web"}', "origin 'web' is none of"),
        ("q.jsonl", '{"id": "a", "text": "x", "filter": "b"}', "no map"),
        ("q.tsv", "q1 no tab", "line 1: no tab"),
        ("q.csv", "id,text\na,x,y", "line 2: 3 cells under a header of 2"),
        ("q.csv", 'id,text\na,"x\n\nb,y', "line 2: .*quote is not closed"),
        ("q.csv", "id;text\na;x", "semicolons"),
        ("q.csv", "id,text,text\na,x,y", "column 'text' twice"),
        ("q.csv", "query_id,query\nq1,one\nquery_id,query\n", "line 3: the header again"),
        ("q.csv", "q1,one,1\nq2,two,2\n", "no column of queries; its columns are q1, one, 1"),
        ("q.csv", "query_id,query\n", "holds no queries"),
        ("q.tsv", "\n", "holds no queries"),
        ("q.tsv", "q1\tone\nq2\ttwo\tmore\n", "line 2: several tabs"),
        ("q.csv", 'query_id,query,filter\nq1,one,"[1]"\n', "is no map of text to text"),
        ("q.json", "[1]", "no book or case of Quepid"),
    ],
)
def test_queries_that_cannot_be_are_refused(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    """A second header is no query, and a first line that names nothing is no header."""
    with pytest.raises(InputError, match=message):
        read_queries(file(tmp_path, name, text), origin="authored")


def test_a_table_between_tabs_is_read_by_its_names(tmp_path: Path) -> None:
    """As queries and as judgements; a log's columns beside are counted."""
    log = file(tmp_path, "log.tsv", "session\tquery\tcount\ns1\tNA\t2\n")
    read = read_queries(log, origin="authored")
    assert (["NA"], True) == ([query.text for query in read.queries], read.by_text)
    assert ("not read: count (1), session (1)",) == read.notes
    text = "grade\tchunk_id\tassessor\tquery_id\n2\ta\tada\tq1\n"
    (pair,) = read_judgements(file(tmp_path, "j.tsv", text), scale=SCALE).pairs
    assert ("q1", "a", 2, "ada") == (pair.query, pair.chunk_id, pair.grade, pair.assessor)


@pytest.mark.parametrize("name", ["j.csv", "j.jsonl"])
def test_a_score_is_no_grade_where_the_grade_is_empty(tmp_path: Path, name: str) -> None:
    """One column holds the grades of a whole file; the other is counted."""
    rows = [("q1", "a", "", 3), ("q2", "a", 1, "")]
    columns = ("query_id", "chunk_id", "grade", "score")
    text = "\n".join(
        [",".join(columns), *(",".join(map(str, row)) for row in rows)]
        if name.endswith("csv")
        else [json.dumps(dict(zip(columns, row, strict=True))) for row in rows]
    )
    read = read_judgements(file(tmp_path, name, text), scale=SCALE)
    assert [None, 1] == [pair.grade for pair in read.pairs]
    assert ("not read: score (1)",) == read.reading.notes


def test_a_long_note_is_kept(tmp_path: Path) -> None:
    """Longer than the limit of Python's reader, as our own table can hold it."""
    text = f"query_id,chunk_id,grade,note\nq1,a,1,{'x' * 200_000}\n"
    (pair,) = read_judgements(file(tmp_path, "j.csv", text), scale=SCALE).pairs
    assert 200_000 == len(pair.note or "")


TASK = {"data": {"query_id": "q1", "chunk_id": "a"}, "annotations": []}
CHOICES = {"type": "choices", "value": {"choices": "yes"}}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"queries": [{"query": "notice", "ratings": "a"}]}, "query 1: ratings is no list"),
        ({"queries": [{"query": "notice", "ratings": [{}, 1]}]}, "query 1: ratings is no list"),
        ({"query_doc_pairs": [{"doc_id": "a", "judgements": 1}]}, "pair 1: judgements is no list"),
        ({"query_doc_pairs": [{"query_text": "x"}, "x"]}, "pair 2: no object"),
        ({"judgmentRatings": [{"query": "a", "ratings": None}]}, "query 1: no query with a list"),
        ({"judgmentRatings": [{"query": "a", "ratings": ["b"]}]}, "query 1: no query with a list"),
        ([TASK, TASK | {"annotations": {"result": []}}], "task 2: annotations is no list"),
        ([TASK | {"annotations": [{"result": True}]}], "task 1: result is no list"),
        ([TASK | {"annotations": [{"result": [CHOICES]}]}], "task 1: choices is no list"),
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, document: object, message: str) -> None:
    """Its entries would be passed over without a word, or be the letters of a text."""
    with pytest.raises(InputError, match=message):
        read_judgements(file(tmp_path, "j.json", json.dumps(document)), scale=SCALE)


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_broken_archive_is_refused_wherever_it_is_broken(tmp_path: Path, kind: int) -> None:
    """Every byte in turn is another one, and the file ends everywhere."""
    path = tmp_path / "book.zip"
    with zipfile.ZipFile(path, "w", kind) as archive:
        archive.writestr("book.json", json.dumps({"queries": ["x" * 50]}))
    whole = path.read_bytes()
    for place in range(len(whole)):
        changed = whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :]
        for bytes_ in (changed, whole[:place]):
            path.write_bytes(bytes_)
            with suppress(InputError):
                assert {"queries": ["x" * 50]} == read_json(path)
