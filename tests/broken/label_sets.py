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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.labelset.format import Aspect

Change = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class Damage:
    """One way of being wrong: what is done to a copy, and which problem must be listed."""

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


def in_file(member: str, change: Change, expected: str, found: str) -> Damage:
    """Damage to the rows of a member, under a manifest that still states those before."""
    return Damage(edited(member, change), member, "structure", expected, found)


def in_rows(
    member: str, change: Change, expected: str, found: str, *, golden: str = "graded"
) -> Damage:
    """Covered damage to the rows of a member."""
    return Damage(covered(member, change), member, "structure", expected, found, golden)


def in_grades(member: str, change: Change, found: str, *, golden: str = "graded") -> Damage:
    """Covered damage to a member, after which the grades do not follow from the events."""
    return Damage(covered(member, change), "qrels.txt", "structure", _EVENTS, found, golden)


def in_manifest(damage: Callable[[Path], object], expected: str, found: str) -> Damage:
    """Damage to the manifest, of which it is told."""
    return Damage(damage, "manifest.json", "structure", expected, found)


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


_QUERIES, _POOL = "queries.jsonl", "pool.jsonl"
_JUDGED, _QRELS = "judgements.jsonl", "qrels.txt"
_ORDER, _CHUNK = "rows in order, none twice", "one document and one text of each chunk"
_SCALE, _PAIR = "grades of the scale [0, 1, 2, 3]", "a pair of pool.jsonl"
_WEIGHT = "a probability above 0 and up to 1, and weight"
_ROWS = "rows with the keys "
_SPELLING = "the canonical spelling of its content"
_EVENTS = "the grade that the events give"

FILES: Mapping[str, Damage] = {
    "changed byte": Damage(
        edited(_QRELS, replaced(" 3\n", " 2\n")), _QRELS, "bytes", "sha256 ", "sha256 "
    ),
    "truncated": Damage(edited(_POOL, lambda b: b[:-9]), _POOL, "bytes", "bytes 832", "bytes 823"),
    "line removed": Damage(edited(_POOL, _without_first), _POOL, "bytes", "rows 5", "rows 4"),
    "re-ordered lines": in_file(_POOL, _reversed, _ORDER, "q2 keys.md#0"),
    "duplicate row": in_file(_POOL, _first_twice, _ORDER, "q1 leave.md#0"),
    "trailing blank line": in_file(_QUERIES, lambda b: b + b"\n", _ROWS, "line 3: Expecting value"),
    "no line end at the end": in_file(
        _QUERIES, lambda b: b[:-1], _SPELLING, r"line 2: '' where '\n' belongs"
    ),
    "re-encoded as UTF-16": in_file(
        _QRELS, _utf16, "lines of query_id 0 chunk_id grade", r"line 1: b'\xff\xfe"
    ),
    "byte-order mark": in_file(
        _QUERIES, lambda b: b"\xef\xbb\xbf" + b, _ROWS, "line 1: Unexpected UTF-8 BOM"
    ),
    "line ends CRLF": in_file(
        _POOL, lambda b: b.replace(b"\n", b"\r\n"), _SPELLING, r"line 1: '\r\n' where '\n' belongs"
    ),
    "Unicode decomposed (NFD)": Damage(
        edited(_QUERIES, _decomposed), _QUERIES, "bytes", "sha256 ", "sha256 ", golden="unicode"
    ),
    "missing member": Damage(
        lambda folder: (folder / _QUERIES).unlink(), _QUERIES, "completeness", "a file", "nothing"
    ),
    "missing manifest": Damage(
        lambda folder: (folder / "manifest.json").unlink(),
        "manifest.json",
        "completeness",
        "a file",
        "nothing",
    ),
    "missing directory": Damage(
        shutil.rmtree, "manifest.json", "completeness", "a file in", "no such directory"
    ),
    "added file": Damage(
        lambda folder: (folder / "notes.txt").touch(),
        "notes.txt",
        "completeness",
        "no such file",
        "a file the manifest does not name",
    ),
    "name in other case": Damage(
        _other_case,
        "Qrels.txt",
        "completeness",
        "no such file",
        "a file the manifest does not name",
    ),
    "directory in place of a member": Damage(
        _a_directory, _QRELS, "completeness", "a file", "something else"
    ),
    "symlinked member": Damage(_linked, _QRELS, "completeness", "a file of its own", "a link to "),
    "symlinked directory": Damage(
        _directory_linked, "set", "completeness", "a directory of its own", "a link to "
    ),
}
"""The files, under a manifest that was left alone."""

