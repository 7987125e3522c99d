"""The frozen label set: written once, read back, every damage named."""

import hashlib
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.labelset import format as labelset
from evaluator.labelset.format import (
    HeldOutRule,
    LabelSetError,
    Problem,
    decode_id,
    encode_id,
    grade_by_rule,
    read_label_set,
    sha256_of_set,
    utc_text,
    verify,
)
from tests.broken.label_sets import DAMAGED, UNSEEN, covered, edit, replaced, stated

AT = "2026-01-02T03:04:05.000Z"
ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests/golden"
SHA256 = {
    "binary": "780a573c0515153ced8854f6f8de404fab98be0368d668301d5cd47b3dcffd61",
    "graded": "7934347db99a0fb7e717d3379dc5d3506b739c4911fa93ae2426e354fefb5907",
    "unicode": "8ecb54be0e77ee3f4662de0a5ec958cfc89547c089d3a2ca9c483328e2486f66",
}


def golden_copy(folder: Path, name: str = "graded") -> Path:
    """A copy that a test may damage."""
    shutil.copytree(GOLDEN / name, folder / "set")
    return folder / "set"


# Golden sets


@pytest.mark.parametrize("name", SHA256)
def test_a_golden_set_is_accepted(name: str) -> None:
    """Nothing is wrong with it, and it is the one that was pinned."""
    assert () == verify(GOLDEN / name, sha256=SHA256[name])


def test_hostile_text_is_only_text() -> None:
    """Ids and texts come back as they were given, composed or not."""
    labels = read_label_set(GOLDEN / "unicode")
    ids = {query.query_id for query in labels.queries}
    assert {"NA", "null", "007", "=1+1", "<script>alert(1)</script>", "q %41\t\u2028end"} < ids
    assert {"caf\u00e9", "cafe\u0301"} < ids
    assert ids == set(labels.qrels)
    assert ["one\r\ntwo\x00\x1f\ufeff"] == [j.note for j in labels.judgements if j.note]


def test_the_row_counts_are_known_without_reading(tmp_path: Path) -> None:
    """And going through rows that were changed since ends with an error."""
    labels = read_label_set(golden_copy(tmp_path))
    assert (5, 12) == (len(labels.pool), len(labels.judgements))
    covered("judgements.jsonl", lambda b: b.replace(b"bob", b"joe"))(tmp_path / "set")
    with pytest.raises(LabelSetError, match="changed while it was read"):
        list(labels.judgements)


# Damage


@pytest.mark.parametrize("kind", DAMAGED)
def test_every_damage_is_named(kind: str, tmp_path: Path) -> None:
    """With its member, which of the three questions failed, what was expected, what found."""
    damage = DAMAGED[kind]
    folder = golden_copy(tmp_path, damage.golden)
    damage.damage(folder)
    found = verify(folder)
    assert any(
        (damage.member, damage.question) == (problem.member, problem.question)
        and damage.expected in problem.expected
        and damage.found in problem.found
        for problem in found
    ), "\n".join(map(str, found))
    with pytest.raises(LabelSetError):
        read_label_set(folder)


@pytest.mark.parametrize("kind", UNSEEN)
def test_what_nothing_contradicts_is_shown_by_the_pinned_digest(kind: str, tmp_path: Path) -> None:
    """A set alone is only consistent with itself."""
    folder = golden_copy(tmp_path)
    UNSEEN[kind](folder)
    assert () == verify(folder)
    (problem,) = verify(folder, sha256=SHA256["graded"])
    assert ("manifest.json", "bytes") == (problem.member, problem.question)
    assert (f"sha256 {SHA256['graded']}", f"sha256 {sha256_of_set(folder)}") == (
        problem.expected,
        problem.found,
    )


def test_a_hard_link_alone_is_no_damage(tmp_path: Path) -> None:
    """Backups make them; what matters is the bytes."""
    folder = golden_copy(tmp_path)
    (tmp_path / "other-name").hardlink_to(folder / "qrels.txt")
    assert () == verify(folder)


