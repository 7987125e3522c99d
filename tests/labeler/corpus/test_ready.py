"""Chunks cut elsewhere: every shape is read as it is, and what cannot be used is named."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.snapshot.chunk import Chunk
from labeler.corpus.choices import corpus_choices
from labeler.corpus.ready import Notes, read_ready

texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"))


def _jsonl(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _read(path: Path, *columns: str) -> tuple[list[Chunk], Notes]:
    notes = Notes()
    return list(read_ready(path, notes, corpus_choices(columns=columns))), notes


def _refused(path: Path) -> str:
    with pytest.raises(InputError) as error:
        _read(path)
    return str(error.value)


def _chunk(chunk_id: str, text: str = "body", **values: Any) -> Chunk:
    fields: dict[str, Any] = {"title": "", "headings": (), "source": "", "attributes": {}}
    return Chunk(chunk_id=chunk_id, text=text, **({"doc_id": chunk_id} | fields | values))


NODE = {
    "id_": "n1",
    "embedding": None,
    "metadata": {"file_name": "d.md"},
    "relationships": {"1": {"node_id": "doc-1", "hash": "x"}},
    "text": "body",
    "text_template": "{metadata_str}\n\n{content}",
    "class_name": "TextNode",
}


def test_plain_records_are_read_field_by_field(tmp_path: Path) -> None:
    """What is missing is empty, and a chunk without document is its own."""
    text = " <b>body</b>\r\n"
    same = {"chunk_id": "a b%", "doc_id": "d", "text": text, "title": "T", "source": "tickets"}
    attributes = {"tenant": "x", "year": 2026, "open": True, "none": None}
    full = same | {"headings": ["H", "", "I", None], "attributes": attributes}
    chunks, notes = _read(_jsonl(tmp_path / "c.jsonl", full, {"chunk_id": 7, "text": "body"}))

    kept = {"tenant": "x", "year": "2026", "open": "true"}
    assert [_chunk(**same, headings=("H", "I"), attributes=kept), _chunk("7")] == chunks
    assert ([], []) == (notes.skipped, notes.warnings)


@pytest.mark.parametrize(
    ("expected", "record"),
    [
        (_chunk("007"), {"_id": "007", "text": "body"}),
        (_chunk("007"), {"id": "007", "text": "body"}),
        (_chunk("n1", doc_id="doc-1", attributes={"file_name": "d.md"}), NODE),
        (_chunk("n"), {"id_": "n", "text_resource": {"text": "body"}, "class_name": "Node"}),
        (_chunk("n1"), {"queries": {"q": "?"}, "corpus": {"n1": "body"}, "relevant_docs": {}}),
    ],
    ids=["BEIR", "id", "LlamaIndex", "newer LlamaIndex", "labelled set"],
)
def test_records_of_other_tools_are_read(
    tmp_path: Path, expected: Chunk, record: Mapping[str, Any]
) -> None:
    """Under their names for ids; templates that put metadata into a text are not applied."""
    assert [expected] == _read(_jsonl(tmp_path / "c.json", record))[0]


def test_fields_that_were_not_read_are_named(tmp_path: Path) -> None:
    """Nothing is dropped in silence, not even a second id."""
    path = _jsonl(tmp_path / "c.jsonl", {"_id": "a", "id": "b", "text": "body", "url": "x"})

    assert ["fields that were not read: id, url"] == _read(path)[1].warnings


def test_langchain_documents_are_read_from_both_their_forms(tmp_path: Path) -> None:
    """Text is the page content alone; the splitter's headings become the path."""
    headings = {"Header 2": "I", "Header 1": "H"}
    metadata = {"source": "d.md", "title": "T", "loc": {"x": 1}, "page": 3, **headings}
    fields = {"id": "c1", "page_content": "body", "metadata": metadata, "type": "Document"}
    name = ["langchain", "schema", "document", "Document"]
    serialised = {"lc": 1, "type": "constructor", "id": name, "kwargs": fields}
    attributes = {"source": "d.md", "page": "3"}
    expected = _chunk("c1", doc_id="d.md", title="T", headings=("H", "I"), attributes=attributes)

    for record in (fields, serialised):
        chunks, notes = _read(_jsonl(tmp_path / "c.jsonl", record))
        assert [expected] == chunks
        assert ["attribute 'loc' left out of 1 record: a list or an object"] == notes.warnings


