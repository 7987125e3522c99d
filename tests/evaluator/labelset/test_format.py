"""The frozen label set: written once, read back, every damage named."""

import hashlib
import json
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
    Judgement,
    LabelSet,
    LabelSetError,
    PoolEntry,
    Problem,
    Query,
    canonical_line,
    decode_id,
    encode_id,
    grade_by_rule,
    label_set_draft,
    read_label_set,
    sha256_of_set,
    utc_text,
    verify,
    write_label_set,
    write_lines,
    write_pairs,
)
from evaluator.labelset.format import _judgement_line as judgement_line
from evaluator.labelset.format import _pool_line as pool_line
from tests.broken.label_sets import DAMAGED, UNSEEN, Damage, covered, edit, replaced, stated

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


def written(directory: Path, labels: LabelSet, **changes: object) -> str:
    """Write what was read, with some parts changed."""
    return write_label_set(directory, **{**parts_of(labels), "qrels": labels.qrels, **changes})


def parts_of(labels: LabelSet) -> dict[str, Any]:
    """What was read, but for the grades."""
    return {
        "queries": labels.queries,
        "pool": labels.pool,
        "judgements": labels.judgements,
        "manifest": {k: v for k, v in labels.manifest.items() if k not in ("format", "members")},
    }


# Golden sets


@pytest.mark.parametrize("name", SHA256)
def test_a_golden_set_is_accepted(name: str) -> None:
    """Nothing is wrong with it, and it is the one that was pinned."""
    assert () == verify(GOLDEN / name, sha256=SHA256[name])


@pytest.mark.parametrize("name", SHA256)
def test_a_golden_set_is_reproduced_byte_for_byte(name: str, tmp_path: Path) -> None:
    """What is read and written again is the same five files."""
    assert SHA256[name] == written(tmp_path / "again", read_label_set(GOLDEN / name))
    for path in (GOLDEN / name).iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()


