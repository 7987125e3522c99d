"""
The frozen label set: what it holds, how it is written, read and checked.

This one file is the format `onecause-labels/1`. It needs nothing but the standard
library, so anybody can copy it and check a label set without our other code. It knows
nothing of how queries were drawn or judged, nor of any system under comparison.

A label set is a directory of five files. `manifest.json` names the other four with
their size, rows and SHA-256; the SHA-256 of `manifest.json` is the identity of the set.
"""

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args
from urllib.parse import unquote

FORMAT = "onecause-labels/1"
MANIFEST = "manifest.json"
MEMBERS = ("queries.jsonl", "pool.jsonl", "judgements.jsonl", "qrels.txt")
ADJUDICATION = "adjudication"
"""The method of an event that settles a disagreement instead of adding a grade to it."""

# Made once: json.dumps would make one for every line.
_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))

Origin = Literal["log", "known-item", "authored"]
Verdict = Literal["grade", "unsure", "undone"]
QueryClass = Literal["held-out", "tuning", "mixed", "no-gold"]
Question = Literal["structure", "completeness", "bytes"]


class LabelSetError(ValueError):
    """A label set that cannot be written or believed; the message lists every reason."""


@dataclass(frozen=True, slots=True)
class Query:
    """
    One thing people asked for, as the assessors saw it.

    `weight` is log_count / inclusion_probability and stands for traffic; both are None
    for queries that no sampling design drew. `variants` are the raw spellings with
    their counts.
    """

    query_id: str
    text: str
    need: str | None = None
    origin: Origin = "log"
    stratum: str | None = None
    log_count: int | None = None
    inclusion_probability: float | None = None
    weight: float | None = None
    filter: Mapping[str, str] | None = None
    variants: tuple[tuple[str, int], ...] = ()
    group: str | None = None
    skip_reason: str | None = None


@dataclass(frozen=True, slots=True)
class PoolEntry:
    """One pair to judge, with the hash of the plain text that an assessor reads."""

    query_id: str
    chunk_id: str
    doc_id: str
    text_sha256: str
    found_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """One event of one assessor on one pair. Later events of the same assessor replace it."""

    event_id: str
    query_id: str
    chunk_id: str
    assessor: str
    grade: int | None
    verdict: Verdict
    judged_at: str
    active_seconds: float | None = None
    position: int | None = None
    method: str | None = None
    text_sha256: str | None = None
    note: str | None = None
    imported_from: str | None = None


@dataclass(frozen=True, slots=True)
class HeldOutRule:
    """
    Which documents are kept away from all tuning, decided by their id alone.

    A document's bucket is a hash of the salt and its id, so no other document, and no
    later one, can move it.
    """

    salt: str
    buckets: int
    held_out: tuple[int, ...]

    def bucket(self, doc_id: str) -> int:
        digest = hashlib.sha256(f"{self.salt}:{doc_id}".encode()).hexdigest()
        return int(digest[:16], 16) % self.buckets

    def holds_out(self, doc_id: str) -> bool:
        return self.bucket(doc_id) in self.held_out

    def query_class(self, gold_doc_ids: Iterable[str]) -> QueryClass:
        """Where the gold documents of a query lie: all held out, none, some, or no gold."""
        sides = {self.holds_out(doc_id) for doc_id in gold_doc_ids}
        if not sides:
            return "no-gold"
        if len(sides) == 2:
            return "mixed"
        return "held-out" if sides == {True} else "tuning"


