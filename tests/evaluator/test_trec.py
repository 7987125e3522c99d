"""TREC runs and qrels: what is read is what was meant, and bad lines are named."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.trec import qrels_lines, read_qrels, read_run, read_run_and_doubt, write_run

ids = st.text(
    st.characters(exclude_categories=("Cs",)) | st.sampled_from(" \t%#\n\x85\xa0"), min_size=1
)
rankings = st.dictionaries(ids, st.floats(-100, 100), min_size=1, max_size=5).map(
    lambda scores: sorted(scores.items(), key=lambda item: -item[1])
)


def _file(folder: Path, text: str) -> Path:
    path = folder / "file.txt"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ({"q": [("a", 0.9), ("b", 0.5)]}, "q Q0 b 1 0.5 x\nq Q0 a 2 0.9 x\n"),
        ({"q": [("z", 1), ("a", 1), ("m", 1)]}, "q Q0 a 3 1 x\nq Q0 z 1 1 x\nq Q0 m 3 1 x\n"),
        (
            {"q": [("a", 0.5), ("b", 0.4)]},
            "\ufeffq\tQ0\ta\t1\t0.5\tx\r\n\r\n  \n q Q0 b 2 0.4 x \n",
        ),
        ({"q\xa01": [("a\u20281", 0.5)]}, "q\xa01 Q0 a\u20281 1 0.5 x\n"),
    ],
    ids=["by score", "ties by rank and line", "what editors leave", "other spaces in ids"],
)
def test_a_run_is_read_as_it_was_meant(
    tmp_path: Path, expected: dict[str, list[tuple[str, float]]], text: str
) -> None:
    """The score decides, then the rank column; only blanks and tabs divide columns."""
    assert expected == read_run(_file(tmp_path, text))


@pytest.mark.parametrize("ranks", ["1 2 3", "1 1 7", "1 3 2"])
def test_ranks_that_say_otherwise_than_the_scores_are_told(tmp_path: Path, ranks: str) -> None:
    """Scores decide; of distances the ranks tell that less was better."""
    lines = zip("abc", ranks.split(), (0.9, 0.8, 0.7), strict=True)
    path = _file(tmp_path, "".join(f"q Q0 {c} {rank} {score} x\n" for c, rank, score in lines))

    run, doubt = read_run_and_doubt(path)

    assert {"q": [("a", 0.9), ("b", 0.8), ("c", 0.7)]} == run
    told = "for 1 of 1 queries, such as q." in (doubt or "")
    assert (ranks in ("3 2 1", "1 3 2")) == told == (doubt is not None)


@pytest.mark.parametrize("end", ["\r", "\r\n", "\r\r\n"])
def test_every_way_to_end_a_line_is_read(tmp_path: Path, end: str) -> None:
    """Old ones and twice converted ones too, in the last column as well."""
    assert {"q": {"a": 1, "b": 0}} == read_qrels(_file(tmp_path, f"q 0 a 1{end}q 0 b 0{end}"))


def test_a_file_compressed_by_gzip_is_read_and_a_damaged_one_named(tmp_path: Path) -> None:
    """Runs are mostly handed out compressed."""
    packed = gzip.compress(b"q Q0 a 1 0.5 x\n")
    (tmp_path / "run.gz").write_bytes(packed)
    assert {"q": [("a", 0.5)]} == read_run(tmp_path / "run.gz")
    for damaged in (packed[:-9], packed[:12] + b"\xff" + packed[13:], packed[:4]):
        (tmp_path / "run.gz").write_bytes(damaged)
        with pytest.raises(InputError, match="is compressed by gzip and damaged"):
            read_run(tmp_path / "run.gz")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q Q0 a 1 0.5", "line 2: 5 columns, expected 6"),
        ("q Q0 a b 1 0.5 x", "line 2: 7 columns, expected 6"),
        ("q Q0 a first 0.5 x", "line 2: rank 'first' is not an integer"),
        ("q Q0 a 1 1_0 x", "line 2: score '1_0' is not a number"),
        ("q Q0 a 1 -inf x", "line 2: score '-inf' is not a finite number"),
        ("q Q0 a 1 nan x", "line 2: score 'nan' is not a finite number"),
        ("q Q0 %E9 1 0.5 x", "line 2: id '%E9' is not percent-encoded UTF-8"),
        ("q Q0 a0 9 0.1 x", "line 2: chunk 'a0' stands a second time under query 'q'"),
    ],
)
def test_a_bad_run_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    """The message holds the number of the line and what is wrong with it."""
    path = _file(tmp_path, f"q Q0 a0 1 0.9 x\n{line}\n")

    with pytest.raises(InputError) as error:
        read_run(path)

    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bad\n" * 10, "has 10 bad lines.(?s:.*)and 5 more"),
        ("\n\n", "holds no (results|judgements)"),
        ("", "holds no (results|judgements)"),
    ],
)
def test_a_file_of_nothing_good_is_one_message(tmp_path: Path, text: str, said: str) -> None:
    """The first five lines and the number of the rest; an empty run is no measurement of 0."""
    for read in (read_run, read_qrels):
        with pytest.raises(InputError, match=said):
            read(_file(tmp_path, text))


def test_a_missing_file_and_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    """Neither reaches the user as a traceback."""
    with pytest.raises(InputError, match="No such file"):
        read_run(tmp_path / "absent.txt")
    (tmp_path / "latin.txt").write_bytes(b"q Q0 a 1 1 x\nq Q0 caf\xe9 2 0 x\n")
    with pytest.raises(InputError, match="line 2: not UTF-8"):
        read_run(tmp_path / "latin.txt")


def test_qrels_keep_negative_grades_and_skip_comments(tmp_path: Path) -> None:
    """Grades are taken as they stand; what they mean is decided elsewhere."""
    path = _file(tmp_path, "# made by hand\nq 0 a 1\n\nq 0 b -2\nq 0 a 1\n")

    assert {"q": {"a": 1, "b": -2}} == read_qrels(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q 0 b", "line 2: 3 columns, expected 4"),
        ("q 0 b 1.0", "line 2: grade '1.0' is not an integer"),
        ("q 0 a 2", "line 2: query 'q', chunk 'a' has grade 2 here and 1 above"),
    ],
)
def test_a_bad_qrels_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    """A contradiction between two lines is as bad as a malformed one."""
    with pytest.raises(InputError) as error:
        read_qrels(_file(tmp_path, f"q 0 a 1\n{line}\n"))

    assert said in str(error.value)


@settings(deadline=None)
@given(run=st.dictionaries(ids, rankings, min_size=1, max_size=4), tag=ids)
def test_a_written_run_reads_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, run: dict[str, list[tuple[str, float]]], tag: str
) -> None:
    """Ids with white space, per cent signs and line breaks, order and scores all survive."""
    path = tmp_path_factory.mktemp("run") / "arm.run"

    write_run(path, run, tag=tag)

    assert run == read_run(path)


@settings(deadline=None)
@given(
    qrels=st.dictionaries(
        ids,
        st.dictionaries(ids, st.integers(-2, 3), min_size=1, max_size=4),
        min_size=1,
        max_size=4,
    )
)
def test_written_qrels_read_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, qrels: dict[str, dict[str, int]]
) -> None:
    """A query id that begins with the comment sign is not lost."""
    path = tmp_path_factory.mktemp("qrels") / "qrels.txt"

    path.write_text("".join(qrels_lines(qrels)), encoding="utf-8", newline="\n")

    assert qrels == read_qrels(path)


def test_rising_scores_are_not_written(tmp_path: Path) -> None:
    """A reader sorts by score, so such a file would say another ranking; no file is left."""
    with pytest.raises(ValueError, match="must not rise"):
        write_run(tmp_path / "arm.run", {"q": [("a", 0.1), ("b", 0.2)]}, tag="arm")

    assert [] == list(tmp_path.iterdir())
