"""
The frozen label set: what it holds, how it is written, read and checked.

This one file is the format `onecause-labels/1`, which `labelset.md` describes. It needs
nothing but the standard library, so anybody can copy it and check a label set without our
other code: `python labelset.py DIRECTORY [--digest SHA256]`. It knows nothing of how
queries were drawn or judged, nor of any system under comparison.

A label set is a directory of five files. `manifest.json` names the other four with
their size, rows and SHA-256; the SHA-256 of `manifest.json` is the identity of the set.
Rows are checked by one and the same code while they are written and while they are read,
one at a time; what is kept of a pair is a few bytes, so a set of millions fits in memory.

From top to bottom: the records; how ids, texts and moments are spelled; writing; reading and
verifying; the checks of files and manifest; the checks of rows.
"""

import argparse
import hashlib
import json
import math
import os
import re
import shutil
import sys
import tempfile
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from io import TextIOWrapper
from itertools import chain, islice
from json.encoder import encode_basestring as _text
from operator import attrgetter, itemgetter
from pathlib import Path
from types import UnionType
from typing import Any, Generic, Literal, NamedTuple, TypeVar, get_args, get_origin
from urllib.parse import unquote

FORMAT = "onecause-labels/1"
MANIFEST = "manifest.json"
_AT_ONCE = 100  # rows, each of which may have a long note
_MUCH = 1 << 24  # characters of them, from which each is written alone
MEMBERS = ("queries.jsonl", "pool.jsonl", "judgements.jsonl", "qrels.txt")
ADJUDICATION = "adjudication"
"""The method of an event that settles a disagreement instead of adding a grade to it."""

Origin = Literal["log", "known-item", "authored"]
Verdict = Literal["grade", "unsure", "undone"]
QueryClass = Literal["held-out", "tuning", "mixed", "no-gold"]
Question = Literal["structure", "completeness", "bytes"]
Rule = Literal["majority", "highest", "lowest", "median"]
RULES: tuple[Rule, ...] = get_args(Rule)


@dataclass(frozen=True, slots=True)
class Problem:
    """One way in which a directory is not the label set it says it is."""

    member: str
    question: Question
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


PairRow = tuple[str, str, str, str, tuple[str, ...]]
"""The fields of a PoolEntry."""
# fmt: off
EventRow = tuple[
    str, str, str, str, int | None, Verdict, str,
    float | None, int | None, str | None, str | None, str | None, str | None,
]
# fmt: on
"""The fields of a Judgement."""
Qrels = Mapping[str, Mapping[str, int]]
"""Grade by chunk id by query id."""
Given = tuple[tuple[str, int | None], ...]
"""What stands on a pair: assessors with their grades, None for "can't tell"."""
R = TypeVar("R")


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
        yield from _parsed(_lines(self.path, self.stated, problems), self.kind, problems)
        if problems:
            raise LabelSetError(f"{self.path} was changed while it was read", problems.listed())


