"""
Whether the chunks that should be found can be found: every gold chunk against a store.

No work on embeddings finds a chunk that was dropped at ingestion, cut short, stored as
markup or given another id. Each gold chunk gets one verdict, and each query passes when all
of its gold does. Nothing is mended, and nothing here is a statistic.
"""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from evaluator.checks.live import OWN_FIELDS, StoreFields
from evaluator.checks.store import Stored, read_store
from evaluator.labelset.format import LabelSet, read_label_set, text_sha256
from evaluator.labelset.ledger import record_look
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import read_snapshot
from evaluator.text.messages import some_ids

FaultKind = Literal[
    "missing", "other tenant", "id drift", "truncated", "HTML", "encoding", "different", "repeated"
]
KINDS: dict[FaultKind, str] = {
    "missing": "no row has this id, and none this text where all rows were seen",
    "other tenant": "it stands under another tenant only",
    "id drift": "the text stands under another id",
    "truncated": "the stored text is the beginning of the judged one",
    "HTML": "the stored text holds markup that the judged one does not",
    "encoding": "the stored text is the judged one, its characters read or written as others",
    "different": "the stored text is another one",
    "repeated": "several rows have this id, and not one text",
}
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class ChunkFault:
    """What is wrong with one gold chunk, for which queries."""

    chunk_id: str
    kind: FaultKind
    detail: str
    query_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One query: how many gold chunks it has, and which of them failed. None failed: a pass."""

    query_id: str
    gold: int
    failed: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.failed


@dataclass(frozen=True, slots=True)
class Retrievable:
    """Every gold chunk of a label set against one store."""

    labels: str
    store: str
    rows: int
    gold: int
    outcomes: tuple[Outcome, ...]
    findings: tuple[ChunkFault, ...]
    notes: tuple[str, ...]


def check_store(
    labels: Path,
    where: str,
    *,
    snapshot: Path | None = None,
    fields: StoreFields = OWN_FIELDS,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Retrievable:
    """
    Compare the stored text of each gold chunk with what was judged.

    The label set knows a digest of every judged text; with `snapshot` also the text, so that
    a difference can be shown where it begins. Excerpts of held-out chunks are a look, which
    is written to the ledger first.
    """
    opened = read_label_set(labels)
    queries = _queries_by_gold(opened)
    judged = {e.chunk_id: e.text_sha256 for e in opened.pool if e.chunk_id in queries}
    chunks = read_snapshot(snapshot).fetch_unchanged(judged) if snapshot else {}
    stored = read_store(where, list(queries), sha256s=frozenset(judged.values()), fields=fields)
    findings = tuple(
        ChunkFault(chunk_id, *verdict, tuple(queries[chunk_id]))
        for chunk_id in queries
        if (verdict := _verdict(chunk_id, judged[chunk_id], chunks.get(chunk_id), stored))
    )
    _note_look(opened, [one.chunk_id for one in findings], at=clock)
    wrong = {one.chunk_id for one in findings}
    return Retrievable(
        labels=opened.name,
        store=stored.name,
        rows=stored.rows,
        gold=len(queries),
        outcomes=tuple(
            Outcome(q.query_id, len(gold), tuple(sorted(gold & wrong)))
            for q in opened.queries
            if (gold := opened.gold(q.query_id))
        ),
        findings=findings,
        notes=_notes(stored, snapshot),
    )


def retrievable_text(found: Retrievable) -> str:
    """The counts, each failed chunk under what is wrong with it, and each failed query."""
    failed = [one for one in found.outcomes if not one.passed]
    passed = len(found.outcomes) - len(failed)
    lines = [
        f"{found.store}: {found.gold - len(found.findings):,} of {found.gold:,} gold chunks are "
        f"stored as they were judged; {passed:,} of {len(found.outcomes):,} queries with gold pass"
    ]
    counts = Counter(one.kind for one in found.findings)
    for kind, meaning in KINDS.items():
        if counts[kind]:
            lines.append(f"{kind}: {counts[kind]:,} ({meaning})")
            lines += [
                f"- {one.chunk_id}: {one.detail} [queries {some_ids(one.query_ids, most=3)}]"
                for one in found.findings
                if one.kind == kind
            ]
    if failed:
        lines.append("queries that fail:")
        lines += [
            f"- {one.query_id}: {len(one.failed)} of {one.gold} gold chunks, "
            f"{some_ids(one.failed, most=3)}"
            for one in failed
        ]
    return "\n".join([*lines, *found.notes])


def retrievable_json(found: Retrievable) -> dict[str, Any]:
    """The same for a program, with every query, passed or failed."""
    return {
        **asdict(found),
        "outcomes": [asdict(one) | {"passed": one.passed} for one in found.outcomes],
        "counts": dict(Counter(one.kind for one in found.findings)),
    }


def _queries_by_gold(labels: LabelSet) -> dict[str, list[str]]:
    """The queries of each gold chunk, in the order of the chunks' ids."""
    found: dict[str, list[str]] = {}
    for query in labels.queries:
        for chunk_id in labels.gold(query.query_id):
            found.setdefault(chunk_id, []).append(query.query_id)
    return dict(sorted(found.items()))


