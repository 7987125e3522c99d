"""
The frozen label set: what it holds, and how it is read and checked.

This one file is the format `onecause-labels/1`, which `labelset.md` describes. It needs
nothing but the standard library, so anybody can copy it and check a label set without our
other code: `python format.py DIRECTORY [--digest SHA256]`. It knows nothing of how
queries were drawn or judged, nor of any system under comparison. It has many lines because
it is one file: records, spelling, reading, and the checks of files, manifest and rows.

A label set is a directory of five files. `manifest.json` names the other four with
their size, rows and SHA-256; the SHA-256 of `manifest.json` is the identity of the set.
"""

import argparse
import hashlib
import json
import math
import os
import re
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from io import TextIOWrapper
from operator import itemgetter
from pathlib import Path
from types import UnionType
from typing import Any, Generic, Literal, NamedTuple, TypeVar, get_args, get_origin
from urllib.parse import unquote

FORMAT = "onecause-labels/1"
MANIFEST = "manifest.json"
MEMBERS = ("queries.jsonl", "pool.jsonl", "judgements.jsonl", "qrels.txt")
ADJUDICATION = "adjudication"
"""The method of an event that settles a disagreement instead of adding a grade to it."""

Origin = Literal["log", "known-item", "authored"]
Verdict = Literal["grade", "unsure", "undone"]
QueryClass = Literal["held-out", "tuning", "mixed", "no-gold"]
Aspect = Literal["structure", "completeness", "bytes"]
Rule = Literal["majority", "highest", "lowest", "median"]
RULES: tuple[Rule, ...] = get_args(Rule)
Pair = tuple[str, str]
"""Query id and chunk id."""
Given = tuple[tuple[str, int | None], ...]
"""What stands on a pair: assessors with their grades, None for "can't tell"."""
Qrels = Mapping[str, Mapping[str, int]]
"""Grade by chunk id by query id."""
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Problem:
    """One way in which a directory is not the label set it says it is."""

    member: str
    question: Aspect
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.member} ({self.question}): expected {self.expected}, found {self.found}"


class LabelSetError(ValueError):
    """A label set that cannot be written or believed; the message lists every problem."""

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__("\n".join([message, *(f"- {problem}" for problem in problems)]))
        self.problems = tuple(problems)


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


class PoolEntry(NamedTuple):  # not a dataclass, and the next neither: they come by the million
    """One pair to judge, with the hash of the plain text that an assessor reads."""

    query_id: str
    chunk_id: str
    doc_id: str
    text_sha256: str
    found_by: tuple[str, ...] = ()


class Judgement(NamedTuple):
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


@dataclass(frozen=True, slots=True)
class Rows(Generic[R]):
    """
    The rows of a member, read from its file each time they are gone through.

    Raises LabelSetError at the end when the file is no longer the one that was verified.
    """

    path: Path
    stated: Mapping[str, Any]
    kind: type[R]

    def __len__(self) -> int:
        return int(self.stated["rows"])

    def __iter__(self) -> Iterator[R]:
        problems = _Problems()
        yield from _records(_lines(self.path, self.stated, problems), self.kind, problems)
        if problems:
            raise LabelSetError(f"{self.path} was changed while it was read", problems.listed())


@dataclass(frozen=True)
class LabelSet:
    """
    A verified label set.

    Pairs and events are not kept in memory: going through them reads their file again.
    """

    path: Path
    sha256: str
    manifest: Mapping[str, Any]
    queries: tuple[Query, ...]
    qrels: Qrels
    doc_id_by_chunk: Mapping[str, str]

    @property
    def pool(self) -> Rows[PoolEntry]:
        return self._rows("pool.jsonl", PoolEntry)

    @property
    def judgements(self) -> Rows[Judgement]:
        return self._rows("judgements.jsonl", Judgement)

    def _rows(self, member: str, kind: type[R]) -> Rows[R]:
        return Rows(self.path / member, self.manifest["members"][member], kind)

    @property
    def name(self) -> str:
        return str(self.manifest["name"])

    @property
    def min_grade(self) -> int:
        return int(self.manifest["assessment"]["min_grade"])

    @property
    def held_out_rule(self) -> HeldOutRule:
        return held_out_rule(self.manifest)

    def gold(self, query_id: str) -> frozenset[str]:
        """The chunks of a query with a grade of at least `min_grade`."""
        grade_by_chunk = self.qrels.get(query_id, {})
        return frozenset(c for c, grade in grade_by_chunk.items() if grade >= self.min_grade)

    def query_class(self, query_id: str) -> QueryClass:
        return self.held_out_rule.query_class(
            self.doc_id_by_chunk[chunk_id] for chunk_id in self.gold(query_id)
        )