@dataclass(frozen=True)
class LabelSet:
    """
    A verified label set. `qrels` is grade by chunk id by query id.

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


def canonical_line(row: Mapping[str, Any]) -> str:
    """One JSON line, always the same bytes for the same content. Raises ValueError for NaN."""
    return _CANONICAL.encode(row) + "\n"


# Made once: json.dumps would make one for every line.
_CANONICAL = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


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
    return _UNSAFE.sub(_escaped, text)


_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f%]")


def _escaped(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode())


def decode_id(text: str) -> str:
    """The id that `encode_id` was given."""
    return unquote(text, errors="strict")


def grade_by_rule(grades: Sequence[int], rule: Rule) -> int:
    """
    What a rule makes of the grades of one pair, at least one.

    `majority` takes the grade most assessors gave and the lower one of a tie; `median` the
    lower of two middle ones: a doubtful chunk is not made gold.
    """
    if rule == "majority":
        counts = Counter(grades)
        return min(counts, key=lambda grade: (-counts[grade], grade))
    if rule == "median":
        return sorted(grades)[(len(grades) - 1) // 2]
    return max(grades) if rule == "highest" else min(grades)


def held_out_rule(manifest: Mapping[str, Any]) -> HeldOutRule:
    """The rule that a manifest states under `held_out`."""
    rule = manifest["held_out"]
    return HeldOutRule(rule["salt"], rule["buckets"], tuple(rule["held_out"]))


# Writing


def write_label_set(
    directory: Path,
    *,
    queries: Iterable[Query],
    pool: Iterable[PairRow],
    judgements: Iterable[EventRow],
    qrels: Qrels,
    manifest: Mapping[str, Any],
) -> str:
    """
    Freeze a label set into a new directory and return its SHA-256.

    Everything is written beside the directory, flushed to disk, made read-only and
    then renamed, so a label set is there whole or not at all. Pairs and judgements are
    written as they come, in the order of query and chunk and in time order; queries and
    qrels are sorted here. Plain tuples do as pairs and judgements. An existing directory is
    never touched: a correction is a new set.

    Raises LabelSetError when the directory exists or `verify` would find a problem.
    """
    with label_set_draft(
        directory, queries=queries, pool=pool, judgements=judgements, manifest=manifest
    ) as draft:
        return draft.finish(qrels)


@contextmanager
def label_set_draft(
    directory: Path,
    *,
    queries: Iterable[Query],
    pool: Iterable[PairRow],
    judgements: Iterable[EventRow],
    manifest: Mapping[str, Any],
    aside: Path | None = None,
    elsewhere: "Told | None" = None,
) -> Iterator["Draft"]:
    """
    The same in two steps, for whom the grades of the events decide what is said of them.

    Unless `finish` was called, nothing is left when the block ends. `aside` is a free path on
    the same disk to write at; without it one is made up. Where pairs and events are many,
    another process may write them there at the same time, with `write_pairs` and `write_lines`:
    `elsewhere` waits for it and gives, by member, what these gave. The rows given here are
    then checked and not written, and may lack what is looked at where they are written:
    `found_by`, and what only its spelling is checked for.
    """
    _require_free(directory)
    problems = _Problems()
    whole = json.loads(json.dumps(manifest)) | {"format": FORMAT, "members": {}}
    if not _check_manifest(whole, problems):
        raise LabelSetError(f"{directory} was not frozen:", problems.listed())
    directory.parent.mkdir(parents=True, exist_ok=True)
    if aside is None:
        aside = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", dir=directory.parent))
    try:
        aside.mkdir(exist_ok=True)
        draft = Draft(directory, aside, whole, problems, elsewhere)
        draft.take(queries=queries, pool=pool, judgements=judgements)
        yield draft
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _require_free(directory: Path) -> None:
    if os.path.lexists(directory):
        raise LabelSetError(
            f"{directory} exists and a frozen set is never overwritten. Choose another name; "
            "to correct a set, freeze a new one that supersedes it."
        )


class Draft:
    """A label set beside its directory: queries, pairs and events are there, no more yet."""

    def __init__(
        self,
        directory: Path,
        aside: Path,
        manifest: dict[str, Any],
        problems: "_Problems",
        elsewhere: "Told | None",
    ) -> None:
        self._directory, self._aside = directory, aside
        self._manifest, self._problems = manifest, problems
        self._content = _Content(manifest, own=problems, between=problems)
        self._stated: dict[str, Mapping[str, Any]] = {}
        self._elsewhere, self._checked = elsewhere, dict[str, int]()

    def take(
        self, *, queries: Iterable[Query], pool: Iterable[PairRow], judgements: Iterable[EventRow]
    ) -> None:
        """Check the rows, and write those that nobody else writes."""
        with self._refused():
            self._write("queries.jsonl", sorted(queries, key=attrgetter("query_id")))
            take = self._write if self._elsewhere is None else self._check
            take("pool.jsonl", pool)
            take("judgements.jsonl", judgements)

    def _write(self, member: str, rows: Iterable[Any]) -> None:
        blocks = self._content.checked(member, rows)
        self._stated[member] = _write_blocks(self._aside / member, blocks)

    def _check(self, member: str, rows: Iterable[Any]) -> None:
        self._checked[member] = sum(map(len, self._content.checked(member, rows)))

    def take_what_others_wrote(self) -> None:
        """Wait for pairs and events that are written elsewhere. Raises what stopped that."""
        if self._elsewhere is None:
            return
        told = self._elsewhere()
        for found_by in told["pool.jsonl"]["found_by"]:
            self._content.check_sources(tuple(found_by))
        for member, checked in self._checked.items():
            stated = {key: told[member][key] for key in ("bytes", "rows", "sha256")}
            if (written := stated["rows"]) != checked:
                raise ValueError(f"of {member} {written} rows were written and {checked} checked")
            self._stated[member] = stated

    def given(self) -> Iterator[tuple[str, Iterator[tuple[str, Given]]]]:
        """What stands of all assessors on the pairs of each query, by chunk."""
        return self._content.given()

    def pairs_by_query(self) -> dict[str, int]:
        """How many pairs each query has."""
        return self._content.pairs_by_query()

    def sha256_by_chunk(self) -> dict[str, str]:
        """The hash of the text of each pooled chunk."""
        return self._content.sha256_by_chunk()

    def judged_on_others(self) -> int:
        """How many events are on another text of their chunk."""
        return self._content.on_other_texts

    def require_sound(self) -> None:
        """Refuse what is known to be wrong by now, with all that is."""
        if self._problems:
            raise LabelSetError(f"{self._directory} was not frozen:", self._problems.listed())

    def finish(self, qrels: Qrels, *, assessment: Mapping[str, Any] | None = None) -> str:
        """
        Write grade by chunk id by query id, and the manifest with what is still to be said of
        the assessment; put the directory in its place and return the SHA-256 of the set.
        """
        manifest, problems = self._manifest, self._problems
        manifest["assessment"] |= json.loads(json.dumps(assessment or {}))
        with self._refused():
            self._stated["qrels.txt"] = _write_texts(self._aside / "qrels.txt", _qrels_texts(qrels))
            self.take_what_others_wrote()
        manifest["members"] = {member: self._stated[member] for member in MEMBERS}
        self._content.finish(qrels, self._aside / "judgements.jsonl")
        _check_manifest(manifest, problems)
        with self._refused():
            _write_texts(self._aside / MANIFEST, [_manifest_text(manifest)])
        self.require_sound()
        self._aside.chmod(0o755)
        _require_free(self._directory)  # another may have frozen it meanwhile
        os.rename(self._aside, self._directory)
        _sync_directory(self._directory.parent)
        return sha256_of_set(self._directory)

    @contextmanager
    def _refused(self) -> Iterator[None]:
        """What no file can hold is told as a refusal."""
        try:
            yield
        except LabelSetError:
            raise
        except (TypeError, ValueError) as error:
            message = f"{self._directory} was not frozen: {error}"
            raise LabelSetError(message, self._problems.listed()) from error


def _query_line(query: Query) -> str:
    row = {name: getattr(query, name) for name in Query.__annotations__}
    variants = [{"text": text, "count": count} for text, count in query.variants]
    return canonical_line(row | {"variants": variants})


def _pool_line(entry: PairRow) -> str:
    """What `canonical_line` gives, in a third of the time."""
    query_id, chunk_id, doc_id, sha256, found_by = entry
    return (
        f'{{"chunk_id":{_text(chunk_id)},"doc_id":{_text(doc_id)},"found_by":{_few(found_by)},'
        f'"query_id":{_text(query_id)},"text_sha256":{_text(sha256)}}}\n'
    )


def _judgement_line(judgement: EventRow) -> str:
    """What `canonical_line` gives, in a third of the time."""
    event_id, query_id, chunk_id, assessor, grade, verdict, at = judgement[:7]
    seconds, position, method, sha256, note, source = judgement[7:]
    return (
        f'{{"active_seconds":{_number(seconds)},"assessor":{_few(assessor)},'
        f'"chunk_id":{_text(chunk_id)},"event_id":{_text(event_id)},"grade":{_few(grade)},'
        f'"imported_from":{_few(source)},"judged_at":{_text(at)},"method":{_few(method)},'
        f'"note":{"null" if note is None else _text(note)},"position":{_few(position)},'
        f'"query_id":{_text(query_id)},'
        f'"text_sha256":{"null" if sha256 is None else _text(sha256)},'
        f'"verdict":{_few(verdict)}}}\n'
    )


# Of fields with few values. 1, 1.0 and True are one key of a dictionary, but not of this one.
_few = lru_cache(maxsize=1 << 14, typed=True)(_CANONICAL.encode)


def _number(value: float | None) -> str:
    if type(value) is float and math.isfinite(value):
        return float.__repr__(value)
    return _CANONICAL.encode(value)


def _qrels_texts(qrels: Qrels) -> Iterator[str]:
    """The lines of each query as one text."""
    for query_id, grade_by_chunk in sorted(qrels.items()):
        start, grades = f"{encode_id(query_id)} 0 ", sorted(grade_by_chunk.items())
        if _UNSAFE.search("".join(grade_by_chunk)):
            grades = [(encode_id(chunk_id), grade) for chunk_id, grade in grades]
        yield "".join([f"{start}{chunk_id} {grade:d}\n" for chunk_id, grade in grades])


def _manifest_text(manifest: Mapping[str, Any]) -> str:
    return (
        json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True) + "\n"
    )


Told = Callable[[], Mapping[str, Mapping[str, Any]]]
"""Waits for members that are being written and gives what the manifest states of each."""


def write_lines(path: Path, lines: Iterable[str]) -> dict[str, Any]:
    """
    Write JSON lines, be they canonical or not, as a member whose name is the file's.

    What the manifest states of it is given. Raises ValueError for the first line that no reader
    would take.
    """
    return _write_texts(path, _sound_texts(path.name, _blocks(lines)))


def write_pairs(path: Path, rows: Iterable[PairRow]) -> dict[str, Any]:
    """The same from rows of the pool; and once each `found_by` that some have."""
    found_by: set[tuple[str, ...]] = set()

    def noted() -> Iterator[list[PairRow]]:
        for some in _blocks(rows):
            found_by.update(map(itemgetter(4), some))
            yield some

    return _write_blocks(path, noted()) | {"found_by": sorted(found_by)}


def _write_blocks(path: Path, blocks: Iterable[Sequence[Any]]) -> dict[str, Any]:
    return _write_texts(path, _sound_texts(path.name, blocks, spell=_LINE_OF[path.name]))


def _blocks(rows: Iterable[R]) -> Iterator[list[R]]:
    """So many at once that each costs little, and so few that they fit in memory."""
    rest = iter(rows)
    while some := list(islice(rest, _AT_ONCE)):
        yield some


def _sound_texts(
    member: str, blocks: Iterable[Sequence[Any]], *, spell: Callable[[Any], str] | None = None
) -> Iterator[str]:
    """
    The canonical lines of each block of lines, or of rows to spell.

    Most lines are plain, which one look tells of all of them.
    """
    kind = next(kind for kind, name in _KINDS.items() if name == member)
    plain = _plain_pattern(kind)
    all_plain, is_plain = re.compile(f"(?:{plain})*+").fullmatch, re.compile(plain).fullmatch

    def canonical(line: str) -> str:
        return line if is_plain(line) else _LINE_OF[member](_by_the_book(line, kind))

    before = 0
    for some in blocks:
        lines = _made_of_each(some, spell, member, before) if spell else some
        for part in [lines] if sum(map(len, lines)) < _MUCH else ([line] for line in lines):
            text = "".join(part)
            if all_plain(text) is None:
                text = "".join(_made_of_each(part, canonical, member, before))
            before += len(part)
            yield text


def _made_of_each(
    some: Iterable[Any], make: Callable[[Any], str], member: str, before: int
) -> list[str]:
    """Raises ValueError that names the line of which nothing can be made."""
    made: list[str] = []
    try:
        for each in some:
            made.append(make(each))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{member}, line {before + len(made) + 1}: {error}") from None
    return made


def _write_texts(path: Path, texts: Iterable[str]) -> dict[str, Any]:
    """Write whole lines into a read-only file and through to the disk; what is stated of it."""
    digest, size, rows = hashlib.sha256(), 0, 0
    with path.open("wb") as file:
        for text in texts:
            encoded = text.encode()
            digest.update(encoded)
            size += file.write(encoded)
            rows += text.count("\n")
        file.flush()
        os.fsync(file.fileno())
    path.chmod(0o444)
    return {"bytes": size, "rows": rows, "sha256": digest.hexdigest()}


def _sync_directory(path: Path) -> None:
    if os.name == "posix":
        handle = os.open(path, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)


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


def _read(directory: Path, sha256: str | None) -> "LabelSet | tuple[Problem, ...]":
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
    parsed = {m: content.checked(m, _parsed(lines(m), k, own)) for k, m in _KINDS.items()}
    queries = tuple(chain.from_iterable(parsed["queries.jsonl"]))
    deque(parsed["pool.jsonl"], maxlen=0)
    deque(parsed["judgements.jsonl"], maxlen=0)
    qrels = _parsed_qrels(lines("qrels.txt"), own)
    content.finish(qrels, directory / "judgements.jsonl")
    if own or between:
        return own.listed() or between.listed()
    return LabelSet(directory, found, manifest, queries, qrels, content.doc_id_by_chunk())


def _lines(path: Path, stated: Mapping[str, Any], problems: "_Problems") -> Iterator[bytes]:
    """The lines of a member; after the last one, whether its bytes are those stated."""
    digest, size, rows = hashlib.sha256(), 0, 0
    try:
        with path.open("rb") as file:
            if (size := os.fstat(file.fileno()).st_size) > stated["bytes"] + _MOST_BYTES:
                problems.add(path.name, "bytes", f"bytes {stated['bytes']}", f"bytes {size}")
                return
            size = 0
            while some := file.readlines(1 << 18):
                yield from some
                block = b"".join(some)
                digest.update(block)
                size += len(block)
                rows += len(some)
    except OSError as error:
        problems.add(path.name, "completeness", _READABLE, error.strerror)
        return
    except MemoryError:
        problems.add(path.name, "completeness", _READABLE, "a line that no memory has room for")
        return
    for key, found in (("bytes", size), ("rows", rows), ("sha256", digest.hexdigest())):
        if stated[key] != found:
            problems.add(path.name, "bytes", f"{key} {stated[key]}", f"{key} {found}")


def _parsed(lines: Iterable[bytes], kind: type[Any], problems: "_Problems") -> Iterator[Any]:
    """The well-formed rows: plain lines are read by their pattern, others by the book."""
    member = _KINDS[kind]
    plain = _plain_reader(kind)
    expected = f"rows with the keys {', '.join(sorted(kind.__annotations__))}"
    for number, line in enumerate(lines, start=1):
        try:
            text = line.decode()
            row = plain(text)
            if row is None:
                row = _by_the_book(text, kind)
                _check_spelling(member, number, text, _LINE_OF[member](row), problems)
            yield row
        except (ValueError, RecursionError) as error:
            problems.wrong(member, expected, f"line {number}: {error}")


_LINE_OF: Mapping[str, Callable[[Any], str]] = {
    "queries.jsonl": _query_line,
    "pool.jsonl": _pool_line,
    "judgements.jsonl": _judgement_line,
}
_KINDS = {Query: "queries.jsonl", PoolEntry: "pool.jsonl", Judgement: "judgements.jsonl"}


def _by_the_book(text: str, kind: Any) -> Any:
    """The record of a line, or ValueError for what no record of that kind can hold."""
    row = json.loads(text)
    if not isinstance(row, dict) or row.keys() != kind.__annotations__.keys():
        raise ValueError(f"the keys {sorted(row)}" if isinstance(row, dict) else repr(row)[:80])
    if kind is Query and isinstance(row["variants"], list):
        row["variants"] = [_variant(each) for each in row["variants"]]
    for name, fits, formed in _fields_of(kind):
        value = row[name]
        if not fits(value) or not (value is None or formed is None or formed(value)):
            raise ValueError(f"{name} {value!r}"[:200])
    return kind(**{n: tuple(v) if isinstance(v, list) else v for n, v in row.items()})


@cache
def _fields_of(
    kind: Any,
) -> tuple[tuple[str, Callable[[Any], bool], Callable[[str], Any] | None], ...]:
    """Of each field its name, what its value is tested by, and by what form, where it has one."""
    forms = {name: re.compile(form, re.DOTALL).fullmatch for name, form in _FORMS.items()}
    hints = kind.__annotations__
    return tuple((name, _fitting(hint), forms.get(name)) for name, hint in hints.items())


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


def _fits(value: object, hint: Any) -> bool:
    """Whether a value is what an annotation says. True is no number, and NaN is none."""
    return _fitting(hint)(value)


@cache
def _fitting(hint: Any) -> Callable[[Any], bool]:
    origin, inner = get_origin(hint), get_args(hint)
    if isinstance(hint, UnionType):
        one, other = map(_fitting, inner)
        return lambda value: one(value) or other(value)
    if origin is Literal:
        return lambda value: value in inner
    if origin is tuple:
        return _fitting_in_turn(inner)
    if origin is Mapping:
        fits_in = _fitting(inner[1])
        return lambda value: isinstance(value, dict) and all(map(fits_in, value.values()))
    if hint is float:
        return lambda value: type(value) is int or (type(value) is float and math.isfinite(value))
    return lambda value: type(value) is hint


def _fitting_in_turn(hints: tuple[Any, ...]) -> Callable[[Any], bool]:
    """Of the arguments of a tuple, which JSON has as a list."""
    tests = [_fitting(hint) for hint in hints if hint is not ...]
    any_length = hints[-1] is ...

    def fits(values: Any) -> bool:
        if not isinstance(values, (list, tuple)):
            return False
        if any_length:
            return all(map(tests[0], values))
        return len(values) == len(tests) and all(t(v) for t, v in zip(tests, values, strict=True))

    return fits


def _check_spelling(
    member: str, number: int, text: str, canonical: str, problems: "_Problems"
) -> None:
    if text != canonical:
        same = (one == other for one, other in zip(text, canonical, strict=False))
        at = next((n for n, equal in enumerate(same) if not equal), min(len(text), len(canonical)))
        line = number + text.count("\n", 0, at)
        found = f"line {line}: {text[at : at + 20]!r} where {canonical[at : at + 20]!r} belongs"
        problems.wrong(member, "the canonical spelling of its content", found)


def _plain_reader(kind: type[Any]) -> Callable[[str], Any]:
    """
    Reads a canonical line in which no character is escaped and no number odd; None for others.

    Whatever its pattern lets through is a record and spelled canonically.
    """
    hints, match = kind.__annotations__, re.compile(_plain_pattern(kind)).fullmatch
    in_order = itemgetter(*(sorted(hints).index(name) for name in hints))
    converters = [
        (place, convert)
        for place, hint in enumerate(hints.values())
        if (
            convert := next(
                (_CONVERTERS[h] for h in (hint, *get_args(hint)) if h in _CONVERTERS), None
            )
        )
    ]

    def read(text: str) -> Any:
        if (found := match(text)) is None:
            return None
        values = list(in_order(found.groups()))
        for place, convert in converters:
            if (value := values[place]) is not None:
                values[place] = convert(value)
        return kind._make(values)

    return read


def _plain_pattern(kind: type[Any]) -> str:
    """A pattern of plain lines, with a group for each field in the order of their names."""
    if kind is Query:
        return "(?!)"  # none: they are few, and have lists of records
    hints = kind.__annotations__
    pattern = ",".join(f'"{name}":{_plain_value(name, hints[name])}' for name in sorted(hints))
    return rf"\{{{pattern}\}}\n"


def _plain_value(name: str, hint: Any) -> str:
    """What a plain value of a field looks like, as one group."""
    some = r'[^"\\\x00-\x1f]'
    if isinstance(hint, UnionType):
        return f"(?:null|{_plain_value(name, get_args(hint)[0])})"
    if get_origin(hint) is Literal:
        return f'"({"|".join(get_args(hint))})"'
    if hint == tuple[str, ...]:
        return rf'\[((?:"{some}*+"(?:,"{some}*+")*+)?)\]'
    form = _FORMS.get(name, ".*")
    quoted = f'"({form.replace(".", some, 1) + "+" if form in (".+", ".*") else form})"'
    return {int: _PLAIN_INTEGER, float: _PLAIN_DECIMAL}.get(hint, quoted)


_PLAIN_INTEGER = "(0|[1-9][0-9]{0,8})"
# So few digits that the number is spelled as Python spells it.
_PLAIN_DECIMAL = r"((?:0|[1-9][0-9]{0,8})\.(?:0|[0-9]{0,3}[1-9]))"


@cache
def _names(listed: str) -> tuple[str, ...]:
    return tuple(json.loads(f"[{listed}]"))


_CONVERTERS: Mapping[Any, Callable[[str], Any]] = {
    int: int,
    float: float,
    tuple[str, ...]: _names,
}


def _parsed_qrels(lines: Iterable[bytes], problems: "_Problems") -> dict[str, dict[str, int]]:
    """Grade by chunk by query of the well-formed lines."""
    plain = re.compile(rf"([^\s%\x00-\x1f\x7f]++) 0 ([^\s%\x00-\x1f\x7f]++) {_PLAIN_INTEGER}\n")
    qrels: dict[str, dict[str, int]] = {}
    last = ("", "")
    for number, line in enumerate(lines, start=1):
        try:
            text = line.decode()
            if match := plain.fullmatch(text):
                query_id, chunk_id, digits = match.groups()
                grade = int(digits)
            else:
                first, _, second, digits = text.split(" ")
                query_id, chunk_id, grade = decode_id(first), decode_id(second), int(digits)
                (canonical,) = _qrels_texts({query_id: {chunk_id: grade}})
                _check_spelling("qrels.txt", number, text, canonical, problems)
        except ValueError:
            expected = "lines of query_id 0 chunk_id grade"
            problems.wrong("qrels.txt", expected, f"line {number}: {line[:80]!r}")
            continue
        if (key := (query_id, chunk_id)) <= last:
            problems.wrong("qrels.txt", _ORDER, " ".join(key))
        last = key
        qrels.setdefault(query_id, {})[sys.intern(chunk_id)] = grade
    return qrels


# Checking files and manifest


class _Problems:
    """Problems as they are found; of each kind the first few and a count."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Question, str], list[str]] = {}
        self._count: Counter[tuple[str, Question, str]] = Counter()

    def __len__(self) -> int:
        return len(self._found)

    def add(self, member: str, question: Question, expected: str, found: object) -> None:
        kind = (_shown(member), question, _shown(expected))
        self._count[kind] += 1
        if self._count[kind] <= 5:
            self._found.setdefault(kind, []).append(_shown(str(found)))

    def wrong(self, member: str, expected: str, found: object) -> None:
        """What is not as the format has it."""
        self.add(member, "structure", expected, found)

    def listed(self) -> tuple[Problem, ...]:
        def words(kind: tuple[str, Question, str]) -> str:
            more = self._count[kind] - len(self._found[kind])
            return ", ".join(self._found[kind]) + (f" and {more} more" if more else "")

        return tuple(Problem(*kind, words(kind)) for kind in self._found)