def _verdict(
    chunk_id: str, sha256: str, judged: Chunk | None, stored: Stored
) -> tuple[FaultKind, str] | None:
    """What is wrong with a chunk, or None: the id has one text and it is the judged one."""
    found = stored.texts.get(chunk_id, ())
    if len(set(found)) > 1:
        return "repeated", f"{len(found)} rows, {len(set(found))} texts"
    if found and text_sha256(found[0]) == sha256:
        return None
    elsewhere = [one for one in (stored.ids_by_sha256 or {}).get(sha256, ()) if one != chunk_id]
    if elsewhere:
        under = f"the judged text stands under {', '.join(map(repr, elsewhere[:3]))}"
        return "id drift", under + (f"; under its own id: {_excerpt(found[0], 0)}" if found else "")
    if not found:
        tenants = ", ".join(sorted(set(stored.tenants.get(chunk_id, ()))))
        return ("other tenant", tenants) if tenants else ("missing", "not in the store")
    text = judged.text if judged else None
    drift = character_drift(sha256, text, found[0])
    return ("encoding", drift) if drift else _compare(sha256, text, found[0])


def character_drift(sha256: str, judged: str | None, found: str) -> str | None:
    """How the characters of a stored text became others, if nothing else happened to it."""
    ways = [(f"not in {f} as it was judged", unicodedata.normalize(f, found)) for f in _FORMS]
    for page in ("cp1252", "latin-1"):
        with suppress(UnicodeError):
            ways.append((f"UTF-8 that was read as {page}", found.encode(page).decode()))
    text = judged or ""
    pairs = zip(text, found, strict=False)
    if len(text) == len(found) and all(a == b or (a > "\x7f" and b in "?\ufffd") for a, b in pairs):
        ways.append(("characters were lost", text))
    for how, before in ways:
        if text_sha256(before) == sha256:
            return f"{how}: {_first_difference(before, found)}"
    return None


def _compare(sha256: str, judged: str | None, found: str) -> tuple[FaultKind, str]:
    if judged is None or text_sha256(html.unescape(found)) == sha256:
        entities = text_sha256(html.unescape(found)) == sha256
        kind: FaultKind = "HTML" if entities or _TAG.search(found) else "different"
        return kind, f"stored: {_excerpt(found, 0)}"
    if judged.startswith(found.rstrip()):
        return "truncated", (
            f"ends after {len(found):,} of {len(judged):,} characters; cut off: "
            f"{_excerpt(judged, len(found.rstrip()))}"
        )
    if len(_TAG.findall(found)) > len(_TAG.findall(judged)):
        same = html.unescape(_TAG.sub(" ", found)).split() == judged.split()
        return "HTML", _first_difference(judged, found) + (
            "; without its tags it is the judged text" if same else ""
        )
    if judged.split() == found.split():
        return "different", "only in white space: " + _first_difference(judged, found)
    if found.endswith(judged):
        before = len(found) - len(judged)
        return "different", f"{before:,} characters stand before the text: {_excerpt(found, 0)}"
    return "different", _first_difference(judged, found)


def _first_difference(judged: str, found: str) -> str:
    pairs = zip(judged, found, strict=False)
    at = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(judged), len(found)))
    start = max(0, at - 15)
    return (
        f"from character {at + 1:,} on: judged {_excerpt(judged, start)}, "
        f"stored {_excerpt(found, start)}"
    )


def _excerpt(text: str, start: int) -> str:
    some = text[start : start + _SHOWN]
    return repr(("..." if start else "") + some + ("..." if len(text) > start + _SHOWN else ""))


def _note_look(labels: LabelSet, shown: Sequence[str], *, at: Callable[[], datetime]) -> None:
    rule, documents = labels.held_out_rule, labels.doc_id_by_chunk
    held_out = [chunk_id for chunk_id in shown if rule.holds_out(documents[chunk_id])]
    if held_out:
        record_look(
            labels,
            at=at(),
            experiment="",
            sha256="",
            split="held-out",
            what=f"stored texts of {len(held_out)} gold chunks",
        )


def _notes(stored: Stored, snapshot: Path | None) -> tuple[str, ...]:
    notes = []
    if stored.ids_by_sha256 is None:
        notes.append(
            "This store was asked by id, so a missing chunk may stand under another id; an export "
            "would tell."
        )
    if not stored.rows:
        notes.append("Not one of the ids is there: are --collection and --id-field the right ones?")
    if snapshot is None:
        notes.append(
            "Texts were compared by their digests. With --snapshot the first difference is shown."
        )
    return tuple(notes)
