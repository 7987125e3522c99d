"""
Ways to damage a frozen label set, each with what verify must say of it.

The broken sets are made from the golden ones when they are needed: what is wrong with a set
is then one line to read here, and not a byte somewhere in a hundred files. It also keeps
links, other encodings and names that differ only in case out of Git, which does not carry
them everywhere.
"""

import hashlib
import json
import shutil
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.labelset.format import Aspect

Change = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class Damage:
    """One way of being wrong: what is done to a copy, and which problem must be listed."""

    kind: str
    damage: Callable[[Path], object]
    member: str
    question: Aspect
    expected: str
    found: str
    golden: str = "graded"


def edit(path: Path, change: Change) -> None:
    """Change the bytes of a frozen file."""
    path.chmod(0o644)
    path.write_bytes(change(path.read_bytes()))


def edited(member: str, change: Change) -> Callable[[Path], None]:
    """Damage that edits one file."""
    return lambda folder: edit(folder / member, change)


def covered(member: str, change: Change) -> Callable[[Path], None]:
    """Damage that edits one member, and the manifest so that size, rows and digest fit again."""

    def damage(folder: Path) -> None:
        edit(folder / member, change)
        content = (folder / member).read_bytes()
        entry = {
            "bytes": len(content),
            "rows": len(content.splitlines(True)),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        stated(**{f"members__{member}": entry})(folder)

    return damage


def stated(**changes: object) -> Callable[[Path], None]:
    """Damage that sets keys of the manifest, `section__key` inside a section."""

    def damage(folder: Path) -> None:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        for name, value in changes.items():
            section, _, key = name.partition("__")
            if key:
                manifest[section][key] = value
            else:
                manifest[section] = value
        write_manifest(folder, manifest)

    return damage


def unstated(key: str) -> Callable[[Path], None]:
    """Damage that takes a key out of the manifest."""

    def damage(folder: Path) -> None:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        del manifest[key]
        write_manifest(folder, manifest)

    return damage


def write_manifest(folder: Path, manifest: object) -> None:
    """A manifest as the format wants it spelled."""
    text = json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    edit(folder / "manifest.json", lambda _: text.encode())


def replaced(old: str, new: str) -> Change:
    """The first occurrence of a text, which must be there, by another."""

    def change(content: bytes) -> bytes:
        assert old.encode() in content
        return content.replace(old.encode(), new.encode(), 1)

    return change


def _reversed(content: bytes) -> bytes:
    return b"".join(reversed(content.splitlines(True)))


def _first_twice(content: bytes) -> bytes:
    return content.splitlines(True)[0] + content


def _without_first(content: bytes) -> bytes:
    return content.split(b"\n", 1)[1]


def _without(event_id: str) -> Change:
    mark = f'"event_id":"{event_id}"'.encode()
    return lambda content: b"".join(r for r in content.splitlines(True) if mark not in r)


def _other_hashes(content: bytes) -> bytes:
    rows = [json.loads(line) for line in content.splitlines()]
    return _lines([{**r, "text_sha256": hashlib.sha256(b"?").hexdigest()} for r in rows])


def _last_hash_changed(content: bytes) -> bytes:
    *rows, last = content.splitlines(True)
    return b"".join([*rows, _other_hashes(last)])


def _keys_reversed(content: bytes) -> bytes:
    rows = [json.loads(line) for line in content.splitlines()]
    return _lines([dict(reversed(row.items())) for row in rows], sort_keys=False)


def _lines(rows: Sequence[dict[str, object]], *, sort_keys: bool = True) -> bytes:
    texts = (
        json.dumps(r, ensure_ascii=False, separators=(",", ":"), sort_keys=sort_keys) for r in rows
    )
    return "".join(f"{text}\n" for text in texts).encode()


def _decomposed(content: bytes) -> bytes:
    return unicodedata.normalize("NFD", content.decode()).encode()


def _utf16(content: bytes) -> bytes:
    return content.decode().encode("utf-16")


def _linked(folder: Path) -> None:
    shutil.copy(folder / "qrels.txt", folder.parent / "elsewhere")
    (folder / "qrels.txt").unlink()
    (folder / "qrels.txt").symlink_to(folder.parent / "elsewhere")


def _directory_linked(folder: Path) -> None:
    folder.rename(folder.parent / "elsewhere")
    folder.symlink_to(folder.parent / "elsewhere", target_is_directory=True)


def _a_directory(folder: Path) -> None:
    (folder / "qrels.txt").unlink()
    (folder / "qrels.txt").mkdir()


def _other_case(folder: Path) -> None:
    (folder / "qrels.txt").rename(folder / "Qrels.txt")


def _graded_otherwise(folder: Path) -> None:
    covered("judgements.jsonl", replaced('"e03","grade":0', '"e03","grade":1'))(folder)
    covered("qrels.txt", replaced("pay.md#0 0\n", "pay.md#0 1\n"))(folder)


_ROWS = "rows with the keys "
_SPELLING = "the canonical spelling of its content"
_EVENTS = "the grade that the events give"

FILES = (
    Damage(
        "changed byte",
        edited("qrels.txt", replaced(" 3\n", " 2\n")),
        *("qrels.txt", "bytes", "sha256 ", "sha256 "),
    ),
    Damage(
        "truncated",
        edited("pool.jsonl", lambda b: b[:-9]),
        *("pool.jsonl", "bytes", "bytes 832", "bytes 823"),
    ),
    Damage(
        "line removed",
        edited("pool.jsonl", _without_first),
        *("pool.jsonl", "bytes", "rows 5", "rows 4"),
    ),
    Damage(
        "re-ordered lines",
        edited("pool.jsonl", _reversed),
        *("pool.jsonl", "structure", "rows in order, none twice", "q2 keys.md#0"),
    ),
    Damage(
        "duplicate row",
        edited("pool.jsonl", _first_twice),
        *("pool.jsonl", "structure", "rows in order, none twice", "q1 leave.md#0"),
    ),
    Damage(
        "trailing blank line",
        edited("queries.jsonl", lambda b: b + b"\n"),
        *("queries.jsonl", "structure", _ROWS, "line 3: Expecting value"),
    ),
    Damage(
        "no line end at the end",
        edited("queries.jsonl", lambda b: b[:-1]),
        *("queries.jsonl", "structure", _SPELLING, r"line 2: '' where '\n' belongs"),
    ),
    Damage(
        "re-encoded as UTF-16",
        edited("qrels.txt", _utf16),
        *("qrels.txt", "structure", "lines of query_id 0 chunk_id grade", r"line 1: b'\xff\xfe"),
    ),
    Damage(
        "byte-order mark",
        edited("queries.jsonl", lambda b: b"\xef\xbb\xbf" + b),
        *("queries.jsonl", "structure", _ROWS, "line 1: Unexpected UTF-8 BOM"),
    ),
    Damage(
        "line ends CRLF",
        edited("pool.jsonl", lambda b: b.replace(b"\n", b"\r\n")),
        *("pool.jsonl", "structure", _SPELLING, r"line 1: '\r\n' where '\n' belongs"),
    ),
    Damage(
        "Unicode decomposed (NFD)",
        edited("queries.jsonl", _decomposed),
        *("queries.jsonl", "bytes", "sha256 ", "sha256 "),
        golden="unicode",
    ),
    Damage(
        "missing member",
        lambda folder: (folder / "queries.jsonl").unlink(),
        *("queries.jsonl", "completeness", "a file", "nothing"),
    ),
    Damage(
        "missing manifest",
        lambda folder: (folder / "manifest.json").unlink(),
        *("manifest.json", "completeness", "a file", "nothing"),
    ),
    Damage(
        "missing directory",
        shutil.rmtree,
        *("manifest.json", "completeness", "a file in", "no such directory"),
    ),
    Damage(
        "added file",
        lambda folder: (folder / "notes.txt").touch(),
        *("notes.txt", "completeness", "no such file", "a file the manifest does not name"),
    ),
    Damage(
        "name in other case",
        _other_case,
        *("Qrels.txt", "completeness", "no such file", "a file the manifest does not name"),
    ),
    Damage(
        "directory in place of a member",
        _a_directory,
        *("qrels.txt", "completeness", "a file", "something else"),
    ),
    Damage(
        "symlinked member",
        _linked,
        *("qrels.txt", "completeness", "a file of its own", "a link to "),
    ),
    Damage(
        "symlinked directory",
        _directory_linked,
        *("set", "completeness", "a directory of its own", "a link to "),
    ),
)
"""The files, under a manifest that was left alone."""

MANIFESTS = (
    Damage(
        "manifest cut short",
        edited("manifest.json", lambda b: b[:-3]),
        *("manifest.json", "structure", "JSON in UTF-8", "Expecting"),
    ),
    Damage(
        "manifest is no object",
        edited("manifest.json", lambda _: b"[]\n"),
        *("manifest.json", "structure", "format onecause-labels/1", "list"),
    ),
    Damage(
        "manifest with a byte-order mark",
        edited("manifest.json", lambda b: b"\xef\xbb\xbf" + b),
        *("manifest.json", "structure", "JSON in UTF-8", "BOM"),
    ),
    Damage(
        "manifest with a key twice",
        edited("manifest.json", replaced(' "name"', ' "name": "graded",\n "name"')),
        *("manifest.json", "structure", _SPELLING, "line "),
    ),
    Damage(
        "manifest with NaN",
        edited("manifest.json", replaced('"disagreements": 3', '"disagreements": NaN')),
        *("manifest.json", "structure", "numbers that JSON has", "not JSON compliant"),
    ),
    Damage(
        "foreign format version",
        stated(format="onecause-labels/2"),
        *("manifest.json", "structure", "format onecause-labels/1", "'onecause-labels/2'"),
    ),
    Damage(
        "key missing in the manifest",
        unstated("header_work"),
        *("manifest.json", "structure", "the key 'header_work'", "nothing"),
    ),
    Damage(
        "extra key in the manifest",
        stated(quality="high"),
        *("manifest.json", "structure", "no keys but format, name", "quality"),
    ),
    Damage(
        "member elsewhere",
        stated(**{"members__../x": {}}),
        *("manifest.json", "structure", "the members queries.jsonl", "../x"),
    ),
    Damage(
        "member not stated",
        stated(**{"members__qrels.txt": None}),
        *("manifest.json", "structure", "bytes, rows and sha256 of qrels.txt", "None"),
    ),
    Damage(
        "everything is gold",
        stated(assessment__min_grade=0),
        *("manifest.json", "structure", "assessment.min_grade, a grade above the lowest", "0"),
    ),
    Damage(
        "true as a number",
        stated(version=True),
        *("manifest.json", "structure", "the key 'version'", "True"),
    ),
    Damage(
        "unknown rule",
        stated(assessment__rule="mean"),
        *("manifest.json", "structure", "assessment.rule, one of majority", "'mean'"),
    ),
    Damage(
        "held-out bucket that does not exist",
        stated(held_out__held_out=[5]),
        *("manifest.json", "structure", "held_out with salt, buckets and held_out", "[5]"),
    ),
    Damage(
        "time of freezing on no day",
        stated(frozen_at="2026-02-30T16:30:00.000Z"),
        *("manifest.json", "structure", "frozen_at, UTC with milliseconds", "2026-02-30"),
    ),
    Damage(
        "version 0", stated(version=0), *("manifest.json", "structure", "version, 1 or more", "0")
    ),
    Damage(
        "rows as a number with a point",
        stated(**{"members__qrels.txt": {"bytes": 1, "rows": 3.0, "sha256": "0" * 64}}),
        *("manifest.json", "structure", "bytes, rows and sha256 of qrels.txt", "3.0"),
    ),
    Damage(
        "declaration that is no answer",
        stated(header_work__begun="no"),
        *("manifest.json", "structure", "header_work.begun of the type", "'no'"),
    ),
)
"""The manifest itself."""

COVERED = (
    Damage(
        "grade changed in qrels",
        covered("qrels.txt", replaced(" 3\n", " 2\n")),
        *("qrels.txt", "structure", _EVENTS, "q1 leave.md#0: 2 and not 3"),
    ),
    Damage(
        "rule changed in the manifest",
        stated(assessment__rule="highest"),
        *("qrels.txt", "structure", _EVENTS, "q1 leave.md#1: 1 and not 2"),
    ),
    Damage(
        "grade dropped from qrels",
        covered("qrels.txt", _without_first),
        *("qrels.txt", "structure", _EVENTS, "q1 leave.md#0: none and not 3"),
    ),
    Damage(
        "grade invented in qrels",
        covered("qrels.txt", lambda b: b + b"q2 0 keys.md#1 2\n"),
        *("qrels.txt", "structure", _EVENTS, "q2 keys.md#1: 2 and not none"),
    ),
    Damage(
        "grade off the scale",
        covered("qrels.txt", replaced(" 3\n", " 4\n")),
        *("qrels.txt", "structure", "a grade of the scale [0, 1, 2, 3]", "q1 leave.md#0 4"),
    ),
    Damage(
        "qrels of a strange pair",
        covered("qrels.txt", replaced("pay.md#0", "pay.md#9")),
        *("qrels.txt", "structure", "a pair of pool.jsonl", "q1 pay.md#9"),
    ),
    Damage(
        "grade spelled otherwise",
        covered("qrels.txt", replaced(" 3\n", " 03\n")),
        *("qrels.txt", "structure", _SPELLING, r"line 1: '03\n' where '3\n' belongs"),
    ),
    Damage(
        "id encoded otherwise",
        covered("qrels.txt", replaced("leave.md", "lea%76e.md")),
        *("qrels.txt", "structure", _SPELLING, "line 1: '%76e"),
    ),
    Damage(
        "grade changed in an event",
        covered("judgements.jsonl", replaced('"e05","grade":1', '"e05","grade":3')),
        *("qrels.txt", "structure", _EVENTS, "q1 leave.md#1: 1 and not 2"),
    ),
    Damage(
        "decision taken out",
        covered("judgements.jsonl", _without("e12")),
        *("qrels.txt", "structure", _EVENTS, "q2 keys.md#1: none and not 2"),
    ),
    Damage(
        "decision passed off as a judgement",
        covered("judgements.jsonl", replaced('"adjudication","note":"c', '"keys","note":"c')),
        *("qrels.txt", "structure", _EVENTS, "q2 keys.md#1: none and not 2"),
    ),
    Damage(
        "skipped query made judged",
        covered("queries.jsonl", replaced('"no need stated"', "null")),
        *("qrels.txt", "structure", _EVENTS, "q4 pay.md#0: none and not 0"),
        golden="binary",
    ),
    Damage(
        "event off the scale",
        covered("judgements.jsonl", replaced('"grade":3', '"grade":4')),
        *("judgements.jsonl", "structure", "grades of the scale [0, 1, 2, 3]", "e01: 4"),
    ),
    Damage(
        "grade that is no grade",
        covered("judgements.jsonl", replaced('"verdict":"grade"', '"verdict":"unsure"')),
        *("judgements.jsonl", "structure", "grades of the scale [0, 1, 2, 3]", "e01: 3"),
    ),
    Damage(
        "event twice",
        covered("judgements.jsonl", replaced('"e02"', '"e01"')),
        *("judgements.jsonl", "structure", "each event id once", "e01"),
    ),
    Damage(
        "events out of time order",
        covered("judgements.jsonl", replaced("09:00:01.000Z", "09:00:59.000Z")),
        *("judgements.jsonl", "structure", "events in time order", "e02"),
    ),
    Damage(
        "time without a zone",
        covered("judgements.jsonl", replaced("09:00:01.000Z", "09:00:01.000")),
        *("judgements.jsonl", "structure", _ROWS, "line 1: judged_at '2026-03-02T09:00:01.000'"),
    ),
    Damage(
        "time on no day",
        covered("judgements.jsonl", replaced("2026-03-", "2026-13-")),
        *("judgements.jsonl", "structure", "days of the calendar", "2026-13-"),
    ),
    Damage(
        "event on a strange pair",
        covered("judgements.jsonl", replaced("leave.md#0", "leave.md#9")),
        *("judgements.jsonl", "structure", "a pair of pool.jsonl", "q1 leave.md#9 of e01"),
    ),
    Damage(
        "text hash changed in the pool",
        covered("pool.jsonl", _other_hashes),
        *("judgements.jsonl", "structure", "the text_sha256 of pool.jsonl", "e01, e02, e03"),
    ),
    Damage(
        "chunk with two texts",
        covered("pool.jsonl", _last_hash_changed),
        *("pool.jsonl", "structure", "one document and one text of each chunk", "q4 pay.md#0"),
        golden="binary",
    ),
    Damage(
        "chunk of two documents",
        covered("pool.jsonl", replaced('"pay.md","found_by"', '"leave.md","found_by"')),
        *("pool.jsonl", "structure", "one document and one text of each chunk", "q4 pay.md#0"),
        golden="binary",
    ),
    Damage(
        "found_by of an unknown source",
        covered("pool.jsonl", replaced('"bm25"', '"bm26"')),
        *("pool.jsonl", "structure", "found_by of pooling.sources in the manifest", "bm26"),
    ),
    Damage(
        "found_by out of order",
        covered("pool.jsonl", replaced('"bm25","production"', '"production","bm25"')),
        *("pool.jsonl", "structure", "found_by in order, none twice", "production, bm25"),
    ),
    Damage(
        "pair of a strange query",
        covered("pool.jsonl", lambda b: b.replace(b'"q2"', b'"q9"')),
        *("pool.jsonl", "structure", "a query of queries.jsonl", "q9"),
    ),
    Damage(
        "re-ordered lines of qrels",
        covered("qrels.txt", _reversed),
        *("qrels.txt", "structure", "rows in order, none twice", "q1 pay.md#0, q1 leave.md#1"),
    ),
    Damage(
        "duplicate row of qrels",
        covered("qrels.txt", _first_twice),
        *("qrels.txt", "structure", "rows in order, none twice", "q1 leave.md#0"),
    ),
    Damage(
        "not UTF-8",
        covered("queries.jsonl", lambda b: b.replace(b"rotate", b"rot\xff")),
        *("queries.jsonl", "structure", _ROWS, "line 2: 'utf-8' codec"),
    ),
    Damage(
        "key missing",
        covered("queries.jsonl", replaced('"need":null,', "")),
        *("queries.jsonl", "structure", _ROWS, "line 1: the keys ['filter', 'group'"),
    ),
    Damage(
        "extra key",
        covered("queries.jsonl", replaced('"need":null', '"need":null,"title":"x"')),
        *("queries.jsonl", "structure", _ROWS, "'title'"),
    ),
    Damage(
        "keys in another order",
        covered("pool.jsonl", _keys_reversed),
        *("pool.jsonl", "structure", _SPELLING, "line 1: 'text_sha256"),
    ),
    Damage(
        "NaN",
        covered("judgements.jsonl", replaced('"active_seconds":null', '"active_seconds":NaN')),
        *("judgements.jsonl", "structure", _ROWS, "line 1: active_seconds nan"),
    ),
    Damage(
        "true as a grade",
        covered("judgements.jsonl", replaced('"grade":1', '"grade":true')),
        *("judgements.jsonl", "structure", _ROWS, "grade True"),
    ),
    Damage(
        "number spelled otherwise",
        covered("judgements.jsonl", replaced('"active_seconds":3.25', '"active_seconds":3.250')),
        *("judgements.jsonl", "structure", _SPELLING, "line 1: '0,"),
        golden="binary",
    ),
    Damage(
        "weight that does not follow",
        covered("queries.jsonl", replaced('"weight":12.0', '"weight":13.0')),
        *("queries.jsonl", "structure", "a probability above 0 and up to 1, and weight", "q2"),
        golden="binary",
    ),
    Damage(
        "count beyond any number",
        covered("queries.jsonl", replaced('"log_count":3,', f'"log_count":{10**400},')),
        *("queries.jsonl", "structure", "a probability above 0 and up to 1, and weight", "q2"),
        golden="binary",
    ),
    Damage(
        "probability above 1",
        covered("queries.jsonl", replaced(":1.0,", ":2.0,")),
        *("queries.jsonl", "structure", "a probability above 0 and up to 1, and weight", "q1"),
        golden="binary",
    ),
    Damage(
        "unknown origin",
        covered("queries.jsonl", replaced('"origin":"log"', '"origin":"guess"')),
        *("queries.jsonl", "structure", _ROWS, "line 1: origin 'guess'"),
    ),
    Damage(
        "empty id",
        covered("queries.jsonl", replaced('"query_id":"q1"', '"query_id":""')),
        *("queries.jsonl", "structure", _ROWS, "line 1: query_id ''"),
    ),
)
"""A member, with the manifest edited to match, so that all digests fit."""

DAMAGED = (*FILES, *MANIFESTS, *COVERED)

UNSEEN: tuple[tuple[str, Callable[[Path], None]], ...] = (
    ("query text changed", covered("queries.jsonl", replaced('"rotate key"', '"rotate"'))),
    (
        "assessor renamed everywhere",
        covered("judgements.jsonl", lambda b: b.replace(b"bob", b"joe")),
    ),
    ("document renamed", covered("pool.jsonl", replaced('"doc_id":"pay.md"', '"doc_id":"p.md"'))),
    ("date of freezing changed", stated(frozen_at="2026-01-01T00:00:00.000Z")),
    ("held-out rule changed", stated(held_out__held_out=[1])),
    ("declaration changed", stated(header_work__begun=False)),
    ("grade changed in its event and in qrels", _graded_otherwise),
    ("threshold changed", stated(assessment__min_grade=1)),
)
"""Covered changes that no other part of the set contradicts: only a pinned digest shows them."""