def _shown(text: str) -> str:
    """The text with line ends and all that drives a terminal, or is no Unicode, spelled out."""
    return "".join(some if some.isprintable() else ascii(some)[1:-1] for some in text)


_READABLE = "a file that can be read"
_MOST_BYTES = 1 << 26
"""Of a manifest; and what a member may have too many and still be read for what is wrong."""


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


_MANIFEST_KEYS: Mapping[str, Any] = {
    "format": str,
    "name": str,
    "version": int,
    "frozen_at": str,
    "snapshot": dict,
    "sampling": dict | None,
    "pooling": dict,
    "assessment": dict,
    "held_out": dict,
    "header_work": dict,
    "supersedes": dict | None,
    "tool": str,
    "members": dict,
}


def _parsed_manifest(raw: bytes, problems: _Problems) -> dict[str, Any] | None:
    """The manifest, or None where it is too broken to read the members by it."""
    try:
        return _sound_manifest(raw, problems)
    except RecursionError:
        problems.wrong(MANIFEST, "JSON in UTF-8", "values nested too deeply to read")
        return None


def _sound_manifest(raw: bytes, problems: _Problems) -> dict[str, Any] | None:
    try:
        manifest = json.loads(raw.decode())
    except ValueError as error:
        problems.wrong(MANIFEST, "JSON in UTF-8", error)
        return None
    stated = manifest.get("format") if isinstance(manifest, dict) else type(manifest).__name__
    if stated != FORMAT:
        problems.wrong(MANIFEST, f"format {FORMAT}", repr(stated))
        return None
    if not _check_manifest(manifest, problems) or not _check_members(manifest, problems):
        return None
    try:
        _check_spelling(MANIFEST, 1, raw.decode(), _manifest_text(manifest), problems)
    except ValueError as error:
        problems.wrong(MANIFEST, "numbers that JSON has", error)
    return dict(manifest)


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
    return len(problems) == before


