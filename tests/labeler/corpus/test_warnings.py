"""What is said about chunks before anybody judges them."""

import pytest

from evaluator import InputError
from evaluator.snapshot.chunk import Chunk
from labeler.corpus.warnings import Scan, starts_with_own_header


def _chunk(
    text: str, *, title: str = "", headings: tuple[str, ...] = (), chunk_id: str = "a"
) -> Chunk:
    return Chunk(chunk_id, "d", text, title, headings, "", {})


def _warnings(*chunks: Chunk) -> list[str]:
    scan = Scan()
    assert list(chunks) == list(scan.watch(chunks))
    return scan.warnings()


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (True, "Parental leave\nTwelve weeks."),
        (True, "# parental  LEAVE\n\nTwelve weeks."),
        (True, "Parental leave: twelve weeks."),
        (True, "Leave > Parental leave\nTwelve weeks."),
        (True, "Employee handbook 2024 edition twelve weeks."),
        (True, "Employee handbook 2024 edition > Leave > Parental leave\n\nTwelve weeks."),
        (False, "Parental leave is granted."),
        (False, "Parental leavers get nothing."),
        (False, "Twelve weeks of parental leave."),
        (False, "Parental leave"),
        (False, ""),
    ],
)
def test_a_text_that_starts_with_its_own_header_is_recognised(expected: bool, text: str) -> None:
    """A short heading counts only as a label of its own, since prose may begin with it."""
    chunk = _chunk(
        text, title="Employee Handbook 2024 edition", headings=("Leave", "Parental leave")
    )

    assert expected == starts_with_own_header(chunk)


def test_headers_inside_texts_are_warned_of_with_their_share() -> None:
    """The plain arm would not be plain; told to, they are refused unless they are few."""
    carrying = [_chunk(f"T: {i}", title="T", chunk_id=f"c{i}") for i in range(3)]
    plain = [_chunk(f"body {i}", title="T", chunk_id=f"p{i}") for i in range(60)]

    assert "3 of 6 chunks with a title or headings (50%)" in _warnings(*carrying, *plain[:3])[0]
    assert [] == _warnings(*plain)
    with pytest.raises(InputError, match=r"3 of 3 chunks .* Nothing was written"):
        list(Scan(refuse_own_headers=True).watch(carrying))
    assert 61 == len(list(Scan(refuse_own_headers=True).watch([*plain, carrying[0]])))


def test_random_ids_and_equal_texts_are_warned_of() -> None:
    """The next export may make new ids; nobody can tell equal texts apart."""
    ids = ["0b8f3c1e-6c0a-4a52-9d8e-3f1d2c4b5a69", "0B8F3C1E6C0A4A529D8E3F1D2C4B5A69", "leave#1"]
    (random,) = _warnings(*(_chunk(f"t{i}", chunk_id=i) for i in ids))
    assert "2 of 3 ids look random" in random

    found = _warnings(_chunk("x"), _chunk("x"), _chunk("y"), _chunk("x"))
    assert ["2 of 4 chunks have a text that an earlier one has too: a; a"] == found


def test_chunks_that_nobody_reads_whole_are_told_of() -> None:
    """With the longest, which is where to begin."""
    chunks = [_chunk("a" * 3_000), _chunk("b" * 3_001), _chunk("c" * 9_000, chunk_id="z")]
    (warning,) = _warnings(*chunks)
    assert warning.startswith("2 of 3 chunks are longer than 3,000 characters")
    assert "the longest is z with 9,000" in warning
