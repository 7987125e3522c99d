"""A workspace that fits on the screen: three documents, six chunks."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluator.labelset.format import HeldOutRule, PoolEntry, Query, text_sha256
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import write_snapshot
from labeler.exchange.imports.plan import Imported, plan_import, store_plan
from labeler.workspace.records import Settings
from labeler.workspace.workspace import Workspace

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
AT = "2026-01-02T03:04:05.000Z"
TEXTS = {
    "leave.md#0": "Tell your manager four weeks before leave begins.",
    "leave.md#1": "Unused days are paid out in July.",
    "parking.md#0": "A place costs fourteen euros a month.",
    "parking.md#1": "Visitors park behind packing.",
    "vpn.md#0": "Install the client, then sign in.",
    "vpn.md#1": "Tell your manager when the token is lost.",
}
BINARY = ((0, "not relevant"), (1, "relevant"))
GRADED = ((0, "not relevant"), (1, "slightly"), (2, "relevant"), (3, "fully relevant"))


def file(directory: Path, name: str, content: str | Mapping[str, Any]) -> Path:
    """A file of that text, or of JSON."""
    path = directory / name
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(text.encode())
    return path


def clock() -> datetime:
    return NOW


def chunks(texts: Mapping[str, str] = TEXTS) -> list[Chunk]:
    return [
        Chunk(
            chunk_id=chunk_id,
            doc_id=chunk_id.split("#", 1)[0],
            text=text,
            title="",
            headings=(),
            source="",
            attributes={"team": chunk_id[0]},
        )
        for chunk_id, text in texts.items()
    ]


def small_workspace(
    directory: Path,
    *,
    grades: tuple[tuple[int, str], ...] = BINARY,
    min_grade: int = 1,
    texts: Mapping[str, str] = TEXTS,
) -> Workspace:
    """A workspace in an empty directory, with a snapshot and nothing else."""
    snapshot = write_snapshot(
        directory / "snapshot",
        chunks(texts),
        name="small",
        chunker={"name": "given"},
        corpus="small",
        created_at=NOW,
    )
    settings = Settings(
        name="small",
        created_at=AT,
        grades=grades,
        min_grade=min_grade,
        held_out_rule=HeldOutRule("00", 2, (0,)),
        snapshot_name=snapshot.name,
        snapshot_digest=snapshot.digest,
        order_seed="seed",
    )
    return Workspace.create(directory, settings=settings)


def entry(query_id: str, chunk_id: str, *found_by: str) -> PoolEntry:
    return PoolEntry(
        query_id=query_id,
        chunk_id=chunk_id,
        doc_id=chunk_id.split("#", 1)[0],
        text_sha256=text_sha256(TEXTS[chunk_id]),
        found_by=found_by or ("system",),
    )


def pooled_workspace(directory: Path, **settings: object) -> Workspace:
    """Two queries, `q1` and `q2`, with the same three chunks to judge each."""
    workspace = small_workspace(directory, **settings)  # type: ignore[arg-type]
    workspace.queries.add([Query("q1", "notice"), Query("q2", "lost token", origin="authored")])
    pairs = [(q, c) for q in ("q1", "q2") for c in ("leave.md#0", "parking.md#0", "vpn.md#1")]
    workspace.pool.add([entry(*pair) for pair in pairs], source={"source": "system", "depth": 3})
    return workspace


def import_set(workspace: Workspace, **options: Any) -> Imported:
    """Plan an import and store it, as the command does."""
    return store_plan(workspace, plan_import(workspace, **options))
