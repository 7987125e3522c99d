"""Chunks cut elsewhere: every shape is read as it is, and what cannot be used is named."""

import json
from collections.abc import Mapping, Sequence
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


def _read(path: Path) -> tuple[list[Chunk], Notes]:
    notes = Notes()
    return list(read_ready(path, notes)), notes


def _refused(path: Path) -> str:
    with pytest.raises(InputError) as error:
        _read(path)
    return str(error.value)


def _chunk(chunk_id: str, text: str = "body", **values: Any) -> Chunk:
    fields: dict[str, Any] = {
        "doc_id": chunk_id,
        "title": "",
        "headings": (),
        "source": "",
        "attributes": {},
        **values,
    }
    return Chunk(chunk_id=chunk_id, text=text, **fields)


def test_plain_records_are_read_field_by_field(tmp_path: Path) -> None:
    """What is missing is empty, and a chunk without document is its own."""
    full = {
        "chunk_id": "a b%",
        "doc_id": "d",
        "text": " <b>body</b>\r\n",
        "title": "T",
        "headings": ["H", "", "I", None],
        "source": "tickets",
        "attributes": {"tenant": "x", "year": 2026, "open": True, "none": None},
    }
    chunks, notes = _read(_jsonl(tmp_path / "c.jsonl", full, {"chunk_id": 7, "text": "body"}))

    expected = _chunk(
        "a b%",
        " <b>body</b>\r\n",
        doc_id="d",
        title="T",
        headings=("H", "I"),
        source="tickets",
        attributes={"tenant": "x", "year": "2026", "open": "true"},
    )
    assert [expected, _chunk("7")] == chunks
    assert ([], []) == (notes.skipped, notes.warnings)


@pytest.mark.parametrize("name", ["chunk_id", "_id", "id"])
def test_ids_are_found_under_three_names(tmp_path: Path, name: str) -> None:
    """BEIR says `_id`, many tools `id`."""
    chunks, _ = _read(_jsonl(tmp_path / "c.jsonl", {name: "007", "text": "body"}))

    assert [_chunk("007")] == chunks


def test_fields_that_were_not_read_are_named(tmp_path: Path) -> None:
    """Nothing is dropped in silence, not even a second id."""
    path = _jsonl(tmp_path / "c.jsonl", {"_id": "a", "id": "b", "text": "body", "url": "x"})

    assert ["fields that were not read: id, url"] == _read(path)[1].warnings


def test_langchain_documents_are_read_from_both_their_forms(tmp_path: Path) -> None:
    """Text is the page content alone; the splitter's headings become the path."""
    fields = {
        "id": "c1",
        "page_content": "body",
        "metadata": {
            "source": "d.md",
            "Header 2": "I",
            "Header 1": "H",
            "title": "T",
            "loc": {"x": 1},
            "page": 3,
        },
        "type": "Document",
    }
    name = ["langchain", "schema", "document", "Document"]
    serialised = {"lc": 1, "type": "constructor", "id": name, "kwargs": fields}
    expected = _chunk(
        "c1",
        doc_id="d.md",
        title="T",
        headings=("H", "I"),
        attributes={"source": "d.md", "page": "3"},
    )

    for record in (fields, serialised):
        chunks, notes = _read(_jsonl(tmp_path / "c.jsonl", record))
        assert [expected] == chunks
        assert ["attribute 'loc' left out of 1 record: a list or an object"] == notes.warnings


def test_langchain_documents_without_ids_get_stable_ones(tmp_path: Path) -> None:
    """From document and text, so that the order of the file does not matter."""
    rows = [
        {"page_content": text, "metadata": {"source": source}}
        for source, text in [("d", "one"), ("d", "two"), ("e", "one"), ("d", "one")]
    ]
    chunks, notes = _read(_jsonl(tmp_path / "c.jsonl", *rows))
    turned, _ = _read(_jsonl(tmp_path / "c.jsonl", *reversed(rows)))

    assert 4 == len({chunk.chunk_id for chunk in chunks})
    assert f"{chunks[0].chunk_id}-2" == chunks[3].chunk_id
    assert {chunk.chunk_id for chunk in chunks} == {chunk.chunk_id for chunk in turned}
    assert ["no record has an id; ids were derived from document id and text"] == notes.warnings


