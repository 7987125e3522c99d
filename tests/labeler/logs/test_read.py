"""Query logs as people have them, and the distinct queries that come out."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import InputError
from labeler.logs import file as logfile
from labeler.logs.columns import Shape
from labeler.logs.group import normalised
from labeler.logs.read import LogReading, read_log

NULL_WORDS = ("null", "NULL", "N/A", "nan", "<NA>", "inf", "true", "1e5", "-", "007", "=1+1", "0")
WEST, EAST = "2026-01-01T20:00:00-05:00", "2026-01-02T01:00:00+09:00"


def read(
    tmp_path: Path, text: str, *, name: str = "log.csv", normalise: bool = True, **said: str
) -> LogReading:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return read_log(path, Shape(**said), normalise=normalise)  # type: ignore[arg-type]


def counts(reading: LogReading) -> Mapping[str, int]:
    return {query.text: query.count for query in reading.queries}


def problems(reading: LogReading) -> list[tuple[int, str]]:
    return [(problem.line, problem.reason) for problem in reading.problems]


def test_words_for_missing_values_are_queries(tmp_path: Path) -> None:
    """What other readers take for a missing value or a number stays the text it is."""
    text = "query,count\n" + "".join(f"{q},{n}\n" for n, q in enumerate(NULL_WORDS, 1))
    reading = read(tmp_path, text, normalise=False)
    assert {query: n for n, query in enumerate(NULL_WORDS, 1)} == counts(reading)


def test_spellings_are_grouped_and_kept(tmp_path: Path) -> None:
    """The most frequent spelling is shown, and each one keeps its count."""
    text = "query,count\nnull,1\nNULL,2\nNull,3\n  null ,0\n"
    (query,) = read(tmp_path, text).queries
    assert ("null", "Null", 6) == (query.query, query.text, query.count)
    assert (("Null", 3), ("NULL", 2), ("null", 1), ("  null ", 0)) == query.variants
    apart = read(tmp_path, text, normalise=False)
    assert (4, "none") == (len(apart.queries), apart.record["normalising"])
    assert "case folded" in read(tmp_path, text).record["normalising"]


@pytest.mark.parametrize("name", ["log.csv", "log.jsonl", "log.txt"])
def test_a_query_with_a_nul_is_a_broken_line(name: str, tmp_path: Path) -> None:
    """Imports and files of judgements take none, so nobody is asked to judge one."""
    texts = ["query", "a\0b", *["leave"] * 40]
    lines = [json.dumps({"query": text}) for text in texts] if name == "log.jsonl" else texts
    reading = read(tmp_path, "\n".join(lines) + "\n", name=name)
    assert 40 == counts(reading)["leave"]
    assert [(2, "the query holds a NUL character, which no text may hold")] == problems(reading)
    assert 1 == reading.record["broken"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("  Sick\u00a0 leave\t", "sick leave"),
        ("Straße", "strasse"),
        ("ﬁle №5", "file no5"),
        ("cafe\u0301", "café"),
        ("line one\nline two", "line one line two"),
    ],
)
def test_normalising_is_what_its_rule_says(text: str, key: str) -> None:
    """NFKC, case folding, white space; nothing is stemmed, corrected or left out."""
    assert key == normalised(text)


@given(st.text(max_size=20))
def test_a_key_is_its_own_key(text: str) -> None:
    """Normalising twice changes nothing, so that keys can be read back as queries."""
    assert normalised(text) == normalised(normalised(text))


def test_blank_queries_are_reported(tmp_path: Path) -> None:
    """Nothing, blanks, and characters without a shape are left out with their line and count."""
    text = "query,count\nvpn,1\n,4\n   ,2\n\u200b\ufeff,3\n\u00a0\u3164\u2800\ufe0f,1\n\n"
    reading = read(tmp_path, text)
    assert {"vpn": 1} == counts(reading)
    assert [3, 4, 5, 6, 7] == [line for line, _ in problems(reading)]
    assert "the query is blank (count '4')" == problems(reading)[0][1]
    assert (5, 10) == (reading.record["blank"], reading.record["blank_searches"])


@pytest.mark.parametrize("mark", [",", " ", "'", "\u00a0", "\u202f"])
def test_counts_written_for_people_are_read(tmp_path: Path, mark: str) -> None:
    """With one mark between all thousands of the column, and a word on it; never with two marks."""
    text = f'query,count\nvpn,"1{mark}234"\nleave,"2{mark}500{mark}000"\npay,7\n'
    reading = read(tmp_path, text)
    assert {"vpn": 1234, "leave": 2_500_000, "pay": 7} == counts(reading)
    assert any("2 lines (first: line 2): a count written" in n for n in reading.record["notes"])
    other = "'" if mark == "," else ","
    with pytest.raises(InputError, match="written in several ways"):
        read(tmp_path, text + f'x,"3{other}000"\n')


@pytest.mark.parametrize(
    "count", ["-1", "1.5", "1.000", "1,00", "0,123", "1.2K", "x", "", "²", "9" * 5000]
)
def test_a_count_is_a_whole_number(tmp_path: Path, count: str) -> None:
    """Anything else is reported with its line, and the line is not counted as one search."""
    text = f'query,count\nvpn,2\nleave,"{count}"\nzero,0\nspaced, 7 \npandas,4.0\n'
    reading = read(tmp_path, text)
    assert {"vpn": 2, "zero": 0, "spaced": 7, "pandas": 4} == counts(reading)
    assert [3] == [line for line, _ in problems(reading)]
    assert 1 == reading.record["broken"]


@pytest.mark.parametrize(
    "header",
    [
        "timestamp,session,query,results",
        "Search String,search string cleaned,active tab",
        "Top queries,Clicks",
        '"query","id"',
        "\ufeffid,query",
    ],
)
def test_a_column_of_queries_is_recognised(tmp_path: Path, header: str) -> None:
    """One column with a name that people give to queries is taken, and named in the record."""
    reading = read(tmp_path, header + "\nvpn" + ",vpn" * header.count(",") + "\n")
    assert {"vpn": 1} == counts(reading)
    assert reading.record["columns"]["query"] in header


@pytest.mark.parametrize(
    ("header", "options", "message"),
    [
        ("q1,one,1", {}, "no column that is known to hold queries"),
        ("id,words,count", {}, "'id', 'words', 'count'"),
        ("query,query,count", {}, "2 columns that may hold the queries"),
        ("query,user query,count", {}, "--query-column"),
        ("query,count,views", {}, "2 columns that may hold the counts"),
        ("a,a,b", {"query_column": "a"}, "2 columns called 'a'"),
        ("query,count", {"query_column": "qeury"}, "Did you mean 'query'"),
        ("query,total", {"count_column": "searches"}, "no column 'searches'"),
        ("search,5,x", {}, "looks like data"),
        ("query,2026-01-05T09:00:00Z", {}, "looks like data"),
        ('"query", "count"', {}, "blanks before a quote"),
    ],
)
def test_a_doubtful_header_is_refused(
    tmp_path: Path, header: str, options: dict[str, str], message: str
) -> None:
    """Missing, repeated and ambiguous columns are listed with the option that decides."""
    with pytest.raises(InputError, match=message):
        read(tmp_path, header + "\n1" + ",1" * header.count(",") + "\n", **options)


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (
            "month,n,words,query\n1,5,vpn,x\n2,6,vpn,y\n2,1,Leave,z\n",
            {"query_column": "words", "count_column": "n"},
            {"vpn": 11, "Leave": 1},
        ),
        ("query,views\nvpn,100\nvpn,3\n", {}, {"vpn": 103}),
        ("query,views\nvpn,100\nvpn,3\n", {"count_column": ""}, {"vpn": 2}),
        ("a;b,query,c;d\n1,vpn,2\n", {"delimiter": ","}, {"vpn": 1}),
        ("sep=;\nquery;n,m\na,b;1\n", {}, {"a,b": 1}),
        (
            'query\nred, green\n"quoted, whole"\n5" pipe\n',
            {},
            {"red, green": 1, "quoted, whole": 1, '5" pipe': 1},
        ),
        ("user_query,action_name\nvpn,\nvpn,click\n", {}, {"vpn": 1}),
        ("vpn\nred, green\nVPN\nNA\n", {"name": "a.txt"}, {"VPN": 2, "red, green": 1, "NA": 1}),
        ("time\tquery\n2026-01-01\tvpn\n", {"name": "a.txt"}, {"vpn": 1}),
    ],
)
def test_the_searches_of_a_log_are_read(
    tmp_path: Path, text: str, options: dict[str, str], expected: dict[str, int]
) -> None:
    """A name decides, whatever else there is; what is in a cell is a text and nothing more."""
    reading = read(tmp_path, text, **options)
    assert expected == dict(counts(reading))
    layout = "plain lines" if "red, green\nVPN" in text else "table"
    assert layout == reading.record["layout"]


@pytest.mark.parametrize(
    ("delimiter", "query"),
    [(",", "a;b|c"), (";", "red, green"), ("|", "a;b"), ("\t", "a,b;c")],
)
def test_the_delimiter_is_detected_and_said(tmp_path: Path, delimiter: str, query: str) -> None:
    """The header decides; the other delimiters are letters."""
    text = f"id{delimiter}query{delimiter}count\n1{delimiter}{query}{delimiter}50\n"
    reading = read(tmp_path, text)
    assert {query: 50} == counts(reading)
    assert delimiter == reading.record["delimiter"]
    assert any("separated by" in note for note in reading.record["notes"])


def test_a_repeated_header_is_not_a_query(tmp_path: Path) -> None:
    """Logs that were put one after the other bring their headers along, marks included."""
    again = ["id,query", "\ufeffid,query", "ID,Query", '"id","query"']
    reading = read(tmp_path, "\n".join(["id,query", "1,one", *again, "3,query"]))
    assert {"one": 1, "query": 1} == counts(reading)
    assert [(line, "the header again") for line in (3, 4, 5, 6)] == problems(reading)


@pytest.mark.parametrize(
    ("times", "window"),
    [
        (["2026-02-01", "1767225600"], ("2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00")),
        ([WEST, EAST], (EAST, WEST)),
        (["03/04/2026"], (None, None)),
    ],
    ids=["any ISO spelling", "zones count", "day or month"],
)
def test_the_window_is_found(
    tmp_path: Path, times: list[str], window: tuple[str | None, str | None]
) -> None:
    """The first and last time; one that could mean different days is not read, and said."""
    record = read(tmp_path, "timestamp,query\n" + "".join(f"{time},vpn\n" for time in times)).record
    assert window == (record["first_at"], record["last_at"])
    assert (window[0] is None) == any("03/04/2026" in note for note in record["notes"])


def test_numbers_rounded_by_a_spreadsheet_are_noted(tmp_path: Path) -> None:
    """They are kept, since somebody may have searched for them, and their number is said."""
    reading = read(tmp_path, "query,count\n9.99E+22,500\n1e5,2\n")
    assert {"9.99E+22": 500, "1e5": 2} == counts(reading)
    assert any("500 searches" in note for note in reading.record["notes"])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("log.csv", "query\nvpn,3\nleave,2\n", "names one column"),
        ("log.txt", "2026-01-01\tvpn\n2026-01-02\tleave\n", "one query a line"),
        ("log.log", '::1 - - [x] "GET /search?q=vpn HTTP/1.1" 200 5\n', "web server"),
        ("log.dat", "vpn\nleave\n", "does not say what it is"),
        ("log.csv", "query,count\n", "holds no query"),
        ("log.csv", "query,count\n,3\nvpn,x\n", "1 blank"),
        ("log.txt", "\n \n", "holds no line of text"),
    ],
)
def test_a_file_that_is_something_else_is_refused(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    """What would pass as strange queries, and what holds none, is refused with a reason."""
    with pytest.raises(InputError, match=message):
        read(tmp_path, text, name=name)


def test_the_record_names_the_file_and_what_was_left_out(tmp_path: Path) -> None:
    """It holds what is frozen with the labels: digest, columns, and counts of everything."""
    record = read(tmp_path, "id,query,count\n1,vpn,2\n2,,1\n3,few\nid,query,count\n").record
    numbers = {"lines": 5, "searches": 2, "distinct": 1, "blank": 1, "broken": 1, "events": 0}
    columns = {"query": "query", "count": "count", "time": None}
    expected = {"file": "log.csv", "repeated_headers": 1, "columns": columns} | numbers
    assert expected.items() <= record.items()
    assert 64 == len(record["sha256"])
    json.dumps(record)


def test_a_log_without_any_query_names_the_columns(tmp_path: Path) -> None:
    """The likeliest reason is that the wrong ones were read, and the options are at hand."""
    with pytest.raises(InputError) as error:
        read(tmp_path, "query,hits\nvpn,many\nleave,few\n", count_column="hits")
    for part in (
        "2 broken",
        "Line 2: the count 'many' is not a whole number",
        "looked for in 'query'; --query-column names another",
        "'hits'; --count-column names another, and --count-column \"\"",
    ):
        assert part in str(error.value)


PIECES = (
    *("vpn", "VPN ", "é", "日本", "\u3000", "\ufeff", "", '"', '"a,b"', '5"', '"x" y', '"open'),
    *("query", "12", "-1", "2026-01-02", ",", ",,", "\n", "\r\n", "\r", "query,count\n", "a@b.no"),
)
cells = st.lists(st.sampled_from(PIECES), max_size=3).map("".join)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(cells, cells), max_size=8),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    st.integers(1, 40),
)
def test_it_does_not_matter_where_blocks_end(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], encoding: str, block: int
) -> None:
    """Queries, record and every reported line are the same, whatever lies across two blocks."""
    path = tmp_path_factory.mktemp("log") / "log.csv"
    lines = ["query,count", "vpn,1", *map(",".join, rows)]
    path.write_bytes("\n".join(lines).encode(encoding, "replace"))

    def outcome(size: int) -> object:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(logfile, "BLOCK", size)
            reading = read_log(path, Shape(encoding=encoding), private="mask")
        return tuple(reading.queries), reading.record, reading.problems

    assert outcome(1 << 20) == outcome(block)