def held_out_rule(manifest: Mapping[str, Any]) -> HeldOutRule:
    """The rule that a manifest states under `held_out`."""
    rule = manifest["held_out"]
    return HeldOutRule(rule["salt"], rule["buckets"], tuple(rule["held_out"]))


def grade_by_rule(grades: Sequence[int], rule: Rule) -> int:
    """
    What a rule makes of the grades of one pair, at least one.

    `majority` takes the grade most assessors gave and the lower one of a tie; `median` the
    lower of two middle ones: a doubtful chunk is not made gold.
    """
    if rule == "majority":
        return min(set(grades), key=lambda grade: (-grades.count(grade), grade))
    if rule == "median":
        return sorted(grades)[(len(grades) - 1) // 2]
    return max(grades) if rule == "highest" else min(grades)


# How content is spelled


def canonical_line(row: Mapping[str, Any]) -> str:
    """One JSON line, always the same bytes for the same content. Raises ValueError for NaN."""
    return _CANONICAL.encode(row) + "\n"


# Made once: json.dumps would make one for every line.
_CANONICAL = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


def qrels_line(query_id: str, chunk_id: str, grade: int) -> str:
    """A grade as TREC has it, its ids encoded."""
    return f"{encode_id(query_id)} 0 {encode_id(chunk_id)} {grade:d}\n"


def manifest_text(manifest: Mapping[str, Any]) -> str:
    """The manifest as its file holds it. Raises ValueError for NaN."""
    text = json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True)
    return text + "\n"


def text_sha256(text: str) -> str:
    """Hex SHA-256 of the text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def utc_text(moment: datetime) -> str:
    """
    The moment as it stands in every file: ISO 8601, UTC, milliseconds, fixed width.

    A moment without a time zone is refused with ValueError, since it would name
    another instant on another machine, and so is one that is in no year of ours in UTC.
    """
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    try:
        return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
    except OverflowError:
        raise ValueError(f"{moment} is in no year from 1 to 9999 in UTC") from None


def encode_id(text: str) -> str:
    """
    The id as it stands in white-space separated files.

    White space, control characters and the per cent sign become %XX of their UTF-8
    bytes; all else is left alone, so that `decode_id` gives the id back exactly.
    """
    return _UNSAFE.sub(lambda it: "".join(f"%{b:02X}" for b in it.group().encode()), text)


_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f%]")


def decode_id(text: str) -> str:
    """The id that `encode_id` was given."""
    return unquote(text, errors="strict")


# Reading


def sha256_of_set(directory: Path) -> str:
    """The identity of a label set: the SHA-256 of its manifest's bytes."""
    return hashlib.sha256((directory / MANIFEST).read_bytes()).hexdigest()


def read_label_set(directory: Path, *, sha256: str | None = None) -> LabelSet:
    """
    The label set in a directory, after `verify` found nothing wrong with it.

    `sha256` is the identity an experiment pinned; any other set is refused. Raises
    LabelSetError listing every problem, or saying that this is no label set.
    """
    if not os.path.lexists(directory / MANIFEST):
        why = f"it has no {MANIFEST}" if directory.is_dir() else "there is no such directory"
        raise LabelSetError(
            f"{directory} is no label set: {why}. Name the directory that was frozen; "
            "a workspace keeps its own in labels/."
        )
    found = _read(directory, sha256)
    if isinstance(found, LabelSet):
        return found
    raise LabelSetError(
        f"The label set {directory} cannot be used. "
        "Restore the files, or freeze a new label set that supersedes this one:",
        found,
    )