@dataclass(frozen=True)
class LabelSet:
    """A verified label set in memory. `qrels` is grade by chunk id by query id."""

    path: Path
    sha256: str
    manifest: Mapping[str, Any]
    queries: tuple[Query, ...]
    pool: tuple[PoolEntry, ...]
    judgements: tuple[Judgement, ...]
    qrels: Mapping[str, Mapping[str, int]]

    @property
    def name(self) -> str:
        return str(self.manifest["name"])

    @property
    def min_grade(self) -> int:
        return int(self.manifest["assessment"]["min_grade"])

    @property
    def held_out_rule(self) -> HeldOutRule:
        return held_out_rule(self.manifest)

    @cached_property
    def doc_id_by_chunk(self) -> Mapping[str, str]:
        return {entry.chunk_id: entry.doc_id for entry in self.pool}

    def gold(self, query_id: str) -> frozenset[str]:
        """The chunks of a query with a grade of at least `min_grade`."""
        grade_by_chunk = self.qrels.get(query_id, {})
        return frozenset(c for c, grade in grade_by_chunk.items() if grade >= self.min_grade)

    def query_class(self, query_id: str) -> QueryClass:
        return self.held_out_rule.query_class(
            self.doc_id_by_chunk[chunk_id] for chunk_id in self.gold(query_id)
        )


@dataclass(frozen=True, slots=True)
class Problem:
    """One way in which a directory is not the label set it says it is."""

    member: str
    question: Question
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.member} ({self.question}): expected {self.expected}, found {self.found}"


def canonical_line(row: Mapping[str, Any]) -> str:
    """One JSON line, always the same bytes for the same content."""
    return _CANONICAL.encode(row) + "\n"


def text_sha256(text: str) -> str:
    """Hex SHA-256 of the text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def utc_text(moment: datetime) -> str:
    """
    The moment as it stands in every file: ISO 8601, UTC, milliseconds, fixed width.

    A moment without a time zone is refused with ValueError, since it would name
    another instant on another machine.
    """
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def encode_id(text: str) -> str:
    """
    The id as it stands in white-space separated files.

    White space, control characters and the per cent sign become %XX of their UTF-8
    bytes; all else is left alone, so that `decode_id` gives the id back exactly.
    """
    return re.sub(
        r"[\s\x00-\x1f\x7f%]",
        lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode()),
        text,
    )


def decode_id(text: str) -> str:
    """The id that `encode_id` was given."""
    return unquote(text, errors="strict")


def held_out_rule(manifest: Mapping[str, Any]) -> HeldOutRule:
    """The rule that a manifest states under `held_out`."""
    rule = manifest["held_out"]
    return HeldOutRule(rule["salt"], rule["buckets"], tuple(rule["held_out"]))


def sha256_of_set(directory: Path) -> str:
    """The identity of a label set: the SHA-256 of its manifest's bytes."""
    return _file_sha256(directory / MANIFEST)