MANIFESTS: Mapping[str, Damage] = {
    "manifest cut short": in_manifest(
        edited("manifest.json", lambda b: b[:-3]), "JSON in UTF-8", "Expecting"
    ),
    "manifest is no object": in_manifest(
        edited("manifest.json", lambda _: b"[]\n"), "format onecause-labels/1", "list"
    ),
    "manifest with a byte-order mark": in_manifest(
        edited("manifest.json", lambda b: b"\xef\xbb\xbf" + b), "JSON in UTF-8", "BOM"
    ),
    "manifest with a key twice": in_manifest(
        edited("manifest.json", replaced(' "name"', ' "name": "graded",\n "name"')),
        _SPELLING,
        "line ",
    ),
    "manifest with NaN": in_manifest(
        edited("manifest.json", replaced('"disagreements": 3', '"disagreements": NaN')),
        "numbers that JSON has",
        "not JSON compliant",
    ),
    "foreign format version": in_manifest(
        stated(format="onecause-labels/2"), "format onecause-labels/1", "'onecause-labels/2'"
    ),
    "key missing in the manifest": in_manifest(
        unstated("header_work"), "the key 'header_work'", "nothing"
    ),
    "extra key in the manifest": in_manifest(
        stated(quality="high"), "no keys but format, name", "quality"
    ),
    "member elsewhere": in_manifest(
        stated(**{"members__../x": {}}), "the members queries.jsonl", "../x"
    ),
    "member not stated": in_manifest(
        stated(**{"members__qrels.txt": None}), "bytes, rows and sha256 of qrels.txt", "None"
    ),
    "everything is gold": in_manifest(
        stated(assessment__min_grade=0), "assessment.min_grade, a grade above the lowest", "0"
    ),
    "true as a number": in_manifest(stated(version=True), "the key 'version'", "True"),
    "unknown rule": in_manifest(
        stated(assessment__rule="mean"), "assessment.rule, one of majority", "'mean'"
    ),
    "held-out bucket that does not exist": in_manifest(
        stated(held_out__held_out=[5]), "held_out with salt, buckets and held_out", "[5]"
    ),
    "time of freezing on no day": in_manifest(
        stated(frozen_at="2026-02-30T16:30:00.000Z"),
        "frozen_at, UTC with milliseconds",
        "2026-02-30",
    ),
    "version 0": in_manifest(stated(version=0), "version, 1 or more", "0"),
    "rows as a number with a point": in_manifest(
        stated(**{"members__qrels.txt": {"bytes": 1, "rows": 3.0, "sha256": "0" * 64}}),
        "bytes, rows and sha256 of qrels.txt",
        "3.0",
    ),
    "declaration that is no answer": in_manifest(
        stated(header_work__begun="no"), "header_work.begun of the type", "'no'"
    ),
}
"""The manifest itself."""