@pytest.mark.parametrize(
    "shape",
    [
        lambda doc, text: {"page_content": text, "metadata": {"source": doc}},
        lambda doc, text: {"doc_id": doc, "text": text},
    ],
    ids=["LangChain", "plain"],
)
def test_records_without_ids_get_stable_ones(
    tmp_path: Path, shape: Callable[[str, str], object]
) -> None:
    """From document and text, so that the order of the file does not matter."""
    rows = [shape(*pair) for pair in (("d", "one"), ("d", "two"), ("e", "one"), ("d", "one"))]
    chunks, notes = _read(_jsonl(tmp_path / "c.jsonl", *rows))
    turned, _ = _read(_jsonl(tmp_path / "c.jsonl", *reversed(rows)))

    assert 4 == len({chunk.chunk_id for chunk in chunks})
    assert f"{chunks[0].chunk_id}-2" == chunks[3].chunk_id
    assert {chunk.chunk_id for chunk in chunks} == {chunk.chunk_id for chunk in turned}
    assert ["no record has an id; ids were derived from document id and text"] == notes.warnings


def test_parquet_and_csv_have_the_same_columns(tmp_path: Path) -> None:
    """Lists and maps are JSON in a CSV cell; `NA`, `null` and `007` stay text."""
    rows = [
        {"chunk_id": "007", "text": "NA", "title": "null", "headings": ["A", "B"]},
        {"chunk_id": "1e5", "text": "=1+1", "title": "nan", "headings": []},
    ]
    maps = pa.array([[("k", "v")], []], pa.map_(pa.string(), pa.string()))
    table = pa.Table.from_pylist(rows).append_column("attributes", maps)
    pq.write_table(table, tmp_path / "c.parquet")
    lines = (
        "\ufeffchunk_id,text,title,headings,attributes",
        """007,NA,null,"[""A"",""B""]","{""k"":""v""}\"""",
        "1e5,=1+1,nan,,",
    )
    (tmp_path / "c.csv").write_text("\r\n".join(lines), encoding="utf-8")
    expected = [
        _chunk("007", "NA", title="null", headings=("A", "B"), attributes={"k": "v"}),
        _chunk("1e5", "=1+1", title="nan"),
    ]

    for name in ("c.parquet", "c.csv"):
        assert expected == _read(tmp_path / name)[0]
    (tmp_path / "c.tsv").write_text("id\ttext\n007\tNA, null\n")
    assert [_chunk("007", "NA, null")] == _read(tmp_path / "c.tsv")[0]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"text": " \n"}, "no text"),
        ({"text": "\u200b\ufeff\u00a0\u2028\x07"}, "no text"),
        ({"text": "a\0b"}, "a NUL character in its text"),
        ({"id": "a\0", "text": "x"}, "a NUL character in its id"),
        ({"text": "x", "headings": ["a", "\0"]}, "a NUL character in its headings"),
        ({"text": "x", "attributes": {"a": "\0"}}, "a NUL character in its attributes"),
        ({"text": "x", "title": "\ud800"}, "half of a surrogate pair in its title"),
    ],
)
def test_what_cannot_be_stored_is_set_aside(
    tmp_path: Path, values: Mapping[str, Any], reason: str
) -> None:
    """One such record does not cost the rest, and somebody should know."""
    path = _jsonl(tmp_path / "c.jsonl", {"id": "b", "text": "x"}, {"id": "a", **values})
    chunks, notes = _read(path)

    assert ["b"] == [chunk.chunk_id for chunk in chunks]
    assert [reason] == [entry.reason for entry in notes.skipped]
    assert notes.skipped[0].path.startswith("line 2, chunk 'a")
    warned = ["1 record with no text set aside"] if reason == "no text" else []
    assert warned == notes.warnings


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"id": "a"}], "line 1: no text"),
        ([{"id": "a", "text": 5}], "line 1: its text is a int, not a string"),
        ([{"text": "x"}, {"id": "a", "text": "y"}], "line 2: an id, where the first record"),
        ([{"id": "a", "text": "x"}, {"text": "y"}], "line 2: no id (expected one under chunk_id"),
        ([{"id": " ", "text": "x"}], "line 1: no id"),
        ([{"id": 1.5, "text": "x"}], "line 1: its id is a float, not a string"),
        ([{"id": "a", "text": "x"}] * 2, "line 2: id 'a' stands in line 1 already"),
        ([{"id": 1, "text": "x"}, {"id": "1", "text": "y"}], "line 2: id '1' stands in line 1"),
        ([{"id": "a", "text": "x", "headings": "H"}], "headings is the text 'H'"),
        ([{"id": "a", "text": "x", "headings": [1]}], "its headings are not a list of strings"),
        ([{"id": "a", "text": "x", "attributes": [1]}], "its attributes are not a map"),
        ([{"lc": 1, "kwargs": 5}], "its kwargs are not a map"),
        ([{"id": "a", "text": "x"}, {"page_content": "y"}], "a LangChain document, in a file"),
        ([["a"]], "line 1: a list, not an object"),
    ],
)
def test_records_that_cannot_be_used_are_refused(
    tmp_path: Path, rows: Sequence[Any], said: str
) -> None:
    """Each with its place and what was expected."""
    message = _refused(_jsonl(tmp_path / "c.jsonl", *rows))

    assert said in message
    assert "nothing was written" in message