def write_label_set(
    directory: Path,
    *,
    queries: Iterable[Query],
    pool: Iterable[PoolEntry],
    judgements: Iterable[Judgement],
    qrels: Mapping[str, Mapping[str, int]],
    manifest: Mapping[str, Any],
) -> str:
    """
    Freeze a label set into a new directory and return its SHA-256.

    Everything is written beside the directory, flushed to disk, made read-only and
    then renamed, so a label set is there whole or not at all. Judgements are written
    as they come and must be in time order; all other rows are sorted here. An existing
    directory is never touched: a correction is a new set.

    Raises LabelSetError when the directory exists or what was written fails `verify`.
    """
    if directory.exists():
        raise LabelSetError(
            f"{directory} exists and a frozen set is never overwritten. Choose another name; "
            "to correct a set, freeze a new one that supersedes it."
        )
    directory.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", dir=directory.parent))
    try:
        members = {
            "queries.jsonl": _write_rows(
                aside / "queries.jsonl", map(_row, sorted(queries, key=lambda q: q.query_id))
            ),
            "pool.jsonl": _write_rows(
                aside / "pool.jsonl",
                map(_row, sorted(pool, key=lambda e: (e.query_id, e.chunk_id))),
            ),
            "judgements.jsonl": _write_rows(aside / "judgements.jsonl", map(_row, judgements)),
            "qrels.txt": _write_lines(aside / "qrels.txt", _qrels_lines(qrels)),
        }
        whole = {**manifest, "format": FORMAT, "members": members}
        _write_lines(
            aside / MANIFEST,
            [json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"],
        )
        problems = verify(aside)
        if problems:
            raise LabelSetError(_listed(f"{directory} was not frozen", problems))
        for member in (*MEMBERS, MANIFEST):
            (aside / member).chmod(0o444)
        aside.chmod(0o755)
        os.rename(aside, directory)
        _sync_directory(directory.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return sha256_of_set(directory)


def read_label_set(directory: Path, *, sha256: str | None = None) -> LabelSet:
    """
    The label set in a directory, after `verify` found nothing wrong with it.

    `sha256` is the identity an experiment pinned; any other set is refused. Raises
    LabelSetError listing every problem.
    """
    problems = verify(directory, sha256=sha256)
    if problems:
        raise LabelSetError(
            _listed(f"The label set {directory} cannot be used", problems)
            + "\nRestore the files, or freeze a new label set that supersedes this one."
        )
    return LabelSet(
        path=directory,
        sha256=sha256_of_set(directory),
        manifest=json.loads((directory / MANIFEST).read_bytes()),
        queries=tuple(_records(directory / "queries.jsonl", Query)),
        pool=tuple(_records(directory / "pool.jsonl", PoolEntry)),
        judgements=tuple(_records(directory / "judgements.jsonl", Judgement)),
        qrels=_read_qrels(directory / "qrels.txt"),
    )


def verify(directory: Path, *, sha256: str | None = None) -> tuple[Problem, ...]:
    """
    Every reason not to believe the label set in a directory; none means it is sound.

    Three questions are asked apart. Structure: is this a label set of this format, are
    its rows well formed, in order, and do they refer to each other? Completeness: is
    every member there, and nothing else? Bytes: does each member have the size, rows
    and SHA-256 that the manifest states, and the manifest the digest that was pinned?
    """
    manifest, problems = _check_manifest(directory)
    if manifest is None:
        return tuple(problems)
    if sha256 is not None and (found := sha256_of_set(directory)) != sha256:
        problems.append(Problem(MANIFEST, "bytes", f"sha256 {sha256}", f"sha256 {found}"))
    problems += _check_files(directory)
    for member in MEMBERS:
        problems += _check_member(directory / member, manifest["members"].get(member))
    if not problems:
        problems += _check_content(directory, manifest)
    return tuple(problems)


# Reading and writing rows


def _row(record: Query | PoolEntry | Judgement) -> dict[str, Any]:
    """The record by field. Not `asdict`, which copies every value and takes most of a freeze."""
    row = {name: getattr(record, name) for name in _NAMES[type(record)]}
    if isinstance(record, Query):
        row["variants"] = [{"text": text, "count": count} for text, count in record.variants]
    return row


_NAMES = {kind: tuple(f.name for f in fields(kind)) for kind in (Query, PoolEntry, Judgement)}
R = TypeVar("R", Query, PoolEntry, Judgement)


def _record(row: Mapping[str, Any], kind: type[R]) -> R:
    values = dict(row)
    if kind is Query:
        values["variants"] = tuple((v["text"], v["count"]) for v in values["variants"])
    if kind is PoolEntry:
        values["found_by"] = tuple(values["found_by"])
    return kind(**values)


def _records(path: Path, kind: type[R]) -> Iterator[R]:
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield _record(json.loads(line), kind)


def _write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return _write_lines(path, map(canonical_line, rows))


def _write_lines(path: Path, lines: Iterable[str]) -> dict[str, Any]:
    digest, size, count = hashlib.sha256(), 0, 0
    with path.open("wb") as file:
        for line in lines:
            encoded = line.encode()
            digest.update(encoded)
            size += file.write(encoded)
            count += 1
        file.flush()
        os.fsync(file.fileno())
    return {"bytes": size, "rows": count, "sha256": digest.hexdigest()}


def _qrels_lines(qrels: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    for query_id in sorted(qrels):
        for chunk_id in sorted(qrels[query_id]):
            yield f"{encode_id(query_id)} 0 {encode_id(chunk_id)} {qrels[query_id][chunk_id]}\n"


def _read_qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            query_id, _, chunk_id, grade = line.split()
            qrels.setdefault(decode_id(query_id), {})[decode_id(chunk_id)] = int(grade)
    return qrels


def _file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync_directory(path: Path) -> None:
    if os.name == "posix":
        handle = os.open(path, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)


# Checking

_MANIFEST_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "name": str,
    "frozen_at": str,
    "snapshot": dict,
    "sampling": (dict, type(None)),
    "pooling": dict,
    "assessment": dict,
    "held_out": dict,
    "header_work": dict,
    "supersedes": (dict, type(None)),
    "tool": str,
    "members": dict,
}


def _check_manifest(directory: Path) -> tuple[dict[str, Any] | None, list[Problem]]:
    path = directory / MANIFEST
    if not path.is_file():
        found = "no such directory" if not directory.is_dir() else "no such file"
        return None, [Problem(MANIFEST, "completeness", f"a file in {directory}", found)]
    try:
        manifest = json.loads(path.read_bytes().decode("utf-8"))
    except (ValueError, RecursionError) as error:
        return None, [Problem(MANIFEST, "structure", "JSON in UTF-8", str(error))]
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        stated = manifest.get("format") if isinstance(manifest, dict) else type(manifest).__name__
        return None, [Problem(MANIFEST, "structure", f"format {FORMAT}", repr(stated))]
    problems = [
        Problem(MANIFEST, "structure", f"the key {key!r}", repr(manifest.get(key, "nothing")))
        for key, kind in _MANIFEST_KEYS.items()
        if key not in manifest or not isinstance(manifest[key], kind)
    ]
    if not problems:
        problems += _check_rules(manifest)
        problems += _strangers(
            MANIFEST,
            f"the members {', '.join(MEMBERS)}",
            sorted(set(manifest["members"]) - {*MEMBERS}),
        )
    return (None if problems else manifest), problems


def _check_rules(manifest: Mapping[str, Any]) -> Iterator[Problem]:
    assessment, rule = manifest["assessment"], manifest["held_out"]
    grades = assessment.get("grades")
    if not isinstance(grades, dict) or not all(re.fullmatch(r"\d+", g) for g in grades):
        yield Problem(MANIFEST, "structure", "assessment.grades, a meaning by grade", repr(grades))
    elif assessment.get("min_grade") not in sorted(map(int, grades))[1:]:
        yield Problem(
            MANIFEST,
            "structure",
            "assessment.min_grade, a grade above the lowest",
            repr(assessment.get("min_grade")),
        )
    well_formed = (
        isinstance(rule.get("salt"), str)
        and isinstance(rule.get("buckets"), int)
        and rule["buckets"] > 0
        and isinstance(rule.get("held_out"), list)
    )
    if not well_formed:
        yield Problem(MANIFEST, "structure", "held_out with salt, buckets and held_out", repr(rule))


def _check_files(directory: Path) -> Iterator[Problem]:
    wanted = {*MEMBERS, MANIFEST}
    for path in sorted(directory.iterdir()):
        if path.name not in wanted:
            yield Problem(
                path.name, "completeness", "no such file", "a file the manifest does not name"
            )
        elif path.is_symlink():
            yield Problem(
                path.name, "completeness", "a file of its own", f"a link to {os.readlink(path)}"
            )
    for member in MEMBERS:
        if not (directory / member).is_file():
            yield Problem(member, "completeness", "a file", "nothing")


def _check_member(path: Path, stated: Mapping[str, Any] | None) -> Iterator[Problem]:
    if not path.is_file():
        return
    if not isinstance(stated, Mapping):
        yield Problem(path.name, "structure", "an entry in the manifest", "none")
        return
    if (size := path.stat().st_size) != stated.get("bytes"):
        yield Problem(path.name, "bytes", f"{stated.get('bytes')} bytes", f"{size} bytes")
    if (digest := _file_sha256(path)) != stated.get("sha256"):
        yield Problem(path.name, "bytes", f"sha256 {stated.get('sha256')}", f"sha256 {digest}")
    with path.open("rb") as file:
        rows = sum(1 for _ in file)
    if rows != stated.get("rows"):
        yield Problem(path.name, "bytes", f"{stated.get('rows')} rows", f"{rows} rows")


def _check_content(directory: Path, manifest: Mapping[str, Any]) -> list[Problem]:
    """What can still be wrong when every digest fits: the manifest was edited to match."""
    problems: list[Problem] = []
    queries = _well_formed(directory / "queries.jsonl", Query, lambda q: q.query_id, problems)
    pool = _well_formed(
        directory / "pool.jsonl", PoolEntry, lambda e: (e.query_id, e.chunk_id), problems
    )
    judgements = _well_formed(
        directory / "judgements.jsonl", Judgement, lambda j: j.judged_at, problems, unique=False
    )
    if problems:
        return problems
    problems += _strangers(
        "queries.jsonl",
        "a probability above 0 and up to 1, and weight = log_count / inclusion_probability",
        [query.query_id for query in queries if not _weighs_right(query)],
    )
    query_ids = {query.query_id for query in queries}
    pairs = {(entry.query_id, entry.chunk_id) for entry in pool}
    grades = {int(grade) for grade in manifest["assessment"]["grades"]}
    problems += _strangers(
        "pool.jsonl",
        "a query of queries.jsonl",
        [q for q, _ in sorted(pairs) if q not in query_ids],
    )
    problems += _strangers(
        "judgements.jsonl",
        "a pair of pool.jsonl",
        [f"{j.query_id} {j.chunk_id}" for j in judgements if (j.query_id, j.chunk_id) not in pairs],
    )
    problems += _strangers(
        "judgements.jsonl",
        f"grades of the scale {sorted(grades)}",
        [
            f"{j.event_id}: {j.grade}"
            for j in judgements
            if (j.grade is None) == (j.verdict == "grade")
            or (j.grade is not None and j.grade not in grades)
        ],
    )
    problems += _repeated("judgements.jsonl", [j.event_id for j in judgements])
    problems += _check_qrels(directory / "qrels.txt", pairs=pairs, grades=grades)
    if not problems:
        skipped = {query.query_id for query in queries if query.skip_reason is not None}
        problems += _check_grades(judgements, _read_qrels(directory / "qrels.txt"), skipped=skipped)
    return problems


def _weighs_right(query: Query) -> bool:
    probability, weight, count = query.inclusion_probability, query.weight, query.log_count
    if probability is None or count is None:
        return weight is None and (count is None or count >= 0)
    if not 0 < probability <= 1 or count < 0 or weight is None:
        return False
    return abs(weight * probability - count) <= 1e-9 * max(1, count)


def _check_grades(
    judgements: Iterable[Judgement], qrels: Mapping[str, Mapping[str, int]], *, skipped: set[str]
) -> Iterator[Problem]:
    """
    Where the events leave no choice, qrels must say the same.

    A pair on which all standing grades agree has that grade, an adjudicated one has the
    adjudicator's, one without a standing grade has none, nor has any of a skipped query.
    Between differing grades the rule named in the manifest decides, within their range.
    """
    standing: dict[tuple[str, str], dict[tuple[str, bool], Judgement]] = {}
    for event in judgements:
        by_assessor = standing.setdefault((event.query_id, event.chunk_id), {})
        by_assessor[event.assessor, event.method == ADJUDICATION] = event
    graded = {(query_id, chunk_id) for query_id in qrels for chunk_id in qrels[query_id]}
    for query_id, chunk_id in sorted(standing.keys() | graded):
        events = standing.get((query_id, chunk_id), {})
        kept = [event for event in events.values() if event.verdict != "undone"]
        decided = [event for event in kept if event.method == ADJUDICATION] or kept
        grades = sorted({event.grade for event in decided if event.grade is not None})
        found = qrels.get(query_id, {}).get(chunk_id)
        if query_id in skipped or not grades:
            fits, expected = found is None, "no grade"
        else:
            fits = (found is None and len(grades) > 1) or (
                found is not None and grades[0] <= found <= grades[-1]
            )
            expected = f"grade {' to '.join(str(grade) for grade in grades)}, from the events"
        if not fits:
            yield Problem(
                "qrels.txt", "structure", f"{expected} for {query_id} {chunk_id}", str(found)
            )


def _well_formed(
    path: Path,
    kind: type[R],
    key: Callable[[R], Any],
    problems: list[Problem],
    *,
    unique: bool = True,
) -> list[R]:
    names = {field.name for field in fields(kind)}
    records: list[R] = []
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
        where = f"{path.name} line {number}"
        try:
            row = json.loads(line.decode("utf-8"))
            if not isinstance(row, dict) or set(row) != names:
                raise ValueError(f"keys {sorted(row) if isinstance(row, dict) else row!r}")
            record = _record(row, kind)
            _check_types(record)
        except (ValueError, TypeError, KeyError) as error:
            problems.append(
                Problem(where, "structure", f"a row with the keys {sorted(names)}", str(error))
            )
            continue
        if canonical_line(row).encode() != line + b"\n":
            problems.append(
                Problem(where, "structure", "the canonical line of its content", "another spelling")
            )
        if records and (
            key(record) < key(records[-1]) or (unique and key(record) == key(records[-1]))
        ):
            problems.append(
                Problem(where, "structure", "rows in order, none twice", str(key(record)))
            )
        records.append(record)
    return records


def _check_types(record: Query | PoolEntry | Judgement) -> None:
    for name in (
        "query_id",
        "chunk_id",
        "doc_id",
        "text_sha256",
        "event_id",
        "assessor",
        "text",
        "judged_at",
    ):
        value = getattr(record, name, "")
        if not isinstance(value, str) and not (name == "text_sha256" and value is None):
            raise ValueError(f"{name} {value!r} is not text")
    if isinstance(record, Query) and record.origin not in get_args(Origin):
        raise ValueError(f"origin {record.origin!r}")
    if isinstance(record, Judgement):
        if record.verdict not in get_args(Verdict):
            raise ValueError(f"verdict {record.verdict!r}")
        if record.grade is not None and type(record.grade) is not int:
            raise ValueError(f"grade {record.grade!r}")


def _check_qrels(path: Path, *, pairs: set[tuple[str, str]], grades: set[int]) -> Iterator[Problem]:
    seen: list[tuple[str, str]] = []
    try:
        lines = path.read_bytes().decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        yield Problem("qrels.txt", "structure", "UTF-8", str(error))
        return
    for number, line in enumerate(lines[:-1], start=1):
        where, parts = f"qrels.txt line {number}", line.split(" ")
        if len(parts) != 4 or not re.fullmatch(r"-?\d+", parts[3]):
            yield Problem(where, "structure", "query_id 0 chunk_id grade", repr(line))
            continue
        pair = (decode_id(parts[0]), decode_id(parts[2]))
        if pair not in pairs:
            yield Problem(where, "structure", "a pair of pool.jsonl", " ".join(pair))
        if int(parts[3]) not in grades:
            yield Problem(where, "structure", f"a grade of the scale {sorted(grades)}", parts[3])
        seen.append(pair)
    if seen != sorted(set(seen)):
        yield Problem(
            "qrels.txt", "structure", "rows in order, none twice", "another order or a pair twice"
        )


def _strangers(member: str, expected: str, found: Sequence[str]) -> Iterator[Problem]:
    if found:
        yield Problem(member, "structure", expected, _first(found))


def _repeated(member: str, ids: Sequence[str]) -> Iterator[Problem]:
    seen: set[str] = set()
    twice = [i for i in ids if i in seen or seen.add(i)]  # type: ignore[func-returns-value]
    if twice:
        yield Problem(member, "structure", "each event id once", _first(twice))


def _first(found: Sequence[str], most: int = 5) -> str:
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


def _listed(heading: str, problems: Sequence[Problem]) -> str:
    return "\n".join([f"{heading}:", *(f"- {problem}" for problem in problems)])