def verify(directory: Path, *, sha256: str | None = None) -> tuple[Problem, ...]:
    """
    Every reason not to believe the label set in a directory; none means it is sound.

    Three questions are asked apart. Structure: is this a label set of this format, are
    its rows well formed, in order, and do they agree with each other? Completeness: is
    every member there, and nothing else? Bytes: does each member have the size, rows
    and SHA-256 that the manifest states, and the manifest the digest that was pinned?

    What rows say of each other is told only where each member by itself is sound.
    """
    found = _read(directory, sha256)
    return () if isinstance(found, LabelSet) else found


def _read(directory: Path, sha256: str | None) -> LabelSet | tuple[Problem, ...]:
    """The label set, or every problem; each file is read once."""
    own, between = _Problems(), _Problems()
    raw = _manifest_bytes(directory, own)
    found = hashlib.sha256(raw or b"").hexdigest()
    if raw is not None and sha256 not in (None, found):
        own.add(MANIFEST, "bytes", f"sha256 {sha256}", f"sha256 {found}")
    manifest = None if raw is None else _parsed_manifest(raw, own)
    if manifest is None:
        return own.listed()

    def lines(member: str) -> Iterator[bytes]:
        path = directory / member
        return _lines(path, manifest["members"][member], own) if path.is_file() else iter(())

    content = _Content(manifest, own=own, between=between)
    queries = tuple(map(content.query, _records(lines("queries.jsonl"), Query, own)))
    deque(map(content.pair, _records(lines("pool.jsonl"), PoolEntry, own)), maxlen=0)
    deque(map(content.event, _records(lines("judgements.jsonl"), Judgement, own)), maxlen=0)
    qrels = _parsed_qrels(lines("qrels.txt"), own)
    content.grades(qrels)
    if own or between:
        return own.listed() or between.listed()
    return LabelSet(directory, found, manifest, queries, qrels, content.doc_id_by_chunk())


