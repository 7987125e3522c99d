"""Logs as Parquet: typed columns become the texts that people searched for."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluator import InputError
from labeler.logs.columns import Shape
from labeler.logs.read import read_log
from tests.labeler.logs.test_read import counts

WORDS = ["vpn", None, "007", "NA", "VPN", "", "null", "\u3000", "sick  leave"]


def written(tmp_path: Path, **columns: Any) -> Path:
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def test_everything_is_text(tmp_path: Path) -> None:
    """Words for missing values are queries, missing values are blank, and rows have numbers."""
    reading = read_log(written(tmp_path, query=WORDS))
    assert {"VPN": 2, "007": 1, "NA": 1, "null": 1, "sick  leave": 1} == counts(reading)
    assert [2, 6, 8] == [problem.line for problem in reading.problems]
    assert {"layout": "Parquet", "encoding": None, "lines": 9}.items() <= reading.record.items()


def test_counts_times_and_events_are_read(tmp_path: Path) -> None:
    """Counts may be floating where rows without one made them so; rows of events are none."""
    path = written(
        tmp_path,
        query=pa.array(["vpn", "leave", "vpn", "pay"]).dictionary_encode(),
        count=[2.0, 3.0, 5.0, None],
        timestamp=[datetime(2026, 1, day, tzinfo=UTC) for day in (3, 2, 4, 1)],
        action_name=[None, "", "click", None],
    )
    reading = read_log(path)
    assert {"vpn": 2, "leave": 3} == counts(reading)
    assert (1, 1) == (reading.record["events"], reading.record["broken"])
    assert "2026-01-02T00:00:00+00:00" == reading.record["first_at"]
    assert "2026-01-03T00:00:00+00:00" == reading.record["last_at"]


def test_what_cannot_be_text_is_refused(tmp_path: Path) -> None:
    """Lists are named with their type; a file that only begins like Parquet is refused."""
    with pytest.raises(InputError, match="which is not text"):
        read_log(written(tmp_path, query=[["vpn"], ["leave"]]))
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1" + bytes(100))
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        read_log(broken)


def test_columns_are_chosen_as_in_other_tables(tmp_path: Path) -> None:
    """By name, by the caller, or not at all; numbers are queries by their digits."""
    path = written(tmp_path, words=["vpn"], n=[3])
    with pytest.raises(InputError, match="'words', 'n'"):
        read_log(path)
    assert {"vpn": 3} == counts(read_log(path, Shape("words", "n")))
    assert {"42": 2, "7": 1} == counts(read_log(written(tmp_path, query=[42, 7, 42])))
