"""
Freezing and reading a label set of 200,000 judgements: CPU seconds and peak memory.

A made-up workspace (4,000 queries of 48 pairs over 100,000 chunks, one query in 25 judged
by a second assessor) is frozen, then verified and read, each in a fresh process.
"""

import hashlib
import itertools
import json
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evaluator.labelset.format import (
    HeldOutRule,
    Judgement,
    PoolEntry,
    Query,
    read_label_set,
    text_sha256,
    utc_text,
)
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import write_snapshot
from labeler.freezing.freeze import freeze
from labeler.freezing.header_work import HeaderWork
from labeler.workspace.records import Settings
from labeler.workspace.workspace import Workspace
from tests.bench.goals import Goal, alone

QUERIES, QUICK = 4_000, 500
PAIRS, CHUNKS, TWICE, AT_ONCE = 48, 100_000, 25, 500
START = datetime(2026, 1, 1, tzinfo=UTC)


def make_workspace(folder: Path, queries: int, *, chunks: int = CHUNKS) -> None:
    """A workspace with that many judged queries."""
    made = [_chunk(n) for n in range(chunks)]
    snapshot = write_snapshot(
        folder / "snapshot", made, name="s", chunker={}, corpus="made up", created_at=START
    )
    settings = Settings(
        name="bench",
        created_at=utc_text(START),
        grades=((0, "not relevant"), (1, "relevant"), (2, "fully relevant")),
        min_grade=1,
        held_out_rule=HeldOutRule("00", 5, (0,)),
        snapshot_name=snapshot.name,
        snapshot_digest=snapshot.digest,
        order_seed="seed",
    )
    workspace = Workspace.create(folder, settings=settings)
    hashes = [text_sha256(chunk.text) for chunk in made]
    for start in range(0, queries, AT_ONCE):
        numbers = range(start, start + AT_ONCE)
        asked = itertools.product(numbers, range(PAIRS))
        places = [(n, rank, (n * 7919 + rank * 104_729) % chunks) for n, rank in asked]
        workspace.add_judged(
            queries=[Query(f"q-{n:012x}", f"query number {n}") for n in numbers],
            pool=[
                PoolEntry(f"q-{n:012x}", made[c].chunk_id, made[c].doc_id, hashes[c], ("bm25",))
                for n, _, c in places
            ],
            judgements=[e for n, rank, c in places for e in _events(n, rank, made[c], hashes[c])],
            source={"source": "bm25", "kind": "bm25", "depth": PAIRS},
        )
    workspace.close()


def _chunk(number: int) -> Chunk:
    doc_id = f"handbook/page-{number // 8:05}.md"
    text = f"Paragraph {number} says how to do thing {number % 977}. " * 4
    return Chunk(f"{doc_id}#{number % 8}", doc_id, text, "", (), "", {})


def _events(number: int, rank: int, chunk: Chunk, sha256: str) -> Iterator[Judgement]:
    for n, assessor in enumerate(("ada", "bob")[: 1 + (number % TWICE == 0)]):
        mixed = number * 31 + rank * 17 + n
        yield Judgement(
            event_id=hashlib.sha256(f"{number} {rank} {n}".encode()).hexdigest()[:32],
            query_id=f"q-{number:012x}",
            chunk_id=chunk.chunk_id,
            assessor=assessor,
            grade=mixed % 3,
            verdict="grade",
            judged_at=utc_text(START + timedelta(seconds=number * 100 + rank)),
            active_seconds=mixed % 90 / 8,
            position=rank,
            method="keys",
            text_sha256=sha256,
        )


def frozen(folder: Path) -> None:
    """Freeze the workspace of a folder, as the command does."""
    freeze(
        Workspace.open(folder),
        name="bench",
        header_work=HeaderWork(begun=False),
        declared_by="the owner",
        clock=lambda: datetime(2027, 1, 1, tzinfo=UTC),
    )


def made(folder: Path) -> None:
    """The workspace; in a process of its own, whose memory is no later one's."""
    make_workspace(folder, int((folder / "queries").read_text()))


def read(folder: Path) -> None:
    """Verify and read the frozen set."""
    read_label_set(folder / "labels/bench")


def goals(quick: bool) -> Iterator[Goal]:
    """Print what each side takes, and that every judgement was frozen."""
    queries = QUICK if quick else QUERIES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "queries").write_text(str(queries))
        for side in (made, frozen, read):
            alone(side, folder)
        manifest = json.loads((folder / "labels/bench/manifest.json").read_bytes())
    found = manifest["members"]["judgements.jsonl"]["rows"]
    expected = PAIRS * (queries + queries // TWICE)
    yield Goal("judgements", f"{expected:,}", f"{found:,}", found == expected)