def _check_members(manifest: Mapping[str, Any], problems: _Problems) -> bool:
    before, stated = len(problems), manifest["members"]
    for member in sorted({*MEMBERS, *stated}):
        entry = stated.get(member)
        if member not in MEMBERS:
            problems.wrong(MANIFEST, f"the members {', '.join(MEMBERS)}", member)
        elif not (
            isinstance(entry, dict)
            and entry.keys() == {"bytes", "rows", "sha256"}
            and all(type(entry[key]) is int and entry[key] >= 0 for key in ("bytes", "rows"))
            and _fits(entry["sha256"], str)
        ):
            problems.wrong(MANIFEST, f"bytes, rows and sha256 of {member}", repr(entry)[:200])
    return len(problems) == before


# What the rows say of themselves and of each other

_NO_GRADE: frozenset[int | None] = frozenset({None})
_ORDER = "rows in order, none twice"


@dataclass(slots=True, eq=False)
class _Standing:
    """
    What stands on a pair: the last decision, if any, and each assessor's grade (or None).

    There are few such states, and all pairs share them. `allowed` is what qrels may say of
    such a pair, None being no grade; `after` is the state after an event.
    """

    decision: tuple[int | None, ...]
    given: Given
    allowed: frozenset[int | None]
    after: dict[tuple[Any, ...], "_Standing"]


