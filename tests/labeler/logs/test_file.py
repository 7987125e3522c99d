"""Bytes into numbered lines: packing, encodings, line ends, and lines that are too long."""

import gzip
from pathlib import Path

import pyarrow
import pytest

from evaluator import InputError
from labeler.logs.file import BLOCK, LINE_LIMIT, PROBLEMS_LISTED, Findings, LogFile, open_log

NORWEGIAN = "blåbærsyltetøy\nnæringsmiddel\nå være mor\nhøyesterett\n"
ZSTD = pyarrow.compress(NORWEGIAN.encode(), "zstd", asbytes=True)


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "log.txt"
    path.write_bytes(content)
    return path


def lines(file: LogFile) -> tuple[list[tuple[int, str]], Findings]:
    findings = Findings()
    return list(file.lines(findings)), findings


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (NORWEGIAN.encode(), "utf-8-sig"),
        (NORWEGIAN.encode("utf-8-sig"), "utf-8-sig"),
        (b"\xfe\xff" + NORWEGIAN.encode("utf-16-be"), "utf-16"),
        (NORWEGIAN.encode("utf-32"), "utf-32"),
        (NORWEGIAN.encode("cp1252"), "cp1252"),
        (gzip.compress(NORWEGIAN.encode()), "utf-8-sig"),
        (ZSTD, "utf-8-sig"),
        (b"\x50\x2a\x4d\x18\x02\0\0\0ab" + ZSTD, "utf-8-sig"),
    ],
    ids=["no mark", "mark", "UTF-16", "UTF-32", "cp1252", "gzip", "zstd", "pzstd"],
)
def test_the_text_is_the_same_in_every_encoding(
    tmp_path: Path, content: bytes, encoding: str
) -> None:
    """A byte order mark or the bytes themselves say what the encoding and the packing is."""
    file = open_log(written(tmp_path, content))
    assert encoding == file.encoding
    assert list(enumerate(NORWEGIAN.splitlines(), 1)) == lines(file)[0]
    guessed = encoding == "cp1252"
    assert guessed == any("Read as cp1252" in note and "--encoding" in note for note in file.notes)


def test_a_named_encoding_is_used(tmp_path: Path) -> None:
    """A name settles it; a name that is none is refused."""
    path = written(tmp_path, "пароль\n".encode("koi8-r"))
    assert [(1, "пароль")] == lines(open_log(path, encoding="koi8-r"))[0]
    with pytest.raises(InputError, match="no encoding 'koi9'"):
        open_log(path, encoding="koi9")


def test_utf16_without_a_mark_is_found(tmp_path: Path) -> None:
    """Bytes that are half zeros are no UTF-8, although each of them would be valid there."""
    path = written(tmp_path, "query,count\npassword reset,3\nleave,1\n".encode("utf-16-le"))
    assert (2, "password reset,3") in lines(open_log(path))[0]


def test_a_few_broken_bytes_do_not_spoil_the_rest(tmp_path: Path) -> None:
    """Where most lines are UTF-8, those that are not are reported, not read as something else."""
    content = NORWEGIAN.encode() + b"caf\xe9\n" + "strøm \ufffd\n".encode()
    read, findings = lines(open_log(written(tmp_path, content)))
    assert [1, 2, 3, 4, 6] == [number for number, _ in read]
    assert [(5, "caf\ufffd")] == [(p.line, p.text) for p in findings.problems]
    damaged = ("日本語\r" * 20).encode() + b"caf\xe9\r"
    assert "utf-8-sig" == open_log(written(tmp_path, damaged)).encoding


@pytest.mark.parametrize("end", ["\r", ""], ids=["CR", "one line"])
def test_a_block_may_end_within_a_character(tmp_path: Path, end: str) -> None:
    """Nothing is guessed where lines are longer than a block, or end in CR alone."""
    content = ("日本語" * 10 + end).encode() * (2 * BLOCK // 90)
    file = open_log(written(tmp_path, content))
    assert ("utf-8-sig", False, ()) == (file.encoding, file.damaged, file.notes)


def test_a_whole_text_may_be_one_long_line(tmp_path: Path) -> None:
    """Only lines that are read one by one are cut off."""
    text = "日本語" * (BLOCK // 4)
    assert text == open_log(written(tmp_path, text.encode())).whole(len(text))
    with pytest.raises(InputError, match="JSON document of more than 9 characters"):
        open_log(written(tmp_path, text.encode())).whole(9)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False], ids=["closed", "open"])
def test_lines_end_as_on_any_system(tmp_path: Path, end: str, last: bool) -> None:
    """The three line ends are read alike, and the last line may do without."""
    content = end.join(["one", "", "two\u2028three"]) + (end if last else "")
    read, findings = lines(open_log(written(tmp_path, content.encode())))
    assert [(1, "one"), (2, ""), (3, "two\u2028three")] == read
    assert 3 == findings.lines


def test_a_line_of_five_megabytes_is_reported(tmp_path: Path) -> None:
    """It is cut off and listed with the limit, and the lines around it are read."""
    content = b"one\n" + b"x" * 5_000_000 + b"\ntwo\n" + b"y" * 5_000_000
    read, findings = lines(open_log(written(tmp_path, content)))
    assert [(1, "one"), (3, "two")] == read
    assert [2, 4] == [problem.line for problem in findings.problems]
    assert f"{LINE_LIMIT:,} characters" in findings.problems[0].reason
    assert len(findings.problems[0].text) < 1000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04" + bytes(100), "workbook"),
        (bytes(range(256)) * 20, "not text"),
        (gzip.compress(NORWEGIAN.encode())[:-20], "cannot be read to its end"),
        (ZSTD[:-10], "cannot be read to its end"),
    ],
    ids=["empty", "workbook", "binary", "half a gzip", "half a zstd"],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    """What the file is; of half a packed log nobody knows what the other half held."""
    with pytest.raises(InputError, match=message):
        open_log(written(tmp_path, content))
    with pytest.raises(InputError, match="is not a file"):
        open_log(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        open_log(tmp_path / "none.csv")


def test_a_file_that_changes_is_noticed(tmp_path: Path) -> None:
    """The digest must be that of the lines which were counted."""
    path = written(tmp_path, b"one\n")
    file = open_log(path)
    file.check_unchanged()
    path.write_bytes(b"one\ntwo\n")
    with pytest.raises(InputError, match="changed while it was read"):
        file.check_unchanged()


def test_progress_goes_from_nothing_to_all(tmp_path: Path) -> None:
    """It counts bytes over both passes and never goes back."""
    seen: list[tuple[int, int]] = []
    path = written(tmp_path, b"a line of a log\n" * 300_000)
    file = open_log(path, progress=lambda *at: seen.append(at))
    list(file.lines(Findings(), lambda *at: seen.append(at)))
    assert sorted(seen) == seen
    assert {2 * file.size} == {total for _, total in seen}
    assert seen[-1][0] == seen[-1][1]


def test_the_list_of_problems_has_an_end_and_the_count_has_none() -> None:
    """A log of nothing but broken lines is counted in full and listed in part."""
    findings = Findings()
    for line in range(PROBLEMS_LISTED + 5):
        findings.report(line, "broken", "")
    assert PROBLEMS_LISTED == len(findings.problems)
    assert PROBLEMS_LISTED + 5 == findings.counts["broken"]