COVERED: Mapping[str, Damage] = {
    "grade changed in qrels": in_grades(
        _QRELS, replaced(" 3\n", " 2\n"), "q1 leave.md#0: 2 and not 3"
    ),
    "rule changed in the manifest": Damage(
        stated(assessment__rule="highest"),
        _QRELS,
        "structure",
        _EVENTS,
        "q1 leave.md#1: 1 and not 2",
    ),
    "grade dropped from qrels": in_grades(_QRELS, _without_first, "q1 leave.md#0: none and not 3"),
    "grade invented in qrels": in_grades(
        _QRELS, lambda b: b + b"q2 0 keys.md#1 2\n", "q2 keys.md#1: 2 and not none"
    ),
    "grade off the scale": in_rows(
        _QRELS, replaced(" 3\n", " 4\n"), "a grade of the scale [0, 1, 2, 3]", "q1 leave.md#0 4"
    ),
    "qrels of a strange pair": in_rows(
        _QRELS, replaced("pay.md#0", "pay.md#9"), _PAIR, "q1 pay.md#9"
    ),
    "grade spelled otherwise": in_rows(
        _QRELS, replaced(" 3\n", " 03\n"), _SPELLING, r"line 1: '03\n' where '3\n' belongs"
    ),
    "id encoded otherwise": in_rows(
        _QRELS, replaced("leave.md", "lea%76e.md"), _SPELLING, "line 1: '%76e"
    ),
    "grade changed in an event": in_grades(
        _JUDGED, replaced('"e05","grade":1', '"e05","grade":3'), "q1 leave.md#1: 1 and not 2"
    ),
    "decision taken out": in_grades(_JUDGED, _without("e12"), "q2 keys.md#1: none and not 2"),
    "decision passed off as a judgement": in_grades(
        _JUDGED,
        replaced('"adjudication","note":"c', '"keys","note":"c'),
        "q2 keys.md#1: none and not 2",
    ),
    "skipped query made judged": in_grades(
        _QUERIES,
        replaced('"no need stated"', "null"),
        "q4 pay.md#0: none and not 0",
        golden="binary",
    ),
    "event off the scale": in_rows(_JUDGED, replaced('"grade":3', '"grade":4'), _SCALE, "e01: 4"),
    "grade that is no grade": in_rows(
        _JUDGED, replaced('"verdict":"grade"', '"verdict":"unsure"'), _SCALE, "e01: 3"
    ),
    "event twice": in_rows(_JUDGED, replaced('"e02"', '"e01"'), "each event id once", "e01"),
    "events out of time order": in_rows(
        _JUDGED, replaced("09:00:01.000Z", "09:00:59.000Z"), "events in time order", "e02"
    ),
    "time without a zone": in_rows(
        _JUDGED,
        replaced("09:00:01.000Z", "09:00:01.000"),
        _ROWS,
        "line 1: judged_at '2026-03-02T09:00:01.000'",
    ),
    "time on no day": in_rows(
        _JUDGED, replaced("2026-03-", "2026-13-"), "days of the calendar", "2026-13-"
    ),
    "event on a strange pair": in_rows(
        _JUDGED, replaced("leave.md#0", "leave.md#9"), _PAIR, "q1 leave.md#9 of e01"
    ),
    "text hash changed in the pool": Damage(
        covered(_POOL, _other_hashes),
        *(_JUDGED, "structure", "the text_sha256 of pool.jsonl", "e01, e02, e03"),
    ),
    "chunk with two texts": in_rows(
        _POOL, _last_hash_changed, _CHUNK, "q4 pay.md#0", golden="binary"
    ),
    "chunk of two documents": in_rows(
        _POOL,
        replaced('"pay.md","found_by"', '"leave.md","found_by"'),
        _CHUNK,
        "q4 pay.md#0",
        golden="binary",
    ),
    "found_by of an unknown source": in_rows(
        _POOL, replaced('"bm25"', '"bm26"'), "found_by of pooling.sources in the manifest", "bm26"
    ),
    "found_by out of order": in_rows(
        _POOL,
        replaced('"bm25","production"', '"production","bm25"'),
        "found_by in order, none twice",
        "production, bm25",
    ),
    "pair of a strange query": in_rows(
        _POOL, lambda b: b.replace(b'"q2"', b'"q9"'), "a query of queries.jsonl", "q9"
    ),
    "re-ordered lines of qrels": in_rows(_QRELS, _reversed, _ORDER, "q1 pay.md#0, q1 leave.md#1"),
    "duplicate row of qrels": in_rows(_QRELS, _first_twice, _ORDER, "q1 leave.md#0"),
    "not UTF-8": in_rows(
        _QUERIES, lambda b: b.replace(b"rotate", b"rot\xff"), _ROWS, "line 2: 'utf-8' codec"
    ),
    "key missing": in_rows(
        _QUERIES, replaced('"need":null,', ""), _ROWS, "line 1: the keys ['filter', 'group'"
    ),
    "extra key": in_rows(
        _QUERIES, replaced('"need":null', '"need":null,"title":"x"'), _ROWS, "'title'"
    ),
    "keys in another order": in_rows(_POOL, _keys_reversed, _SPELLING, "line 1: 'text_sha256"),
    "NaN": in_rows(
        _JUDGED,
        replaced('"active_seconds":null', '"active_seconds":NaN'),
        _ROWS,
        "line 1: active_seconds nan",
    ),
    "true as a grade": in_rows(_JUDGED, replaced('"grade":1', '"grade":true'), _ROWS, "grade True"),
    "number spelled otherwise": in_rows(
        _JUDGED,
        replaced('"active_seconds":3.25', '"active_seconds":3.250'),
        _SPELLING,
        "line 1: '0,",
        golden="binary",
    ),
    "weight that does not follow": in_rows(
        _QUERIES, replaced('"weight":12.0', '"weight":13.0'), _WEIGHT, "q2", golden="binary"
    ),
    "count beyond any number": in_rows(
        _QUERIES,
        replaced('"log_count":3,', f'"log_count":{10**400},'),
        _WEIGHT,
        "q2",
        golden="binary",
    ),
    "probability above 1": in_rows(
        _QUERIES, replaced(":1.0,", ":2.0,"), _WEIGHT, "q1", golden="binary"
    ),
    "unknown origin": in_rows(
        _QUERIES, replaced('"origin":"log"', '"origin":"guess"'), _ROWS, "line 1: origin 'guess'"
    ),
    "empty id": in_rows(
        _QUERIES, replaced('"query_id":"q1"', '"query_id":""'), _ROWS, "line 1: query_id ''"
    ),
}
"""A member, with the manifest edited to match, so that all digests fit."""

DAMAGED = {**FILES, **MANIFESTS, **COVERED}

UNSEEN: Mapping[str, Callable[[Path], object]] = {
    "query text changed": covered(_QUERIES, replaced('"rotate key"', '"rotate"')),
    "assessor renamed everywhere": covered(_JUDGED, lambda b: b.replace(b"bob", b"joe")),
    "document renamed": covered(_POOL, replaced('"doc_id":"pay.md"', '"doc_id":"p.md"')),
    "date of freezing changed": stated(frozen_at="2026-01-01T00:00:00.000Z"),
    "held-out rule changed": stated(held_out__held_out=[1]),
    "declaration changed": stated(header_work__begun=False),
    "grade changed in its event and in qrels": _graded_otherwise,
    "threshold changed": stated(assessment__min_grade=1),
}
"""Covered changes that no other part of the set contradicts: only a pinned digest shows them."""