class _Problems:
    """Problems as they are found; of each kind the first few and a count."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Aspect, str], list[str]] = {}
        self._count: Counter[tuple[str, Aspect, str]] = Counter()

    def __len__(self) -> int:
        return len(self._found)

    def add(self, member: str, question: Aspect, expected: str, found: object) -> None:
        kind = (_shown(member), question, _shown(expected))
        self._count[kind] += 1
        if self._count[kind] <= 5:
            self._found.setdefault(kind, []).append(_shown(str(found)))

    def wrong(self, member: str, expected: str, found: object) -> None:
        """What is not as the format has it."""
        self.add(member, "structure", expected, found)

    def listed(self) -> tuple[Problem, ...]:
        def words(kind: tuple[str, Aspect, str]) -> str:
            more = self._count[kind] - len(self._found[kind])
            return ", ".join(self._found[kind]) + (f" and {more} more" if more else "")

        return tuple(Problem(*kind, words(kind)) for kind in self._found)


def _shown(text: str) -> str:
    """The text with line ends and all that drives a terminal, or is no Unicode, spelled out."""
    return "".join(some if some.isprintable() else ascii(some)[1:-1] for some in text)


_READABLE = "a file that can be read"
_MOST_BYTES = 1 << 26
"""Of a manifest; and what a member may have too many and still be read for what is wrong."""


def _lines(path: Path, stated: Mapping[str, Any], problems: _Problems) -> Iterator[bytes]:
    """The lines of a member; after the last one, whether its bytes are those stated."""
    digest, size, rows = hashlib.sha256(), 0, 0
    try:
        with path.open("rb") as file:
            if (size := os.fstat(file.fileno()).st_size) > stated["bytes"] + _MOST_BYTES:
                problems.add(path.name, "bytes", f"bytes {stated['bytes']}", f"bytes {size}")
                return
            size = 0
            for rows, line in enumerate(file, start=1):  # noqa: B007
                yield line
                digest.update(line)
                size += len(line)
    except OSError as error:
        problems.add(path.name, "completeness", _READABLE, error.strerror)
        return
    except MemoryError:
        problems.add(path.name, "completeness", _READABLE, "a line that no memory has room for")
        return
    for key, found in (("bytes", size), ("rows", rows), ("sha256", digest.hexdigest())):
        if stated[key] != found:
            problems.add(path.name, "bytes", f"{key} {stated[key]}", f"{key} {found}")


def _records(lines: Iterable[bytes], kind: Any, problems: _Problems) -> Iterator[Any]:
    """The well-formed rows of a member, canonically spelled."""
    member = {Query: "queries.jsonl", PoolEntry: "pool.jsonl", Judgement: "judgements.jsonl"}[kind]
    expected = f"rows with the keys {', '.join(sorted(kind.__annotations__))}"
    for number, line in enumerate(lines, start=1):
        try:
            text = line.decode()
            row = json.loads(text)
            record = _record(row, kind)
            _check_spelling(member, number, text, canonical_line(row), problems)
            yield record
        except (ValueError, RecursionError) as error:
            problems.wrong(member, expected, f"line {number}: {error}")


def _record(row: Any, kind: Any) -> Any:
    """The record of a row, or ValueError for what no record of that kind can hold."""
    if not isinstance(row, dict) or row.keys() != kind.__annotations__.keys():
        raise ValueError(f"the keys {sorted(row)}" if isinstance(row, dict) else repr(row)[:80])
    values = row
    if kind is Query and isinstance(row["variants"], list):
        values = {**row, "variants": [_variant(each) for each in row["variants"]]}
    made = []
    for name, fits in _tests(kind):
        if not fits(value := values[name]):
            raise ValueError(f"{name} {value!r}"[:200])
        made.append(tuple(value) if isinstance(value, list) else value)
    return kind(*made)


def _variant(each: Any) -> tuple[str, int]:
    if not (isinstance(each, dict) and each.keys() == {"text", "count"}):
        raise ValueError(f"variants of {each!r}"[:200])
    return each["text"], each["count"]


_FORMS = {
    "judged_at": (
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z"
    ),
    "text_sha256": r"[0-9a-f]{64}",
    **dict.fromkeys(("event_id", "query_id", "chunk_id", "doc_id", "assessor"), ".+"),
}
"""Fields that are more than any text."""


@cache
def _tests(kind: Any) -> tuple[tuple[str, Callable[[Any], bool]], ...]:
    """Each field of a record with its test."""
    hints = kind.__annotations__
    return tuple((name, _test(hint, _FORMS.get(name))) for name, hint in hints.items())


@cache
def _test(hint: Any, form: str | None = None) -> Callable[[Any], bool]:  # noqa: PLR0911
    """
    Tells whether a value is what an annotation says. True is no number, and NaN is none.

    Made once for an annotation: to look into it again for each value of a million rows costs
    more than all else. A union is of something and None, and only text has a form.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if isinstance(hint, UnionType):
        some = _test(inner[0], form)
        return lambda value: value is None or some(value)
    if form is not None:
        formed = re.compile(form, re.DOTALL).fullmatch
        return lambda value: type(value) is str and formed(value) is not None
    if origin is tuple and inner[-1] is ...:
        each = _test(inner[0])
        return lambda value: isinstance(value, list) and all(map(each, value))
    if origin is tuple:
        return lambda value: len(value) == len(inner) and all(map(_fits, value, inner))
    if origin is Mapping:
        each = _test(inner[1])
        return lambda value: isinstance(value, dict) and all(map(each, value.values()))
    if hint is float:
        return lambda value: type(value) is int or (type(value) is float and math.isfinite(value))
    return lambda value: value in inner if origin is Literal else type(value) is hint


