"""
A whole experiment that fits on a screen: twelve chunks, nine queries, two arms.

Several sections say the same in their bodies and differ only in their headings, as in a
real handbook, so a header matters. Everything is written through the project's own
writers, so a test starts where a user does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluator.labelset.format import HeldOutRule, Judgement, PoolEntry, Query, text_sha256
from evaluator.labelset.writing import write_label_set
from evaluator.record.model import record_json
from evaluator.run import WrittenRun, run_experiment
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import write_snapshot
from evaluator.vectors.model import Model
from evaluator.vectors.weights import Precision
from tests.stand_in import stand_in_model

FROZEN_AT = "2026-12-01T09:00:00.000Z"
RUN_AT = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
RULE = HeldOutRule(salt="2858dcd1057d3eae", buckets=2, held_out=(0,))

CHUNKS = (
    ("leave#0", "Leave", ("Leave", "Parental leave"), "Ask eight weeks before the first day."),
    ("leave#1", "Leave", ("Leave", "Sick leave"), "Ask on the first day, before nine."),
    ("leave#2", "Leave", ("Leave", "Unpaid leave"), "Ask four weeks before the first day."),
    ("pay#0", "Pay", ("Pay", "Overtime"), "The hours are paid with the next month."),
    ("pay#1", "Pay", ("Pay", "Advance"), "The sum is paid within three days."),
    ("keys#0", "API keys", ("API keys", "Rotate"), "Create the new one, then delete the old one."),
    ("keys#1", "API keys", ("API keys", "Revoke"), "Open the page and delete it at once."),
    ("alarm#0", "Alarm emails", ("Alarm emails",), "Open the page and switch them off."),
    ("export#0", "Export", ("Export", "CSV"), "Open the page and choose the file."),
    ("lease#0", "Lease", ("Lease", "Notice"), "Three months to the end of a quarter."),
    ("supply#0", "Supply", ("Supply", "Notice"), "Four weeks to the end of a month."),
    ("plain#0", "", (), "A note without a title."),
)
SOURCES = {"leave": "handbook", "pay": "handbook", "plain": "handbook", "lease": "contracts"}
SOURCES |= {"supply": "contracts"}

QUERIES = (
    ("q1", "how long before parental leave", "leave#0", "log", 40),
    ("q2", "sick leave when to call", "leave#1", "log", 25),
    ("q3", "unpaid leave weeks", "leave#2", "log", 5),
    ("q4", "overtime paid when", "pay#0", "log", 12),
    ("q5", "rotate api keys", "keys#0", "log", 30),
    ("q6", "switch off alarm emails", "alarm#0", "log", 9),
    ("q7", "lease notice", "lease#0", "log", 7),
    ("q8", "coffee machine", None, "log", 20),
    ("q9", "supply contract notice", "supply#0", "known-item", None),
)


@dataclass(frozen=True, slots=True)
class World:
    """A folder with `snapshot/`, `labels/small-1/` and `experiment.toml`."""

    folder: Path
    digest: str
    labels_sha256: str

    @property
    def labels(self) -> Path:
        return self.folder / "labels/small-1"

    @property
    def experiment(self) -> Path:
        return self.folder / "experiment.toml"

    def write_experiment(
        self, *, arms: str | None = None, protocol: str = 'split = "all"', measures: str = ""
    ) -> Path:
        """Write the experiment file; `protocol` holds further lines of that table."""
        measures = measures or 'measures = ["Success@1", "R@2", "RR@5", "nDCG@5"]'
        self.experiment.write_text(
            f'''name = "small"
[labels]
path = "labels/small-1"
sha256 = "{self.labels_sha256}"
[snapshot]
path = "snapshot"
digest = "{self.digest}"
[model]
source = "folder:stand-in"
weights_sha256 = "{"0" * 64}"
[protocol]
{measures}
primary = "Success@1"
{protocol}
'''
            + (arms if arms is not None else arm("plain") + arm("headed", header="title+path")),
            encoding="utf-8",
        )
        return self.experiment


def arm(name: str, *, query_prefix: str = "", doc_prefix: str = "", header: str = "none") -> str:
    """One [[arm]] table."""
    return (
        f'[[arm]]\nname = "{name}"\nquery_prefix = "{query_prefix}"\n'
        f'doc_prefix = "{doc_prefix}"\nheader = "{header}"\n'
    )


def small_world(
    folder: Path,
    *,
    chunks: Sequence[Chunk] | None = None,
    queries: Sequence[Query] | None = None,
    qrels: Mapping[str, Mapping[str, int]] | None = None,
    header_work: Mapping[str, Any] | None = None,
    pool_depth: int = 10,
    assessors: Sequence[str] = ("ann",),
) -> World:
    """Write snapshot, label set and experiment file, and say where and under which digests."""
    chunks = small_chunks() if chunks is None else chunks
    queries = small_queries() if queries is None else queries
    qrels = small_qrels() if qrels is None else qrels
    snapshot = write_snapshot(
        folder / "snapshot",
        chunks,
        name="small",
        chunker={"name": "given"},
        corpus="made up",
        created_at=datetime(2026, 11, 1, tzinfo=UTC),
    )
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    pairs = sorted((q, c) for q, grades in qrels.items() for c in grades)
    sha256 = write_label_set(
        folder / "labels/small-1",
        queries=queries,
        pool=[
            PoolEntry(q, c, by_id[c].doc_id, text_sha256(by_id[c].text), ("stand-in",))
            for q, c in pairs
        ],
        judgements=[
            Judgement(f"e{n:03}-{who}", q, c, who, qrels[q][c], "grade", "2026-11-20T10:00:00.000Z")
            for who in assessors
            for n, (q, c) in enumerate(pairs)
        ],
        qrels=qrels,
        manifest={
            "name": "small-1",
            "version": 1,
            "frozen_at": FROZEN_AT,
            "snapshot": {"name": "small", "digest": snapshot.digest},
            "sampling": None,
            "pooling": {"depth": pool_depth},
            "assessment": {"grades": {"0": "not relevant", "1": "relevant"}, "min_grade": 1},
            "held_out": {"salt": RULE.salt, "buckets": RULE.buckets, "held_out": [0]},
            "header_work": header_work
            or {"begun": False, "at": None, "declared_by": "the owner of the labels"},
            "supersedes": None,
            "tool": "onecause test",
        },
    )
    world = World(folder, snapshot.digest, sha256)
    world.write_experiment()
    return world


def small_chunks() -> list[Chunk]:
    """The twelve chunks."""
    return [
        Chunk(
            chunk_id,
            chunk_id.split("#")[0],
            text,
            title,
            headings,
            SOURCES.get(chunk_id.split("#")[0], "tickets"),
            {},
        )
        for chunk_id, title, headings, text in CHUNKS
    ]


def small_queries(**changes: Mapping[str, Any]) -> list[Query]:
    """The nine queries, the log's with weights; some fields changed, by query id."""
    queries = [
        Query(
            query_id,
            text,
            origin=origin,  # type: ignore[arg-type]
            log_count=count,
            inclusion_probability=None if count is None else 1.0,
            weight=None if count is None else float(count),
        )
        for query_id, text, _, origin, count in QUERIES
    ]
    return [replace(query, **changes.get(query.query_id, {})) for query in queries]


def small_qrels() -> dict[str, dict[str, int]]:
    """Each query's gold chunk, and two others that were judged and found wanting."""
    qrels = {}
    for query_id, _, gold, _, _ in QUERIES:
        judged = {"pay#1": 0, "export#0": 0}
        qrels[query_id] = {**judged, gold: 1} if gold else judged
    return qrels


def load_stand_in(
    source: str,
    /,
    *,
    revision: str | None = None,
    weights_sha256: str | None = None,
    precision: Precision = "fp32",
) -> Model:
    """What `load_model` does, for any source: a stand-in of that name."""
    assert revision is None or weights_sha256 is None
    name = source.rsplit("/", maxsplit=1)[-1].removeprefix("folder:")
    return replace(stand_in_model(name=name), precision=precision)


def run_world(world: World, **how: Any) -> WrittenRun:
    """Run the experiment of a world, with the stand-in and at `RUN_AT` unless told otherwise."""
    how = {"load_model": load_stand_in, "clock": lambda: RUN_AT, **how}
    return run_experiment(world.experiment, **how)


def run_record(world: World, **how: Any) -> dict[str, Any]:
    """The same, and its record as plain values."""
    return record_json(run_world(world, **how).record)