def test_all_bad_records_are_counted_and_the_first_few_named(tmp_path: Path) -> None:
    """A person mends a file once, not line by line."""
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'{"id":"a","text":"x"}\n\n{\n\xff\n' + b'{"id":"b"}\n' * 8)
    first, *named, last = _refused(path).splitlines()

    assert f"{path}: 10 of 11 records cannot be used." == first
    assert named[0].startswith("  line 3: not JSON (Expecting property name")
    assert "  line 4: not UTF-8" == named[1]
    assert [f"  line {n}: no text, only 'id'" for n in (5, 6, 7)] == named[2:5]
    assert ["  and 5 more"] == named[5:]
    assert "--columns" in last


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("c.jsonl", b"", "holds no chunk. Expected at least one"),
        ("c.csv", b"id,text\n", "holds no chunk"),
        ("c.json", b"[]", "holds no chunk"),
        ("c.jsonl", b'{"id":"a","text":""}\n', "all 1 were set aside. line 1, chunk 'a': no text."),
        ("c.jsonl", b'{"id":"a","text":"x","text":"y"}', "line 1: 'text' stands twice"),
        ("c.json", b'[\n{"id":"a",\n"id":"b"}]', "'id' stands twice in one object"),
        ("c.json", b'[\n{"id":"a"}\n{"id":"b"}]', "at line 3, character 1)"),
        ("c.csv", b'id,text\na,"one\ntwo"\nb\n', "line 4: 1 cells"),
        ("c.csv", b"ID,Text\na,x\n", "line 2: no text, only 'ID'; 'Text'"),
        ("c.json", b'"x"', "holds one str. Expected a list of objects"),
        ("c.csv", b"id;text\na;x\n", "is separated by semicolons"),
        ("c.csv", b"id,text,text\na,x,y\n", "has the column 'text' twice"),
        ("c.csv", b"id,text\na,x,y\n", "line 2: 3 cells under a header of 2"),
        ("c.csv", b'id,text\na,"x"y\n', "a quote is not closed, or stands alone"),
        ("c.csv", b"id,text\na,\xff\n", "line 2: not UTF-8"),
        ("c.parquet", b"PAR1", "cannot be read as Parquet"),
        ("c.xlsx", b"", "unknown kind of file"),
    ],
)
def test_files_that_cannot_be_used_are_refused(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    """With a message about the file, never a traceback."""
    path = tmp_path / name
    path.write_bytes(content)

    assert said in _refused(path)


def test_blank_lines_before_the_header_are_none(tmp_path: Path) -> None:
    """And a column without a name, as a data frame's index has, is told as such."""
    path = tmp_path / "c.csv"
    path.write_bytes(b"\n\n,id,text\n0,a,body\n")
    chunks, notes = _read(path)

    assert [_chunk("a", "body")] == chunks
    assert ["fields that were not read: one without a name"] == notes.warnings


@settings(max_examples=50)
@given(st.lists(st.tuples(texts, texts, st.lists(texts)), min_size=1))
def test_any_storable_text_comes_back_unchanged(
    tmp_path_factory: pytest.TempPathFactory, contents: list[tuple[str, str, list[str]]]
) -> None:
    """Through JSON Lines, byte for byte; only empty texts and headings do not count."""
    rows = [
        {"id": f"c{n}{title}", "text": f"t{text}", "title": title, "headings": steps}
        for n, (text, title, steps) in enumerate(contents)
    ]
    expected = [
        _chunk(f"c{n}{title}", f"t{text}", title=title, headings=tuple(filter(str.strip, steps)))
        for n, (text, title, steps) in enumerate(contents)
    ]
    assert expected == _read(_jsonl(tmp_path_factory.mktemp("texts") / "c.jsonl", *rows))[0]


def test_a_column_map_says_where_each_field_is(tmp_path: Path) -> None:
    """Fields that it does not name keep their own names; a path with dots leads inside."""
    row = {"uid": "c1", "body": "x", "meta": {"page": "p"}, "title": "T", "team": "red"}
    path = _jsonl(tmp_path / "c.jsonl", row)
    columns = "chunk_id=uid,text=body", "doc_id=meta.page", "attributes.tenant=team"
    chunks, notes = _read(path, *columns)
    assert [_chunk("c1", "x", doc_id="p", title="T", attributes={"tenant": "red"})] == chunks
    assert [] == notes.warnings

    cells = tmp_path / "c.csv"
    cells.write_text("n,meta.page,content\n007,p,body\n")
    dotted = "chunk_id=n,text=content,doc_id=meta.page"
    assert [_chunk("007", doc_id="p")] == _read(cells, dotted)[0]


def test_a_column_that_is_nowhere_is_refused(tmp_path: Path) -> None:
    """Naming those that there are; one that some records lack is empty there."""
    rows = {"id": "a", "text": "x", "t": "T"}, {"id": "b", "text": "y"}
    path = _jsonl(tmp_path / "c.jsonl", *rows)

    assert ["T", ""] == [chunk.title for chunk in _read(path, "title=t")[0]]
    with pytest.raises(InputError, match=r"no record has 'tt'.* The first record has id, text, t"):
        _read(path, "title=tt")


def test_source_rules_hold_for_ready_chunks(tmp_path: Path) -> None:
    """By their document; a source of their own stays where no rule fits."""
    row = {"text": "x", "source": "files"}
    rows = [row | {"id": "a", "doc_id": "hr/leave.md"}, row | {"id": "b", "doc_id": "it.md"}]
    reading = corpus_choices(source_rules=["hr/*=handbook"])
    chunks = read_ready(_jsonl(tmp_path / "c.jsonl", *rows), Notes(), reading)

    assert ["handbook", "files"] == [chunk.source for chunk in chunks]


@pytest.mark.parametrize("form", [dict, json.dumps])
def test_a_llama_index_docstore_gives_its_nodes(
    tmp_path: Path, form: Callable[[Mapping[str, Any]], object]
) -> None:
    """Each in its envelope; whole documents are no chunks, and are not cut here either."""
    document = {"id_": "doc-1", "text_resource": {"text": "all"}, "class_name": "Document"}
    envelopes = {
        str(data["id_"]): {"__data__": form(data), "__type__": "1"} for data in (NODE, document)
    }
    path = _jsonl(tmp_path / "c.json", {"docstore/metadata": {}, "docstore/data": envelopes})
    chunks, notes = _read(path)
    assert [_chunk("n1", doc_id="doc-1", attributes={"file_name": "d.md"})] == chunks
    assert ["1 whole document beside the nodes set aside"] == notes.warnings

    del envelopes["n1"]
    path = _jsonl(tmp_path / "c.json", {"docstore/data": envelopes})
    assert "holds whole documents and no nodes" in _refused(path)