def _fits(value: Any, hint: Any) -> bool:
    return _test(hint)(value)


def _check_spelling(
    member: str, number: int, text: str, canonical: str, problems: _Problems
) -> None:
    if text != canonical:
        same = (one == other for one, other in zip(text, canonical, strict=False))
        at = next((n for n, equal in enumerate(same) if not equal), min(len(text), len(canonical)))
        line = number + text.count("\n", 0, at)
        found = f"line {line}: {text[at : at + 20]!r} where {canonical[at : at + 20]!r} belongs"
        problems.wrong(member, "the canonical spelling of its content", found)


def _parsed_qrels(lines: Iterable[bytes], problems: _Problems) -> dict[str, dict[str, int]]:
    """Grade by chunk by query of the well-formed lines."""
    qrels: dict[str, dict[str, int]] = {}
    last = ("", "")
    for number, line in enumerate(lines, start=1):
        try:
            text = line.decode()
            first, _, second, digits = text.split(" ")
            query_id, chunk_id, grade = decode_id(first), decode_id(second), int(digits)
        except ValueError:
            expected = "lines of query_id 0 chunk_id grade"
            problems.wrong("qrels.txt", expected, f"line {number}: {line[:80]!r}")
            continue
        canonical = qrels_line(query_id, chunk_id, grade)
        _check_spelling("qrels.txt", number, text, canonical, problems)
        if (key := (query_id, chunk_id)) <= last:
            problems.wrong("qrels.txt", _ORDER, " ".join(key))
        last = key
        qrels.setdefault(query_id, {})[sys.intern(chunk_id)] = grade
    return qrels


# Files and manifest


def _manifest_bytes(directory: Path, problems: _Problems) -> bytes | None:
    """The bytes of the manifest, if there is one, after a look at what lies beside it."""
    try:
        _check_files(directory, problems)
        path = directory / MANIFEST
        if not path.is_file():
            return None
        with path.open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
    except OSError as error:
        named = Path(os.fsdecode(error.filename or directory)).name
        problems.add(named, "completeness", _READABLE, error.strerror)
        return None
    if len(raw) > _MOST_BYTES:
        problems.wrong(MANIFEST, f"{_MOST_BYTES} bytes at the most", "more")
        return None
    return raw


def _check_files(directory: Path, problems: _Problems) -> None:
    """Is every member there, and nothing else?"""
    if not directory.is_dir():
        problems.add(MANIFEST, "completeness", f"a file in {directory}", "no such directory")
        return
    if directory.is_symlink():
        found = f"a link to {os.readlink(directory)}"
        problems.add(directory.name, "completeness", "a directory of its own", found)
    for path in sorted(directory.iterdir()):
        if path.name not in (*MEMBERS, MANIFEST):
            found = "a file the manifest does not name"
            problems.add(path.name, "completeness", "no such file", found)
        elif path.is_symlink():
            found = f"a link to {os.readlink(path)}"
            problems.add(path.name, "completeness", "a file of its own", found)
    for member in (MANIFEST, *MEMBERS):
        path = directory / member
        if not path.is_file():
            found = "something else" if os.path.lexists(path) else "nothing"
            problems.add(member, "completeness", "a file", found)


def _parsed_manifest(raw: bytes, problems: _Problems) -> Mapping[str, Any] | None:
    """The manifest, or None where it is too broken to read the members by it."""
    try:
        manifest = json.loads(raw.decode())
        stated = manifest.get("format") if isinstance(manifest, dict) else type(manifest).__name__
        if stated != FORMAT:
            problems.wrong(MANIFEST, f"format {FORMAT}", repr(stated))
            return None
        if not _check_manifest(manifest, problems):
            return None
    except ValueError as error:
        problems.wrong(MANIFEST, "JSON in UTF-8", error)
        return None
    except RecursionError:
        problems.wrong(MANIFEST, "JSON in UTF-8", "values nested too deeply to read")
        return None
    try:
        _check_spelling(MANIFEST, 1, raw.decode(), manifest_text(manifest), problems)
    except ValueError as error:
        problems.wrong(MANIFEST, "numbers that JSON has", error)
    return dict(manifest)