def test_records_without_a_field_for_ids_get_stable_ones(tmp_path: Path) -> None:
    """By the same rule, for cells too; the warning says so."""
    path = tmp_path / "c.csv"
    path.write_text("doc_id,text\nd,one\nd,two\nd,one\n")
    chunks, notes = _read(path)

    assert 3 == len({chunk.chunk_id for chunk in chunks})
    assert f"{chunks[0].chunk_id}-2" == chunks[2].chunk_id
    assert ["no record has an id; ids were derived from document id and text"] == notes.warnings


def test_llama_index_nodes_are_their_text_only(tmp_path: Path) -> None:
    """The templates that put metadata into the text are not applied."""
    node = {
        "id_": "n1",
        "embedding": None,
        "metadata": {"file_name": "d.md"},
        "relationships": {"1": {"node_id": "doc-1", "hash": "x"}},
        "text": "body",
        "text_template": "{metadata_str}\n\n{content}",
        "metadata_seperator": "\n",
        "class_name": "TextNode",
    }
    path = tmp_path / "nodes.json"
    path.write_text(json.dumps([node]), encoding="utf-8")

    assert [_chunk("n1", doc_id="doc-1", attributes={"file_name": "d.md"})] == _read(path)[0]


def test_parquet_and_csv_have_the_same_columns(tmp_path: Path) -> None:
    """Lists and maps are JSON in a CSV cell; `NA`, `null` and `007` stay text."""
    rows = [
        {"chunk_id": "007", "text": "NA", "title": "null", "headings": ["A", "B"]},
        {"chunk_id": "1e5", "text": "=1+1", "title": "nan", "headings": []},
    ]
    maps = pa.array([[("k", "v")], []], pa.map_(pa.string(), pa.string()))
    table = pa.Table.from_pylist(rows).append_column("attributes", maps)
    pq.write_table(table, tmp_path / "c.parquet")
    (tmp_path / "c.csv").write_bytes(
        b"\xef\xbb\xbfchunk_id,text,title,headings,attributes\r\n"
        b'007,NA,null,"[""A"",""B""]","{""k"":""v""}"\r\n'
        b"1e5,=1+1,nan,,\r\n"
    )
    (tmp_path / "c.tsv").write_bytes(
        b"chunk_id\ttext\ttitle\theadings\tattributes\n"
        b'007\tNA\tnull\t"[""A"",""B""]"\t"{""k"":""v""}"\n'
        b"1e5\t=1+1\tnan\t\t\n"
    )
    expected = [
        _chunk("007", "NA", title="null", headings=("A", "B"), attributes={"k": "v"}),
        _chunk("1e5", "=1+1", title="nan"),
    ]

    for name in ("c.parquet", "c.csv", "c.tsv"):
        assert expected == _read(tmp_path / name)[0]


@pytest.mark.parametrize("text", [" \n", "\u200b\ufeff", "\u00a0\u2028\x07"])
def test_empty_texts_are_set_aside(tmp_path: Path, text: str) -> None:
    """They can be neither judged nor found, and somebody should know."""
    path = _jsonl(tmp_path / "c.jsonl", {"id": "a", "text": text}, {"id": "b", "text": "body"})
    chunks, notes = _read(path)

    assert ["b"] == [chunk.chunk_id for chunk in chunks]
    assert [("line 1, chunk 'a'", "no text")] == [(s.path, s.reason) for s in notes.skipped]
    assert ["1 record with no text set aside"] == notes.warnings