class _Content:
    """
    What the rows have to say of themselves and of each other, whoever reads or writes them.

    Rows come in blocks, of which each is passed on; of a pair only what stands on it is kept.
    Whoever takes a block refuses rows of another form; then it is looked at.
    `own` takes what is wrong with a member by itself, `between` what is wrong between members.
    """

    def __init__(self, manifest: Mapping[str, Any], *, own: _Problems, between: _Problems) -> None:
        assessment, sources = manifest["assessment"], manifest["pooling"].get("sources")
        self._own, self._between = own, between
        self._scale = {int(grade) for grade in assessment["grades"]}
        self._rule: Rule | None = assessment.get("rule")
        self._sources = sources and {each["source"] for each in sources}
        self._skipped: dict[str, bool] = {}
        self._pairs: dict[str, dict[str, _Standing]] = {}
        self._chunks: dict[str, tuple[str, str, str]] = {}  # its id, document and text hash
        self._standings: dict[tuple[Any, ...], _Standing] = {}
        self._nothing = self._standing((), ())
        self._event_hashes = [array("q") for _ in range(256)]
        self._last: tuple[str, ...] = ("", "")  # of a member: what it is in the order of
        self._last_day = ""
        self._sound_found_by: set[tuple[str, ...]] = set()
        self.on_other_texts = 0

    def checked(self, member: str, rows: Iterable[R]) -> Iterator[list[R]]:
        """The rows of a member in blocks; the members come in their order."""
        look: Mapping[str, Callable[[Any], None]] = {
            "queries.jsonl": self._look_at_queries,
            "pool.jsonl": self._look_at_pairs,
            "judgements.jsonl": self._look_at_events,
        }
        self._last = ("", "")
        for some in _blocks(rows):
            yield some
            look[member](some)

    def _look_at_queries(self, rows: Iterable[Query]) -> None:
        for query in rows:
            query_id = query.query_id
            if query_id <= self._last[0]:
                self._own.wrong("queries.jsonl", _ORDER, query_id)
            self._last = (query_id, "")
            self._skipped[query_id] = query.skip_reason is not None
            if not _weighs_right(query):
                expected = (
                    "a probability above 0 and up to 1, and weight = log_count / "
                    "inclusion_probability"
                )
                self._own.wrong("queries.jsonl", expected, query_id)

    def _look_at_pairs(self, rows: Iterable[PairRow]) -> None:
        last, chunks, nothing = self._last, self._chunks, self._nothing
        pairs = self._pairs.get(last[0], {})
        for query_id, chunk_id, doc_id, sha256, found_by in rows:
            if (key := (query_id, chunk_id)) <= last:
                self._own.wrong("pool.jsonl", _ORDER, " ".join(key))
            if query_id != last[0]:
                pairs = self._pairs.setdefault(query_id, {})
                if query_id not in self._skipped:
                    self._between.wrong("pool.jsonl", "a query of queries.jsonl", query_id)
            last = key
            if found_by not in self._sound_found_by:
                self.check_sources(found_by)
                self._sound_found_by.add(found_by)
            if (known := chunks.get(chunk_id)) is None:
                known = (sys.intern(chunk_id), sys.intern(doc_id), sha256)
                chunks[known[0]] = known
            elif known[1] != doc_id or known[2] != sha256:
                expected = "one document and one text of each chunk"
                self._own.wrong("pool.jsonl", expected, f"{query_id} {chunk_id}")
            pairs[known[0]] = nothing  # the same string for every pair of a chunk
        self._last = last

    def _look_at_events(self, rows: Iterable[EventRow]) -> None:
        last, last_query, day = *self._last, self._last_day
        hashes, chunks, pairs = self._event_hashes, self._chunks, self._pairs.get(last_query, {})
        for event in rows:
            event_id, query_id, chunk_id, who, grade, verdict, at, _, _, method, sha, _, _ = event
            if at < last:
                self._own.wrong("judgements.jsonl", "events in time order", event_id)
            if at[:10] != day and not _is_day(day := at[:10]):
                self._own.wrong("judgements.jsonl", "days of the calendar", at)
            last = at
            hashed = hash(event_id)
            hashes[hashed & 255].append(hashed)
            if query_id != last_query:
                last_query, pairs = query_id, self._pairs.get(query_id, {})
            act = (who, grade, verdict, method)
            before = pairs.get(chunk_id)
            if before is None or (after := before.after.get(act)) is None:
                after = self._after_first_such(event, before, act)
            if after is not None:
                pairs[chunk_id] = after
                if sha is not None and sha != chunks[chunk_id][2]:
                    self.on_other_texts += 1
                    expected = "the text_sha256 of pool.jsonl"
                    self._between.wrong("judgements.jsonl", expected, event_id)
        self._last, self._last_day = (last, last_query), day

    def finish(self, qrels: Qrels, judgements: Path) -> None:
        """After the last row: the grades that the events give, and events that have one id."""
        for query_id, grades in qrels.items():
            for chunk_id in sorted(grades.keys() - self._pairs.get(query_id, {}).keys()):
                self._between.wrong("qrels.txt", "a pair of pool.jsonl", f"{query_id} {chunk_id}")
            for chunk_id, grade in grades.items():
                if grade not in self._scale:
                    expected = f"a grade of the scale {sorted(self._scale)}"
                    self._own.wrong("qrels.txt", expected, f"{query_id} {chunk_id} {grade}")
        for query_id, pairs in self._pairs.items():
            skipped, given = self._skipped.get(query_id), qrels.get(query_id, {}).get
            for chunk_id, standing in pairs.items():
                allowed = _NO_GRADE if skipped else standing.allowed
                if given(chunk_id) not in allowed:
                    self._add_grade(query_id, chunk_id, given(chunk_id), allowed)
        for event_id in self._repeated_ids(judgements):
            self._own.wrong("judgements.jsonl", "each event id once", event_id)

    def pairs_by_query(self) -> dict[str, int]:
        return {query_id: len(pairs) for query_id, pairs in self._pairs.items()}

    def doc_id_by_chunk(self) -> dict[str, str]:
        return {chunk_id: doc_id for chunk_id, doc_id, _ in self._chunks.values()}

    def sha256_by_chunk(self) -> dict[str, str]:
        return {chunk_id: sha256 for chunk_id, _, sha256 in self._chunks.values()}

    def given(self) -> Iterator[tuple[str, Iterator[tuple[str, Given]]]]:
        for query_id, pairs in self._pairs.items():
            yield query_id, ((c, standing.given) for c, standing in pairs.items() if standing.given)

    def _add_grade(
        self, query_id: str, chunk_id: str, found: int | None, allowed: frozenset[int | None]
    ) -> None:
        words = " or ".join("none" if grade is None else str(grade) for grade in allowed)
        shown = f"{query_id} {chunk_id}: {'none' if found is None else found} and not {words}"
        self._between.wrong("qrels.txt", "the grade that the events give", shown)

    def _repeated_ids(self, judgements: Path) -> list[str]:
        """By the hashes that came twice, so that a million ids need no place in memory."""
        repeated = {
            hashed
            for some in self._event_hashes
            if len(set(some)) < len(some)
            for hashed, times in Counter(some).items()
            if times > 1
        }
        if not repeated:
            return []
        with judgements.open("rb") as lines:
            events = _parsed(lines, Judgement, _Problems())
            count_by_id = Counter(e.event_id for e in events if hash(e.event_id) in repeated)
        return sorted(event_id for event_id, times in count_by_id.items() if times > 1)

    def check_sources(self, found_by: tuple[str, ...]) -> None:
        if list(found_by) != sorted(set(found_by)):
            self._own.wrong("pool.jsonl", "found_by in order, none twice", ", ".join(found_by))
        if self._sources and (strange := {*found_by} - self._sources):
            expected = "found_by of pooling.sources in the manifest"
            self._between.wrong("pool.jsonl", expected, ", ".join(sorted(strange)))

    def _after_first_such(
        self, event: EventRow, before: _Standing | None, act: tuple[Any, ...]
    ) -> _Standing | None:
        """What stands after an event of which none was met yet, or that is wrong."""
        event_id, query_id, chunk_id, _, grade, verdict = event[:6]
        sound = grade in self._scale if verdict == "grade" else grade is None
        if not sound:
            expected = f"grades of the scale {sorted(self._scale)}"
            self._own.wrong("judgements.jsonl", expected, f"{event_id}: {grade}")
        if before is None:
            found = f"{query_id} {chunk_id} of {event_id}"
            self._between.wrong("judgements.jsonl", "a pair of pool.jsonl", found)
            return None
        after = self._after(before, *act)
        if sound:
            before.after[act] = after
        return after

    def _after(self, before: _Standing, *act: Any) -> _Standing:
        """What stands after an event, by what stood before it."""
        assessor, grade, verdict, method = act
        left: tuple[Any, ...] = () if verdict == "undone" else (grade,)
        if method == ADJUDICATION:
            return self._standing(left, before.given)
        others = [each for each in before.given if each[0] != assessor]
        now = [*others, *((assessor, each) for each in left)]
        return self._standing(before.decision, tuple(sorted(now, key=itemgetter(0))))

    def _standing(self, decision: tuple[Any, ...], given: tuple[Any, ...]) -> _Standing:
        if (decision, given) not in self._standings:
            allowed = self._grades_of(decision, given)
            self._standings[decision, given] = _Standing(decision, given, allowed, {})
        return self._standings[decision, given]

    def _grades_of(self, decision: tuple[Any, ...], given: tuple[Any, ...]) -> frozenset[Any]:
        grades = [grade for grade in (decision or map(itemgetter(1), given)) if grade is not None]
        if not given or not grades:
            return _NO_GRADE
        if self._rule is not None:
            return frozenset({grade_by_rule(grades, self._rule)})
        least, most = min(grades), max(grades)
        between = frozenset(grade for grade in self._scale if least <= grade <= most)
        return between | (_NO_GRADE if least < most else frozenset())


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


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