_MANIFEST_KEYS: Mapping[str, Any] = {
    **{"format": str, "name": str, "version": int, "frozen_at": str, "snapshot": dict},
    **{"sampling": dict | None, "pooling": dict, "assessment": dict, "held_out": dict},
    **{"header_work": dict, "supersedes": dict | None, "tool": str, "members": dict},
}
_SECTIONS: Mapping[str, Mapping[str, Any]] = {
    "sampling": {
        **{"design": str, "method": str, "seed": int, "logs": list},
        **{"window": dict | None, "strata": dict},
    },
    "pooling": {"depth": int | None},
    "assessment": {"made_by": tuple[str, ...], "negatives_recorded": bool},
    "header_work": {
        **{"begun": bool | None, "at": str | None, "declared_by": str | None},
        "treatments": tuple[str, ...],
    },
    "supersedes": {"name": str, "sha256": str},
}
"""What may stand in a section, as far as readers rely on it."""


def _check_manifest(manifest: Mapping[str, Any], problems: _Problems) -> bool:
    before = len(problems)

    def expect(holds: bool, expected: str, found: object) -> None:
        if not holds:
            problems.wrong(MANIFEST, expected, repr(found)[:200])

    for key, hint in _MANIFEST_KEYS.items():
        found = manifest.get(key, "nothing")
        expect(key in manifest and _fits(found, hint), f"the key {key!r}", found)
    for key in sorted(manifest.keys() - _MANIFEST_KEYS.keys()):
        expect(False, f"no keys but {', '.join(_MANIFEST_KEYS)}", key)
    if len(problems) > before:
        return False
    for section, hints in _SECTIONS.items():
        inside: Mapping[str, Any] = manifest[section] or {}
        for key in sorted(hints.keys() & inside.keys()):
            fits = _fits(inside[key], hints[key])
            expect(fits, f"{section}.{key} of the type in the specification", inside[key])
    assessment, rule = manifest["assessment"], manifest["held_out"]
    grades, least = assessment.get("grades"), assessment.get("min_grade")
    scale = isinstance(grades, dict) and all(re.fullmatch("0|[1-9][0-9]{0,8}", g) for g in grades)
    expect(scale, "assessment.grades, a meaning by grade", grades)
    above = scale and type(least) is int and least in sorted(map(int, grades))[1:]
    expect(above, "assessment.min_grade, a grade above the lowest", least)
    by = assessment.get("rule")
    expect(by is None or by in RULES, f"assessment.rule, one of {', '.join(RULES)}", by)
    buckets, held_out = rule.get("buckets"), rule.get("held_out")
    expect(
        _fits(rule.get("salt"), str)
        and (_fits(buckets, int) and buckets > 0)
        and _fits(held_out, list)
        and all(type(bucket) is int and 0 <= bucket < buckets for bucket in held_out),
        "held_out with salt, buckets and held_out, some of the buckets",
        rule,
    )
    sources = manifest["pooling"].get("sources", [])
    named = _fits(sources, list) and all(
        _fits(each, dict) and _fits(each.get("source"), str) for each in sources
    )
    expect(named, "pooling.sources, each with its source", sources)
    snapshot, at = manifest["snapshot"], manifest["frozen_at"]
    names = [snapshot.get(key) for key in ("name", "digest")]
    expect(_fits(names, tuple[str, ...]), "snapshot with name and digest", snapshot)
    moment = re.fullmatch(_FORMS["judged_at"], at) is not None and _is_day(at[:10])
    expect(moment, "frozen_at, UTC with milliseconds", at)
    expect(manifest["version"] > 0, "version, 1 or more", manifest["version"])
    stated = manifest["members"]
    for member in sorted({*MEMBERS, *stated}):
        entry = stated.get(member)
        if member not in MEMBERS:
            problems.wrong(MANIFEST, f"the members {', '.join(MEMBERS)}", member)
        else:
            expect(_describes(entry), f"bytes, rows and sha256 of {member}", entry)
    return len(problems) == before


