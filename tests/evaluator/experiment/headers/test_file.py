"""What the first line of a header file says of the file."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator import InputError
from evaluator.experiment.headers.file import read_header_file


def header_file(folder: Path, *, first: str, **row: Any) -> Path:
    path = folder / "h.jsonl"
    path.write_text(f"{first}\n{json.dumps({'chunk_id': 'leave#0', 'text': 'Leave', **row})}\n")
    return path


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ("line 1 has the labels_sha256 'abc', not 64 hex digits", '{"labels_sha256": "abc"}'),
        ("line 1 has neither the texts chunk_id and text nor labels_sha256", '{"made_by": "me"}'),
        ("line 1 has the generated_at 'soon', not a date", '{"generated_at": "soon"}'),
    ],
)
def test_a_first_line_that_says_nothing_is_refused(
    tmp_path: Path, message: str, first: str
) -> None:
    """With the line, what was found and what was expected."""
    with pytest.raises(InputError, match=message):
        read_header_file(header_file(tmp_path, first=first))


def test_a_first_line_adds_no_header(tmp_path: Path) -> None:
    """And the record says what the file said of itself."""
    first = json.dumps({"labels_sha256": "a" * 64, "generated_at": "2026-12-03"})
    found = read_header_file(header_file(tmp_path, first=first, generated_at="2026-12-02T09:00:00"))
    assert {"leave#0": "Leave"} == found.text_by_chunk
    assert ("a" * 64, "2026-12-02T09:00:00") == (found.labels_sha256, found.generated_at)
    assert found.record()["labels_sha256"] == "a" * 64
