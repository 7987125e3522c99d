"""A look at a log: first rows, a guess at its columns, and a question where there is none."""

import io
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labeler.logs.columns import Columns, Shape
from labeler.logs.preview import guess_columns, preview_text
from labeler.logs.read import read_log

EXPORT = """# ----------------------------------------
# Acme / All Web Site Data
# 20260101-20260131
# ----------------------------------------

Search Term,Total Unique Searches,Exits
vpn,12,1
mail a@b.no,3,2
"""
REQUEST = '::1 - - [10/Oct/2026:13:55:36 +0200] "GET /s?lang=no&q=vpn HTTP/1.1" 200 5'


def written(tmp_path: Path, text: str, name: str = "log.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_an_export_with_comments_is_a_table(tmp_path: Path) -> None:
    """Comments above the header are skipped and said; private data is masked."""
    preview = guess_columns(written(tmp_path, EXPORT))
    assert ("Search Term", "Total Unique Searches", "Exits") == preview.names
    assert (("vpn", "12", "1"), ("mail [e-mail]", "3", "2")) == preview.rows
    assert Columns("Search Term", "Total Unique Searches", None) == preview.columns
    assert "Acme / All Web Site Data" in preview.notes[0]
    assert preview.question is None
    text = preview_text(preview)
    assert "query Search Term" in text
    assert "vpn | mail [e-mail]" in text


def test_a_doubtful_header_is_a_question(tmp_path: Path) -> None:
    """There are rows and no guess, and an answer in the shape gives one."""
    path = written(tmp_path, "words,n\nvpn,3\n")
    preview = guess_columns(path)
    assert preview.columns is None
    assert "--query-column" in (preview.question or "")
    assert (("vpn", "3"),) == preview.rows
    answered = guess_columns(path, Shape(query_column="words", count_column="n"))
    assert Columns("words", "n", None) == answered.columns


def parquet() -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"query": ["vpn", None], "n": [1, 2]}), out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "layout", "rows"),
    [
        ("a.tsv", b"id\tquery\n1\tvpn, now\n", "table", [("id", "query"), ("1", "vpn, now")]),
        ("a.txt", b"vpn, now\n#metoo\n", "plain lines", [("query",), ("vpn, now",), ("#metoo",)]),
        ("a.jsonl", b'{"query": "vpn", "n": 1}\n', "JSON", [("query", "n"), ("vpn", "1")]),
        ("a.parquet", parquet(), "Parquet", [("query", "n"), ("vpn", "1"), ("", "2")]),
        (
            "a.log",
            REQUEST.encode(),
            "web server log",
            [("time", "status", "lang", "q"), ("2026-10-10T13:55:36+0200", "200", "no", "vpn")],
        ),
    ],
)
def test_every_layout_has_first_rows(
    tmp_path: Path, name: str, content: bytes, layout: str, rows: list[tuple[str, ...]]
) -> None:
    """As cells under names, whatever the file is; missing values are shown as nothing."""
    (tmp_path / name).write_bytes(content)
    preview = guess_columns(tmp_path / name)
    assert (layout, rows) == (preview.layout, [preview.names, *preview.rows])


def test_likely_parameters_come_first(tmp_path: Path) -> None:
    """Which one holds the query is asked, and shown once it is said; of two values the first."""
    path = written(tmp_path, REQUEST, "a.log")
    assert ("q", "lang") == guess_columns(path).parameters
    chosen = guess_columns(path, Shape(query_parameter="q"))
    assert "query q" in preview_text(chosen)
    preview = guess_columns(written(tmp_path, REQUEST.replace("q=vpn", "q=vpn&q=pay"), "a.log"))
    assert ("vpn", False) == (preview.rows[0][-1], "pay" in preview.rows[0])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("log.csv", "when,query,views\n2026-01-02,vpn,3\n2026-01-03,pay,2\n"),
        ("log.jsonl", '{"query": "vpn", "count": 3}\n{"query": "pay", "count": 1}\n'),
    ],
)
def test_what_is_previewed_is_what_is_read(tmp_path: Path, name: str, text: str) -> None:
    """The columns that were shown are those in the record."""
    path = written(tmp_path, text, name)
    columns = guess_columns(path).columns
    assert columns is not None
    assert asdict(columns) == read_log(path).record["columns"]