@pytest.mark.parametrize("name", SHA256)
def test_rows_too_large_to_be_joined_are_written_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long notes are written one by one, so that memory holds few copies of them."""
    monkeypatch.setattr(labelset, "_MUCH", 1)
    labels = read_label_set(GOLDEN / name)
    assert labels.sha256 == written(tmp_path / name, labels)


@pytest.mark.parametrize("name", SHA256)
def test_what_is_written_elsewhere_is_the_same_set(name: str, tmp_path: Path) -> None:
    """Rows come as they are or as JSON in any spelling; nothing but `found_by` is left to it."""
    labels, aside = read_label_set(GOLDEN / name), tmp_path / "aside"

    def elsewhere() -> dict[str, Any]:
        lines = (json.dumps(dict(reversed(j._asdict().items()))) + "\n" for j in labels.judgements)
        return {
            "pool.jsonl": write_pairs(aside / "pool.jsonl", labels.pool),
            "judgements.jsonl": write_lines(aside / "judgements.jsonl", lines),
        }

    parts = parts_of(labels) | {"pool": [entry._replace(found_by=()) for entry in labels.pool]}
    directory = tmp_path / "again"
    with label_set_draft(directory, **parts, aside=aside, elsewhere=elsewhere) as draft:
        assert SHA256[name] == draft.finish(labels.qrels)
    assert () == verify(directory)
    assert [directory] == list(tmp_path.iterdir())


def test_what_is_written_elsewhere_is_all_that_was_checked(tmp_path: Path) -> None:
    """One event too few is another set than the one that was looked at."""
    labels, aside = read_label_set(GOLDEN / "graded"), tmp_path / "aside"

    def elsewhere() -> dict[str, Any]:
        *events, _ = labels.judgements
        return {
            "pool.jsonl": write_pairs(aside / "pool.jsonl", labels.pool),
            "judgements.jsonl": write_lines(
                aside / "judgements.jsonl", map(judgement_line, events)
            ),
        }

    with (
        pytest.raises(
            LabelSetError, match=r"judgements\.jsonl 11 rows were written and 12 checked"
        ),
        label_set_draft(
            tmp_path / "set", **parts_of(labels), aside=aside, elsewhere=elsewhere
        ) as draft,
    ):
        draft.finish(labels.qrels)
    assert [] == list(tmp_path.iterdir())


def test_what_found_a_pair_is_checked_wherever_it_is_written(tmp_path: Path) -> None:
    """A source of which the manifest knows nothing."""
    labels, aside = read_label_set(GOLDEN / "graded"), tmp_path / "aside"

    def elsewhere() -> dict[str, Any]:
        pairs = [entry._replace(found_by=("nobody",)) for entry in labels.pool]
        lines = map(judgement_line, labels.judgements)
        return {
            "pool.jsonl": write_pairs(aside / "pool.jsonl", pairs),
            "judgements.jsonl": write_lines(aside / "judgements.jsonl", lines),
        }

    with (
        pytest.raises(LabelSetError, match=r"found_by of pooling\.sources .*, found nobody"),
        label_set_draft(
            tmp_path / "set", **parts_of(labels), aside=aside, elsewhere=elsewhere
        ) as draft,
    ):
        draft.finish(labels.qrels)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("{}", r"the keys \[\]"),
        ("[", "Expecting value"),
        (pool_line(PoolEntry("q", "c", "d", "f" * 64, (1,))), r"found_by \[1\]"),  # type: ignore[arg-type]
        (pool_line(PoolEntry("q", "c", "d", "F" * 64)), "text_sha256"),
        (pool_line(PoolEntry("q", "", "d", "f" * 64)), "chunk_id ''"),
    ],
)
def test_a_line_that_no_reader_would_take_is_not_written(
    line: str, error: str, tmp_path: Path
) -> None:
    """The message says where it stands and what is wrong with it."""
    good = pool_line(PoolEntry("q", "c", "d", "f" * 64))
    with pytest.raises(ValueError, match=rf"^pool\.jsonl, line 2: {error}"):
        write_lines(tmp_path / "pool.jsonl", [good, line, good])


@pytest.mark.parametrize(
    ("seconds", "error"),
    [
        (float("nan"), "line 1: .* not JSON compliant"),
        (1j, "line 1: .* complex is not JSON serializable"),
    ],
)
def test_what_no_file_can_hold_is_a_refusal(seconds: object, error: str, tmp_path: Path) -> None:
    """And nothing is left."""
    labels = read_label_set(GOLDEN / "graded")
    events = [j._replace(active_seconds=seconds) for j in labels.judgements]  # type: ignore[arg-type]
    with pytest.raises(LabelSetError, match=f"was not frozen: .*{error}"):
        written(tmp_path / "set", labels, judgements=events)
    assert [] == list(tmp_path.iterdir())


def test_of_two_that_freeze_one_name_the_second_is_refused(tmp_path: Path) -> None:
    """Also where it began when the name was still free."""
    labels = read_label_set(GOLDEN / "graded")
    with label_set_draft(tmp_path / "set", **parts_of(labels)) as draft:
        written(tmp_path / "set", labels)
        with pytest.raises(LabelSetError, match="set exists and a frozen set is never overwr"):
            draft.finish(labels.qrels)
    assert ["set"] == [path.name for path in tmp_path.iterdir()]
    assert () == verify(tmp_path / "set")


def test_a_draft_that_is_not_finished_leaves_nothing(tmp_path: Path) -> None:
    """Whatever ends it."""
    labels = read_label_set(GOLDEN / "graded")
    with (
        pytest.raises(KeyboardInterrupt),
        label_set_draft(tmp_path / "set", **parts_of(labels)),
    ):
        raise KeyboardInterrupt
    assert [] == list(tmp_path.iterdir())


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


# Writing


def test_an_existing_directory_is_never_overwritten(tmp_path: Path) -> None:
    """A correction is a new set."""
    labels = read_label_set(GOLDEN / "binary")
    with pytest.raises(LabelSetError, match="never overwritten"):
        written(golden_copy(tmp_path), labels)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"qrels": {"q1": {"leave.md#0": 7}}}, "a grade of the scale"),
        ({"qrels": {}}, "q1 leave.md#0: none and not 3"),
        ({"pool": ()}, "a pair of pool.jsonl"),
        ({"manifest": {"name": "x"}}, "the key 'version'"),
        ({"judgements": [Judgement("e", "q", "c", "a", 9, "grade", AT)]}, "grades of the scale"),
        ({"queries": [Query("q1", "half a pair \ud83d")]}, "surrogates not allowed"),
        ({"queries": [Query("q1", "x", weight=float("nan"))]}, "not JSON compliant"),
        ({"queries": [Query("q1", "x", origin="somewhere")]}, r"line 1: origin 'somewhere'"),  # type: ignore[arg-type]
        ({"queries": [Query("q1", "x", filter={"team": 1})]}, r"line 1: filter \{'team': 1\}"),  # type: ignore[dict-item]
    ],
)
def test_a_set_that_would_not_verify_is_not_written(
    changes: dict[str, object], expected: str, tmp_path: Path
) -> None:
    """It is found before anything is there to be used."""
    with pytest.raises(LabelSetError, match=expected):
        written(tmp_path / "bad", read_label_set(GOLDEN / "graded"), **changes)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("member", "field", "value"),
    [
        ("judgements", "event_id", ""),
        ("judgements", "assessor", ""),
        ("judgements", "grade", True),
        ("judgements", "grade", 1.5),
        ("judgements", "grade", "1"),
        ("judgements", "position", 1.5),
        ("judgements", "position", True),
        ("judgements", "judged_at", "2026-01-05"),
        ("judgements", "method", 7),
        ("pool", "doc_id", ""),
        ("pool", "text_sha256", "ff"),
    ],
)
def test_a_row_that_no_reader_would_take_is_not_written(
    member: str, field: str, value: object, tmp_path: Path
) -> None:
    """The message says where it stands and what is wrong with it."""
    labels = read_label_set(GOLDEN / "graded")
    *rows, last = getattr(labels, member)
    changed = {member: [*rows, last._replace(**{field: value})]}
    where = rf"{member}\.jsonl, line {len(rows) + 1}: {field} {value!r}"
    with pytest.raises(LabelSetError, match=f"was not frozen: {where}"):
        written(tmp_path / "set", labels, **changed)
    assert [] == list(tmp_path.iterdir())


TEXTS = st.text(st.characters(codec="utf-8"))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers()


@given(st.builds(PoolEntry, TEXTS, TEXTS, TEXTS, TEXTS, st.tuples(TEXTS) | st.just(())))
def test_the_quick_line_of_a_pair_is_the_canonical_one(entry: PoolEntry) -> None:
    """The shortcut is the rule of the format, to the byte."""
    assert canonical_line(entry._asdict()) == pool_line(entry)


@given(
    st.builds(
        Judgement,
        *(TEXTS, TEXTS, TEXTS, TEXTS, st.none() | st.integers(), st.just("grade"), TEXTS),
        *(st.none() | NUMBERS, st.none() | st.integers(), st.none() | TEXTS),
        *(st.none() | TEXTS, st.none() | TEXTS, st.none() | TEXTS),
    )
)
def test_the_quick_line_of_an_event_is_the_canonical_one(judgement: Judgement) -> None:
    """The shortcut is the rule of the format, to the byte."""
    assert canonical_line(judgement._asdict()) == judgement_line(judgement)


# Damage


@pytest.mark.parametrize("damage", DAMAGED, ids=[damage.kind for damage in DAMAGED])
def test_every_damage_is_named(damage: Damage, tmp_path: Path) -> None:
    """With its member, which of the three questions failed, what was expected, what found."""
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


@pytest.mark.parametrize("kind", [kind for kind, _ in UNSEEN])
def test_what_nothing_contradicts_is_shown_by_the_pinned_digest(kind: str, tmp_path: Path) -> None:
    """A set alone is only consistent with itself."""
    folder = golden_copy(tmp_path)
    dict(UNSEEN)[kind](folder)
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
    shutil.copy(ROOT / "evaluator/labelset.py", folder)
    return subprocess.run(
        [sys.executable, "-I", "labelset.py", *arguments],
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


def test_a_scale_can_reach_far(tmp_path: Path) -> None:
    """Where no rule is named, any grade of it between those given will do, without counting up."""
    labels = read_label_set(GOLDEN / "graded")
    assessment = {**labels.manifest["assessment"], "rule": None}
    assessment["grades"] = {**assessment["grades"], "999999999": "beyond all measure"}
    manifest = {**parts_of(labels)["manifest"], "assessment": assessment}
    *_, last = labels.judgements
    ends = [("low", 0), ("high", 999_999_999)]
    given = last._replace(verdict="grade", method=None)
    events = [given._replace(event_id=who, assessor=who, grade=grade) for who, grade in ends]
    pair = (last.query_id, last.chunk_id)
    others = [e for e in labels.judgements if (e.query_id, e.chunk_id) != pair]
    qrels = {q: dict(grades) for q, grades in labels.qrels.items()}
    qrels[last.query_id][last.chunk_id] = 999_999_999
    changes = {"manifest": manifest, "judgements": [*others, *events], "qrels": qrels}
    written(tmp_path / "far", labels, **changes)
    assert () == verify(tmp_path / "far")


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


@given(st.text(), st.lists(st.text()))
def test_no_document_can_move_another(doc_id: str, others: list[str]) -> None:
    """A bucket is a function of the salt and the document's own id."""
    rule = HeldOutRule("5a17", 5, (0,))
    alone = rule.bucket(doc_id)
    assert alone == {d: rule.bucket(d) for d in [*others, doc_id]}[doc_id]


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