def _describes(entry: Any) -> bool:
    """Whether an entry of the manifest says what a member's bytes are."""
    return (
        isinstance(entry, dict)
        and entry.keys() == {"bytes", "rows", "sha256"}
        and all(type(entry[key]) is int and entry[key] >= 0 for key in ("bytes", "rows"))
        and _fits(entry["sha256"], str)
    )


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


# What the rows say of themselves and of each other

_ORDER = "rows in order, none twice"
_State = tuple[tuple[int | None, ...], Given]
"""What stands on a pair: the last decision, if any, and each assessor's grade (or None)."""
_NO_GRADE: frozenset[int | None] = frozenset({None})


class _Content:
    """
    What the rows have to say of themselves and of each other, member by member in their order.

    Of a pair only what stands on it is kept. `own` takes what is wrong with a member by itself,
    `between` what is wrong between members.
    """

    def __init__(self, manifest: Mapping[str, Any], *, own: _Problems, between: _Problems) -> None:
        assessment, sources = manifest["assessment"], manifest["pooling"].get("sources")
        self._own, self._between = own, between
        self._scale = frozenset(int(grade) for grade in assessment["grades"])
        self._rule: Rule | None = assessment.get("rule")
        self._sources = sources and {each["source"] for each in sources}
        self._skipped: dict[str, bool] = {}
        self._pairs: dict[str, dict[str, _State]] = {}
        self._chunks: dict[str, tuple[str, str]] = {}  # document and text hash
        self._event_ids: set[str] = set()
        self._last_query, self._last_pair, self._last_moment = "", ("", ""), ""

    def query(self, query: Query) -> Query:
        if query.query_id <= self._last_query:
            self._own.wrong("queries.jsonl", _ORDER, query.query_id)
        self._last_query = query.query_id
        self._skipped[query.query_id] = query.skip_reason is not None
        if not _weighs_right(query):
            expected = (
                "a probability above 0 and up to 1, and weight = log_count / inclusion_probability"
            )
            self._own.wrong("queries.jsonl", expected, query.query_id)
        return query

    def pair(self, entry: PoolEntry) -> None:
        query_id, chunk_id, doc_id, sha256, found_by = entry
        if (key := (query_id, chunk_id)) <= self._last_pair:
            self._own.wrong("pool.jsonl", _ORDER, " ".join(key))
        if query_id != self._last_pair[0] and query_id not in self._skipped:
            self._between.wrong("pool.jsonl", "a query of queries.jsonl", query_id)
        self._last_pair = key
        if list(found_by) != sorted(set(found_by)):
            self._own.wrong("pool.jsonl", "found_by in order, none twice", ", ".join(found_by))
        if self._sources and (strange := {*found_by} - self._sources):
            expected = "found_by of pooling.sources in the manifest"
            self._between.wrong("pool.jsonl", expected, ", ".join(sorted(strange)))
        chunk_id = sys.intern(chunk_id)  # the same string for every pair of a chunk
        if self._chunks.setdefault(chunk_id, (doc_id, sha256)) != (doc_id, sha256):
            expected = "one document and one text of each chunk"
            self._own.wrong("pool.jsonl", expected, f"{query_id} {chunk_id}")
        self._pairs.setdefault(query_id, {})[chunk_id] = ((), ())

    def event(self, event: Judgement) -> None:
        event_id, at = event.event_id, event.judged_at
        if at < self._last_moment:
            self._own.wrong("judgements.jsonl", "events in time order", event_id)
        if at[:10] != self._last_moment[:10] and not _is_day(at[:10]):
            self._own.wrong("judgements.jsonl", "days of the calendar", at)
        self._last_moment = at
        if event_id in self._event_ids:
            self._own.wrong("judgements.jsonl", "each event id once", event_id)
        self._event_ids.add(event_id)
        graded = event.verdict == "grade"
        if not (event.grade in self._scale if graded else event.grade is None):
            expected = f"grades of the scale {sorted(self._scale)}"
            self._own.wrong("judgements.jsonl", expected, f"{event_id}: {event.grade}")
        pairs = self._pairs.get(event.query_id, {})
        if (before := pairs.get(event.chunk_id)) is None:
            found = f"{event.query_id} {event.chunk_id} of {event_id}"
            self._between.wrong("judgements.jsonl", "a pair of pool.jsonl", found)
            return
        pairs[event.chunk_id] = _state_after(before, event)
        if event.text_sha256 not in (None, self._chunks[event.chunk_id][1]):
            expected = "the text_sha256 of pool.jsonl"
            self._between.wrong("judgements.jsonl", expected, event_id)

    def grades(self, qrels: Qrels) -> None:
        """After the last event: whether the grades are those that the events give."""
        for query_id, grades in qrels.items():
            for chunk_id in sorted(grades.keys() - self._pairs.get(query_id, {}).keys()):
                self._between.wrong("qrels.txt", "a pair of pool.jsonl", f"{query_id} {chunk_id}")
            for chunk_id, grade in grades.items():
                if grade not in self._scale:
                    expected = f"a grade of the scale {sorted(self._scale)}"
                    self._own.wrong("qrels.txt", expected, f"{query_id} {chunk_id} {grade}")
        for query_id, pairs in self._pairs.items():
            skipped, given = self._skipped.get(query_id), qrels.get(query_id, {})
            for chunk_id, state in pairs.items():
                allowed = _NO_GRADE if skipped else self._allowed(state)
                if (found := given.get(chunk_id)) not in allowed:
                    words = " or ".join("none" if g is None else str(g) for g in allowed)
                    shown = "none" if found is None else found
                    shown = f"{query_id} {chunk_id}: {shown} and not {words}"
                    self._between.wrong("qrels.txt", "the grade that the events give", shown)

    def doc_id_by_chunk(self) -> dict[str, str]:
        return {chunk_id: doc_id for chunk_id, (doc_id, _) in self._chunks.items()}

    def _allowed(self, state: _State) -> frozenset[int | None]:
        """What qrels may say of a pair in that state, None being no grade."""
        decision, given = state
        found = decision or [grade for _, grade in given]
        grades = [grade for grade in found if grade is not None]
        if not given or not grades:
            return _NO_GRADE
        if self._rule is not None:
            return frozenset({grade_by_rule(grades, self._rule)})
        least, most = min(grades), max(grades)
        between = frozenset(grade for grade in self._scale if least <= grade <= most)
        return between | (_NO_GRADE if least < most else frozenset())