@settings(deadline=None)
@given(at=st.integers(0, 10**6), member=st.sampled_from(sorted((GOLDEN / "unicode").iterdir())))
def test_any_changed_byte_is_found(at: int, member: Path) -> None:
    """Wherever it is, the member it is in is named."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        place = golden_copy(Path(folder), "unicode")
        at %= member.stat().st_size
        edit(place / member.name, lambda b: b[:at] + bytes([b[at] ^ 1]) + b[at + 1 :])
        found = verify(place, sha256=SHA256["unicode"])
    assert member.name in {problem.member for problem in found}


def test_many_problems_of_a_kind_are_counted(tmp_path: Path) -> None:
    """The first five and how many more, however many rows are wrong."""
    folder = golden_copy(tmp_path)
    covered("judgements.jsonl", lambda b: b.replace(b'"grade"}', b'"Grade"}'))(folder)
    (problem,) = (p for p in verify(folder) if p.member == "judgements.jsonl")
    assert problem.found.endswith("line 5: verdict 'Grade' and 5 more")


# Copied alone


def alone(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a copy of the file from a folder that holds nothing else."""
    shutil.copy(ROOT / "evaluator/labelset/format.py", folder)
    return subprocess.run(
        [sys.executable, "-I", "format.py", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_file_verifies_when_copied_alone(tmp_path: Path) -> None:
    """0 and the identity for a sound set, 1 and every problem for another, 2 for no set."""
    sound = alone(tmp_path, GOLDEN / "binary", "--digest", SHA256["binary"])
    assert (0, "") == (sound.returncode, sound.stderr)
    assert SHA256["binary"] in sound.stdout
    other = alone(tmp_path, GOLDEN / "binary", "--digest", "0" * 64)
    assert (1, "") == (other.returncode, other.stderr)
    assert f"manifest.json (bytes): expected sha256 {'0' * 64}, found sha256" in other.stdout
    assert (1, 2) == (alone(tmp_path, tmp_path / "none").returncode, alone(tmp_path).returncode)


def test_no_damage_ends_in_a_traceback(tmp_path: Path) -> None:
    """Deep nesting, a name that drives a terminal, a huge file, a path that nobody can open."""
    deep, named, huge = (golden_copy(tmp_path / name) for name in ("deep", "named", "huge"))
    nested = '{"a":' * 990 + "1" + "}" * 990
    edit(deep / "manifest.json", replaced('"sampling": null', f'"sampling": {nested}'))
    (named / "a\nb\x1b[2J").touch()
    (huge / "qrels.txt").chmod(0o644)
    os.truncate(huge / "qrels.txt", 10**11)
    for folder, problem in (
        (deep, "manifest.json (structure): expected "),
        (named, r"a\nb\x1b[2J (completeness): expected no such file"),
        (huge, "qrels.txt (bytes): expected bytes 69, found bytes 100000000000"),
        (tmp_path / ("n" * 300), "a file that can be read, found File name too long"),
    ):
        found = alone(tmp_path, folder)
        assert (1, "", True) == (found.returncode, found.stderr, problem in found.stdout)


def test_a_line_without_an_end_is_a_problem(tmp_path: Path) -> None:
    """Also one that the manifest states, and that no memory has room for."""
    folder, size = golden_copy(tmp_path), 3 << 30
    (folder / "pool.jsonl").chmod(0o644)
    os.truncate(folder / "pool.jsonl", size)
    entry = {"bytes": size, "rows": 0, "sha256": "0" * 64}
    stated(**{"members__pool.jsonl": entry})(folder)
    limited = (
        "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)); "
        "sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    command = [sys.executable, "-I", "-c", limited, labelset.__file__, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (1, "") == (done.returncode, done.stderr)
    assert "pool.jsonl (completeness): expected a file that can be read" in done.stdout


def test_a_member_that_cannot_be_read_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever verifies may not be whoever froze."""
    folder, read = golden_copy(tmp_path), Path.open

    def refused(path: Path, *arguments: Any, **named: Any) -> Any:
        if path.name == "qrels.txt":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path, *arguments, **named)

    monkeypatch.setattr(Path, "open", refused)
    unread = Problem("qrels.txt", "completeness", "a file that can be read", "Permission denied")
    assert (unread,) == verify(folder)


# Ids, rules and the held-out slice


@given(st.text())
def test_ids_survive_white_space_separated_files(text: str) -> None:
    """Decoding an encoded id gives it back, and the encoded one has no white space."""
    encoded = encode_id(text)
    assert (text, encoded) == (decode_id(encoded), "".join(encoded.split()))


def test_a_rule_decides_between_grades() -> None:
    """The lower one of a tie and of two middle ones: a doubtful chunk is not made gold."""
    grades = [2, 0, 3, 2, 0]
    assert (0, 3, 0, 2) == (
        grade_by_rule(grades, "majority"),
        grade_by_rule(grades, "highest"),
        grade_by_rule(grades, "lowest"),
        grade_by_rule(grades, "median"),
    )
    assert 1 == grade_by_rule([3, 1], "median")


def test_a_bucket_is_what_the_formula_gives() -> None:
    """As anybody would compute it from the specification."""
    digest = hashlib.sha256("2858dcd1057d3eae:naïve page.md".encode()).hexdigest()
    expected = int(digest[:16], 16) % 5
    assert expected == HeldOutRule("2858dcd1057d3eae", 5, (0,)).bucket("naïve page.md")


def test_a_query_is_classed_by_where_its_gold_documents_lie() -> None:
    """All held out, none, some, or nothing at all."""
    rule = HeldOutRule("5a17", 2, (0,))
    inside = next(d for d in "abcdef" if rule.holds_out(d))
    outside = next(d for d in "abcdef" if not rule.holds_out(d))
    assert ["held-out", "tuning", "mixed", "no-gold"] == [
        rule.query_class(docs) for docs in ([inside], [outside], [inside, outside], [])
    ]


def test_a_moment_is_written_alike_in_every_year() -> None:
    """Four digits, also where strftime writes fewer; none beyond the calendar."""
    assert "0007-01-01T00:00:00.001Z" == utc_text(datetime(7, 1, 1, 0, 0, 0, 1999, tzinfo=UTC))
    with pytest.raises(ValueError, match="in no year"):
        utc_text(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))))
