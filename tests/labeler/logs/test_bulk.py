"""The fast way of reading a log against the careful one: the same from every file."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluator import InputError
from labeler.logs import blocks
from labeler.logs import cells as logcells
from labeler.logs import file as logfile
from labeler.logs import findings as logfindings
from labeler.logs import lines as loglines
from labeler.logs import read as querylog
from labeler.logs.read import LogReading, read_log

NEVER = 1 << 60
HEADERS = ("query", "id,query", "timestamp,query,count", "query;user;action_name", "q\tn\ttime")
PIECES = (
    *("vpn", "VPN", "vpn ", " vpn", "sick  leave", "é", "日本", "\u3000", "\u200b", "\ufeff", ""),
    *('"', '""', '"a"', '"a,b"', '5"', '"x" y', '"open', ' "', "\x00", "\x01", "\u2028", "\x85"),
    *("query", "Query", "QUERY", "count", "id", "null", "NA", "007", "1", "0", "12", "-1", "1.5"),
    *("2026-01-02", "2026-01-02T03:04:05Z", "2026-01-03", "03/04/2026", "1767225600", "click"),
    *(",", ",,", ";", "\t", "|", "\n", "\n\n", "\r\n", "\r", "id,query\n", "\ufffd", "9.9E+22"),
    *("a@b.no", "tlf 22855050", "+47 22 85 50 50", "9" * 14, "ﬁle №5", "İ"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log")


def outcome(path: Path, **options: object) -> object:
    """All that comes of reading a log, be it an error."""
    try:
        reading: LogReading = read_log(path, **options)  # type: ignore[arg-type]
    except InputError as error:
        return str(error)
    return tuple(reading.queries), reading.record, reading.problems


def both(path: Path, *, block: int, **options: object) -> tuple[object, object]:
    """What comes of reading a log with care, and of reading it fast in blocks of some size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", block)  # of both: encodings are guessed by blocks
        patch.setattr(blocks, "PROBE", 7)
        patch.setattr(querylog, "BULK_FROM", NEVER)
        careful = outcome(path, **options)
        patch.setattr(querylog, "BULK_FROM", 0)
        patch.setattr(querylog, "TEXTS_IN_MEMORY", 3)  # also of logs that come row by row
        fast = outcome(path, **options)
    return careful, fast


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, bytes]:
    """A log that is like a table, with anything in its cells, as a name and bytes."""
    header = draw(st.sampled_from(HEADERS))
    delimiter = next((sign for sign in ",;\t" if sign in header), ",")
    width = header.count(delimiter) + 1
    cell = st.one_of(
        st.sampled_from(PIECES), st.lists(st.sampled_from(PIECES), max_size=3).map("".join)
    )
    rows = draw(
        st.lists(st.lists(cell, min_size=width, max_size=width).map(delimiter.join), max_size=12)
    )
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = end.join([header, *rows]) + draw(st.sampled_from(["", end]))
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    content = text.encode(encoding, "replace")
    if draw(st.booleans()):
        at = draw(st.integers(0, len(content)))
        content = content[:at] + draw(st.sampled_from([b"\xff", b"\xc3", b"\xe9\n"])) + content[at:]
    return "log.csv", content


FEW = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))


@FEW
@given(tables(), st.integers(1, 200), st.booleans())
def test_a_table_is_read_alike(
    folder: Path, log: tuple[str, bytes], block: int, normalise: bool
) -> None:
    """Queries, counts, variants, window, notes and every reported line are the same."""
    path = folder / log[0]
    path.write_bytes(log[1])
    careful, fast = both(path, block=block, normalise=normalise)
    assert careful == fast


@FEW
@given(
    st.lists(st.lists(st.sampled_from(PIECES), max_size=3).map("".join), max_size=12),
    st.integers(1, 100),
    st.sampled_from(["drop", "mask", "keep"]),
)
def test_plain_lines_are_read_alike(
    folder: Path, lines: list[str], block: int, private: str
) -> None:
    """Where every line is a query quotes are letters, and so it is with private data masked."""
    path = folder / "log.txt"
    path.write_bytes("\n".join(lines).encode())
    careful, fast = both(path, block=block, private=private)
    assert careful == fast


def nasty_lines(seed: int) -> Iterator[str]:
    """Lines of a long log in which something is wrong here and there."""
    order = random.Random(seed)
    yield "timestamp,session,query"
    for at in range(order.choice([3_000, 6_000])):
        query = f"{order.choice(['vpn', 'Leave', 'sick  pay', 'naïve', ' x'])} {at % 97}"
        kind = order.random()
        if kind < 0.02:
            query = order.choice(['"two, cells"', '"open', '5" pipe', '"a" b', '"two\nlines"'])
        elif kind < 0.04:
            query = order.choice(["", " ", "\u3000", "\u200b", "query", "too,many", "x" * 3_000])
        elif kind < 0.05:
            query = order.choice(["timestamp,session,query", "\ufefftimestamp,session,query"])
        yield f"2026-01-{at % 28 + 1:02d}T00:00:00Z,s{at},{query}"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("change", [str, lambda text: text.replace("\n", "\r\n")])
def test_a_long_log_with_trouble_is_read_alike(
    tmp_path: Path, seed: int, change: Callable[[str], str]
) -> None:
    """Also where problems are more than are listed, and lines longer than they may be."""
    path = tmp_path / "log.csv"
    path.write_bytes(change("\n".join(nasty_lines(seed))).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logfindings, "PROBLEMS_LISTED", 20)
        patch.setattr(querylog, "PROBLEMS_LISTED", 20)
        for module in (logfile, loglines, logcells):
            patch.setattr(module, "LINE_LIMIT", 2_000)
        careful, fast = both(path, block=10_000)
        assert careful == fast
        assert isinstance(fast, tuple)
        assert 20 == len(fast[2])


@pytest.mark.parametrize("quoted", ["every", "some"])
def test_quoted_cells_are_read_many_at_once(tmp_path: Path, quoted: str) -> None:
    """A log that was written with quotes around all cells is as good as one without."""
    path = tmp_path / "log.csv"
    rows = (
        f'"{at}","say ""hi"", {at % 7}"' if quoted == "every" or at % 3 else f"{at},vpn"
        for at in range(2_000)
    )
    path.write_text('"id","query"\n' + "\n".join(rows) + "\n", encoding="utf-8")
    careful, fast = both(path, block=5_000)
    assert careful == fast
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(querylog, "BULK_FROM", 0)
        patch.setattr(logcells, "split_cells", lambda *_: pytest.fail("read one by one"))
        assert 2_000 == read_log(path).record["searches"]


@pytest.mark.parametrize("first", ["\ufeffvpn,1", '\ufeff"a, b",1', "\ufeff,1", "\ufeffquery,id"])
@pytest.mark.parametrize("before", ["", '5" pipe,2\n', "x" * 50 + ",2\n"])
def test_a_mark_within_a_log_is_read_alike(tmp_path: Path, before: str, first: str) -> None:
    """A byte order mark is neither lost nor added where blocks, or lines read at once, begin."""
    path = tmp_path / "log.csv"
    rows = f"{before}{first}\n\ufeff\ufeffleave,3\nvpn,4\nsick\ufeff leave,5\n"
    path.write_text("query,id\n" + rows * 3, encoding="utf-8")
    for block in (1, 10, 30, 60, 1_000):
        careful, fast = both(path, block=block)
        assert careful == fast
