"""Lines that can be read many at once: told quickly, and told right."""

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from labeler.logs.lines import badly_quoted_lines

CELLS = r'(?:"(?:[^"]|"")*"|[^",][^,]*)?'
COLUMNS, WHOLE = re.compile(rf"{CELLS}(?:,{CELLS})*"), re.compile(r'"(?:[^"]|"")*"|[^"].*|')

blocks = st.lists(
    st.one_of(
        st.text('",a', max_size=8),
        st.lists(
            st.sampled_from(['""', '"a"', '"a,b"', '"a""b"', '""""', "a", ""]), max_size=4
        ).map(",".join),
    ),
    min_size=1,
    max_size=5,
).map("\n".join)


@settings(max_examples=300, deadline=None)
@given(blocks, st.booleans())
@example('","\n","', True)
@example('a"",""b', True)
@example('""', True)
def test_lines_whose_quotes_do_more_than_enclose_cells(block: str, end: bool) -> None:
    """The same lines as a pattern finds by looking at each, in every block, however it ends."""
    text = block + ("\n" if end else "")
    lines = text.removesuffix("\n").split("\n")
    starts = [sum(len(line) + 1 for line in lines[:at]) for at in range(len(lines))]
    for delimiter, pattern in ((",", COLUMNS), (None, WHOLE)):
        expected = [
            start for start, line in zip(starts, lines, strict=True) if not pattern.fullmatch(line)
        ]
        assert expected == badly_quoted_lines(text.encode(), delimiter)


@settings(deadline=None)
@given(blocks)
def test_quotes_are_found_where_they_are_few(block: str) -> None:
    """The same lines, whether their quotes are many or few in all that is read at once."""
    many = block.encode() + b"\n"
    few = many + b"x" * 100_000 + b"\n"
    assert badly_quoted_lines(many, ",") == badly_quoted_lines(few, ",")