@pytest.mark.parametrize(
    ("values", "reason"),
    [
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
    """One such record does not cost the rest."""
    path = _jsonl(tmp_path / "c.jsonl", {"id": "b", "text": "x"}, {"id": "a", **values})
    chunks, notes = _read(path)

    assert ["b"] == [chunk.chunk_id for chunk in chunks]
    assert [reason] == [entry.reason for entry in notes.skipped]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"id": "a"}], "line 1: no text"),
        ([{"id": "a", "text": None}], "line 1: no text"),
        ([{"id": "a", "text": 5}], "line 1: its text is a int, not a string"),
        ([{"text": "x"}, {"id": "a", "text": "y"}], "line 2: an id, where the first record"),
        ([{"id": "a", "text": "x"}, {"text": "y"}], "line 2: no id (expected one under chunk_id"),
        ([{"id": " ", "text": "x"}], "line 1: no id"),
        ([{"id": None, "text": "x"}], "line 1: no id"),
        ([{"id": 1.5, "text": "x"}], "line 1: its id is a float, not a string"),
        ([{"id": True, "text": "x"}], "line 1: its id is a bool, not a string"),
        ([{"id": "a", "text": "x"}] * 2, "line 2: id 'a' stands in line 1 already"),
        ([{"id": 1, "text": "x"}, {"id": "1", "text": "y"}], "line 2: id '1' stands in line 1"),
        ([{"id": "a", "text": "x"}, {"_id": "b", "text": "y"}], "line 2: no id"),
        ([{"id": "a", "text": "x", "headings": "H"}], "headings is the text 'H'"),
        ([{"id": "a", "text": "x", "headings": [1]}], "its headings are not a list of strings"),
        ([{"id": "a", "text": "x", "headings": {}}], "its headings are not a list of strings"),
        ([{"id": "a", "text": "x", "title": 1}], "its title is a int, not a string"),
        ([{"id": "a", "text": "x", "attributes": [1]}], "its attributes are not a map"),
        ([{"page_content": "x", "metadata": "m"}], "its metadata are not a map"),
        ([{"lc": 1, "kwargs": 5}], "its kwargs are not a map"),
        (
            [{"id": "a", "text": "x"}, {"page_content": "y"}],
            "a LangChain document, in a file whose",
        ),
        (
            [{"page_content": "x"}, {"id": "a", "page_content": "y"}],
            "an id, where the first record",
        ),
        ([{"id": "a", "page_content": "x"}, {"page_content": "y"}], "line 2: no id"),
        ([["a"]], "line 1: a list, not an object"),
        ([5], "line 1: a int, not an object"),
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

    expected = "\n".join(
        [
            f"{path}: 10 of 11 records cannot be used.",
            "  line 3: not JSON (Expecting property name enclosed in double quotes at character 2)",
            "  line 4: not UTF-8",
            "  line 5: no text, only 'id'",
            "  line 6: no text, only 'id'",
            "  line 7: no text, only 'id'",
            "  and 5 more",
            "Mend or remove them, or say with --columns how their fields are called; "
            "nothing was written.",
        ]
    )
    assert expected == _refused(path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("c.jsonl", b"", "holds no chunk. Expected at least one"),
        ("c.csv", b"", "holds no chunk"),
        ("c.csv", b"id,text\n", "holds no chunk"),
        ("c.json", b"[]", "holds no chunk"),
        ("c.jsonl", b'{"id":"a","text":""}\n', "all 1 were set aside. line 1, chunk 'a': no text."),
        ("c.jsonl", b'{"id":"a","text":"x","text":"y"}', "line 1: 'text' stands twice"),
        ("c.json", b'[\n{"id":"a",\n"id":"b"}]', "'id' stands twice in one object"),
        ("c.json", b'[\n{"id":"a"}\n{"id":"b"}]', "at line 3, character 1)"),
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


def test_json_lines_in_a_json_file_are_read(tmp_path: Path) -> None:
    """Many tools write them under that name."""
    rows = [{"id": "a", "text": "body"}, {"id": "b", "text": "body"}]

    assert 2 == len(_read(_jsonl(tmp_path / "c.json", *rows))[0])


def test_csv_places_are_the_lines_where_records_begin(tmp_path: Path) -> None:
    """A cell may hold line ends."""
    path = tmp_path / "c.csv"
    path.write_bytes(b'id,text\na,"one\ntwo"\nb\n')

    assert "line 4: 1 cells" in _refused(path)


def test_blank_lines_before_the_header_are_none(tmp_path: Path) -> None:
    """And a column without a name, as a data frame's index has, is told as such."""
    path = tmp_path / "c.csv"
    path.write_bytes(b"\n\n,id,text\n0,a,body\n")
    chunks, notes = _read(path)

    assert [_chunk("a", "body")] == chunks
    assert ["fields that were not read: one without a name"] == notes.warnings


@settings(max_examples=50)
@given(st.dictionaries(texts, st.tuples(texts, texts, st.lists(texts)), min_size=1))
def test_any_storable_text_comes_back_unchanged(
    tmp_path_factory: pytest.TempPathFactory, contents: dict[str, tuple[str, str, list[str]]]
) -> None:
    """Through JSON Lines, byte for byte; only empty texts and ids do not count."""
    folder = tmp_path_factory.mktemp("texts")
    rows = [
        {"id": f"c{chunk_id}", "text": f"t{text}", "title": title, "headings": headings}
        for chunk_id, (text, title, headings) in contents.items()
    ]
    expected = [
        _chunk(
            row["id"],
            row["text"],
            title=row["title"],
            headings=tuple(step for step in row["headings"] if step.strip()),
        )
        for row in rows
    ]

    assert expected == _read(_jsonl(folder / "c.jsonl", *rows))[0]


# Under other names


def _mapped(path: Path, *columns: str) -> tuple[list[Chunk], Notes]:
    notes = Notes()
    return list(read_ready(path, notes, corpus_choices(columns=columns))), notes


def test_a_column_map_says_where_each_field_is(tmp_path: Path) -> None:
    """Fields that it does not name keep their own names; a path with dots leads inside."""
    row = {"uid": "c1", "body": "x", "meta": {"page": "p"}, "title": "T", "team": "red"}
    path = _jsonl(tmp_path / "c.jsonl", row)
    columns = "chunk_id=uid,text=body", "doc_id=meta.page", "attributes.tenant=team"
    chunks, notes = _mapped(path, *columns)

    assert [_chunk("c1", "x", doc_id="p", title="T", attributes={"tenant": "red"})] == chunks
    assert [] == notes.warnings


def test_a_column_map_works_on_cells(tmp_path: Path) -> None:
    """And a name with a dot in it is that column, not a path."""
    path = tmp_path / "c.csv"
    path.write_text("n,meta.page,content\n007,p,body\n")

    assert [_chunk("007", doc_id="p")] == (
        _mapped(path, "chunk_id=n,text=content,doc_id=meta.page")[0]
    )


def test_a_column_that_is_nowhere_is_refused(tmp_path: Path) -> None:
    """Naming those that there are; one that some records lack is empty there."""
    path = _jsonl(
        tmp_path / "c.jsonl", {"id": "a", "text": "x", "t": "T"}, {"id": "b", "text": "y"}
    )

    assert ["T", ""] == [chunk.title for chunk in _mapped(path, "title=t")[0]]
    with pytest.raises(InputError, match=r"no record has 'tt'.* The first record has id, text, t"):
        _mapped(path, "title=tt")


def test_source_rules_hold_for_ready_chunks(tmp_path: Path) -> None:
    """By their document; a source of their own stays where no rule fits."""
    rows = [
        {"id": "a", "doc_id": "hr/leave.md", "text": "x", "source": "files"},
        {"id": "b", "doc_id": "it.md", "text": "y", "source": "files"},
    ]
    notes = Notes()
    reading = corpus_choices(source_rules=["hr/*=handbook"])
    chunks = list(read_ready(_jsonl(tmp_path / "c.jsonl", *rows), notes, reading))

    assert ["handbook", "files"] == [chunk.source for chunk in chunks]


@pytest.mark.parametrize("as_text", [False, True])
def test_a_llama_index_docstore_gives_its_nodes(tmp_path: Path, *, as_text: bool) -> None:
    """Each in its envelope; the whole documents beside them are no chunks."""
    node = {
        "id_": "n1",
        "metadata": {"file_name": "d.md"},
        "relationships": {"1": {"node_id": "doc-1"}},
        "text": "body",
        "class_name": "TextNode",
    }
    document = {"id_": "doc-1", "text_resource": {"text": "all"}, "class_name": "Document"}
    store = {
        "docstore/metadata": {"n1": {"doc_hash": "x"}},
        "docstore/data": {
            data["id_"]: {"__data__": json.dumps(data) if as_text else data, "__type__": "1"}
            for data in (node, document)
        },
    }
    path = tmp_path / "docstore.json"
    path.write_text(json.dumps(store))
    chunks, notes = _read(path)

    assert [_chunk("n1", doc_id="doc-1", attributes={"file_name": "d.md"})] == chunks
    assert ["1 whole document beside the nodes set aside"] == notes.warnings


def test_a_docstore_without_nodes_is_refused(tmp_path: Path) -> None:
    """Whole documents were not cut, and are not cut here."""
    document = {"__data__": {"id_": "d", "text": "all", "class_name": "Document"}}
    message = _refused(_jsonl(tmp_path / "c.json", {"docstore/data": {"d": document}}))

    assert "holds whole documents and no nodes" in message


def test_a_llama_index_labelled_set_gives_its_corpus(tmp_path: Path) -> None:
    """Texts by node id; its queries are imported elsewhere."""
    labelled = {"queries": {"q": "?"}, "corpus": {"n1": "body"}, "relevant_docs": {"q": ["n1"]}}

    assert [_chunk("n1")] == _read(_jsonl(tmp_path / "c.json", labelled))[0]


def test_the_parts_of_a_newer_node_are_read(tmp_path: Path) -> None:
    """Its text stands in a resource."""
    node = {"id_": "n", "text_resource": {"text": "body"}, "class_name": "Node"}

    assert [_chunk("n")] == _read(_jsonl(tmp_path / "c.jsonl", node))[0]