def _state_after(before: _State, event: Judgement) -> _State:
    decision, given = before
    left = () if event.verdict == "undone" else (event.grade,)
    if event.method == ADJUDICATION:
        return left, given
    others = [each for each in given if each[0] != event.assessor]
    now = [*others, *((event.assessor, grade) for grade in left)]
    return decision, tuple(sorted(now, key=itemgetter(0)))


def _weighs_right(query: Query) -> bool:
    probability, weight, count = query.inclusion_probability, query.weight, query.log_count
    if probability is None or count is None:
        return weight is None and (count is None or count >= 0)
    if not 0 < probability <= 1 or count < 0 or weight is None:
        return False
    try:
        return abs(weight * probability - count) <= 1e-9 * max(1, count)
    except OverflowError:  # an integer beyond every double
        return False


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify one directory: 0 if it is sound, 1 with a line for every problem if not."""
    parser = argparse.ArgumentParser(description="Verify a frozen label set.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--digest", metavar="SHA256", help="The identity that was pinned.")
    given = parser.parse_args(arguments)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # ids are of any script
    found = _read(given.directory, given.digest)
    if isinstance(found, LabelSet):
        print(f"{_shown(str(given.directory))} is consistent; its identity is {found.sha256}")
        return 0
    print(*found, sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
