"""Records of cells: quotes that mean something, quotes that do not, and quotes left open."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.logs.delimited import MOST_LINES_IN_A_CELL, Records, split_cells
from labeler.logs.file import Findings

texts = st.text(st.sampled_from('ab ,;"\n\té'), max_size=8)


def records(
    *lines: str, width: int = 3, delimiter: str | None = ",", certain: bool = True
) -> tuple[list[tuple[int, list[str]]], Findings]:
    """The records of some lines whose last cell is a count, and what was found on the way."""
    findings = Findings()
    numbered = iter(list(enumerate(lines, 1)))

    def is_row(cells: list[str]) -> bool:
        return not certain or cells[-1].isdecimal()

    read = Records(numbered, delimiter, width, is_row, certain, findings)
    return list(read), findings


def reported(findings: Findings) -> list[int]:
    return [problem.line for problem in findings.problems]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b", (["a", "b"], None)),
        ('"a,b",c', (["a,b", "c"], None)),
        ('"a ""b""",c', (['a "b"', "c"], None)),
        ('""""""', (['""'], None)),
        ('"",', (["", ""], None)),
        ('5" pipe,19" rack "2U"', (['5" pipe', '19" rack "2U"'], None)),
        (' "a,b"', ([' "a', 'b"'], None)),
        ('"climate change" norway,3', (['"climate change" norway', "3"], "closed early")),
        ('"1","a "b" c","2"', (["1", '"a "b" c"', "2"], "closed early")),
        ('"ends open,6', (['"ends open', "6"], "open")),
    ],
)
def test_quotes_open_a_cell_only_at_its_start(
    text: str, expected: tuple[list[str], str | None]
) -> None:
    """A quote within a cell is a letter; a quoted cell ends where its quote is closed."""
    assert expected == split_cells(text, ",")


@given(st.lists(st.lists(texts, min_size=3, max_size=3), min_size=1, max_size=6))
def test_what_the_standard_library_writes_is_read_back(rows: list[list[str]]) -> None:
    """Fully quoted records are read as they were written, line breaks included."""
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    read, _ = records(*out.getvalue().removesuffix("\n").split("\n"), certain=False)
    assert rows == [cells for _, cells in read]


def test_a_quoted_cell_goes_on_over_lines() -> None:
    """A line break inside quotes belongs to the cell, and the next record keeps its number."""
    read, findings = records('a,"one', "", 'two, three",3', "b,four,4")
    assert [(1, ["a", "one\n\ntwo, three", "3"]), (4, ["b", "four", "4"])] == read
    assert [] == reported(findings)


@pytest.mark.parametrize(
    ("after", "bad"),
    [
        (["b,two,2", "c,three,3"], [1]),
        (["b,two,2", 'c,"three, four",3'], [1]),
        (["b,two,2", 'c,"say ""hi""",3', "d,five,5"], [1]),
        (["b,two,2", 'c,5",3'], [1]),
        (['b,5",2', "c,three,3"], [1]),
        (["b,two,2", 'c,"",3'], [1]),
        (["b,two,2", 'c,"open too,3', "d,four,4"], [1, 3]),
        ([f"b,two,{n}" for n in range(3 * MOST_LINES_IN_A_CELL)], [1]),
    ],
    ids=["never", "quoted cell", "doubled", "inches", "next line", "empty", "two", "limit"],
)
def test_an_open_quote_costs_its_own_line_only(after: list[str], bad: list[int]) -> None:
    """A quote that is never closed is reported, and the lines after it are read."""
    read, findings = records('a,"ends open,1', *after)
    assert bad == reported(findings)
    kept = [number for number in range(1, 2 + len(after)) if number not in bad]
    assert kept == [number for number, _ in read]


def test_a_doubtful_quote_is_remarked_on_where_nothing_decides() -> None:
    """Without counts or times the rules of the format decide, and the doubt is said."""
    read, findings = records('a,"open,x', "b,two,y", 'c,5",z', certain=False)
    assert [(1, ["a", "open,x\nb,two,y\nc,5", "z"])] == read
    (remark,) = findings.remarks()
    assert remark.startswith("1 line (first: line 1): a quoted cell runs over lines")


def test_many_lines_that_look_like_records_are_records() -> None:
    """What could be chance in three lines is none in more, even without counts or times."""
    rows = [f"b,two,{letter}" for letter in "abcdefgh"]
    read, findings = records('a,"open,x', *rows, 'c,5",z', certain=False)
    assert [1] == reported(findings)
    assert len(rows) + 1 == len(read)


def test_uneven_records_are_reported() -> None:
    """Too many cells, too few, and an empty line are left out and listed."""
    read, findings = records("a,one,1", "b,too,many,2", "c,few", "", 'd,"x\ny",3,4')
    assert [2, 3, 4, 5] == reported(findings)
    assert [1] == [number for number, _ in read]
    assert 1 == findings.counts["blank"]


def test_text_after_a_closing_quote_is_kept_as_it_stands() -> None:
    """Phrases in quotes that nobody escaped are queries with their quotes, and remarked on."""
    read, findings = records('a,"climate change" norway,1', 'b,"x" "y, z",2')
    assert [(1, ["a", '"climate change" norway', "1"])] == read
    assert [2] == reported(findings)
    assert 1 == len(findings.remarks())


def test_one_column_is_not_split() -> None:
    """Without a delimiter a line is one cell, and quotes around all of it are taken off."""
    read, _ = records("red, green", '"one, ""two"""', width=1, delimiter=None)
    assert [["red, green"], ['one, "two"']] == [cells for _, cells in read]
