"""
The queries whose hit changed between two arms, as a record tells them, to be read one by one.

It turns a record into flips, and chooses among them by what they are and whether somebody has
read them. What their chunks say is looked up in `chunk_texts`; nothing is measured here. Who reads
a flip sees what an assessor must not, so whoever has queries left to judge is told so first, and
looks at held-out flips are noted before they are shown.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from evaluator import InputError
from evaluator.contrasts.model import CellFigures, Contrast, FlippedQuery
from evaluator.labelset.ledger import record_look
from labeler.results.results import LabelsHere, ResultsFolder
from labeler.workspace.records import FlipMark, QueryProgress

ArmSide = Literal["baseline", "treatment"]
HELD_OUT = "held-out"
SIDES: tuple[ArmSide, ArmSide] = ("baseline", "treatment")


@dataclass(frozen=True, slots=True)
class NamedFlip:
    """
    A query that one arm hits and the other misses, as the record has it, and which way.

    Ranks are by side, of the best gold chunk and of the one that is shown; None is below the
    depth of the run.
    """

    query: FlippedQuery
    won: bool

    @property
    def hits(self) -> ArmSide:
        return "treatment" if self.won else "baseline"

    @property
    def misses(self) -> ArmSide:
        return "baseline" if self.won else "treatment"

    @property
    def first_gold(self) -> dict[ArmSide, int | None]:
        return by_side(self.query.rank_baseline, self.query.rank_treatment)

    @property
    def ranks(self) -> dict[ArmSide, int | None]:
        return by_side(self.query.chunk.rank_baseline, self.query.chunk.rank_treatment)


@dataclass(frozen=True, slots=True)
class HitContrast:
    """A contrast of a record that has hits at `k`; `depth` is how far down its runs go."""

    of: Contrast
    k: int
    depth: int | None

    @property
    def cells(self) -> CellFigures:
        """How many queries were won and lost, also those that the record does not name."""
        return self.of.cells[str(self.k)]

    def listed(self, *, opened: bool) -> tuple[NamedFlip, ...]:
        """The flips that may be named, lost ones first; held-out ones only once opened."""
        flips = self.of.flips
        named = [
            *(NamedFlip(each, won=False) for each in flips.lost),
            *(NamedFlip(each, won=True) for each in flips.won),
        ]
        opened = opened and flips.opened
        return tuple(each for each in named if opened or each.query.class_ != HELD_OUT)

    def arm(self, side: ArmSide) -> str:
        return self.of.baseline if side == "baseline" else self.of.treatment


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which flips to list: `won` or `lost`, `read` or `unread`; an empty text is any."""

    moved: str = ""
    query_class: str = ""
    cause: str = ""
    read: str = ""


def contrasts_of(results: ResultsFolder) -> Iterator[HitContrast]:
    """Every contrast of a record that has hits to compare."""
    protocol = results.record.experiment.protocol
    for contrast in results.record.contrasts:
        k = contrast.primary.k
        if k is not None and str(k) in contrast.cells:
            yield HitContrast(contrast, k, protocol.depth if protocol else None)


def select(
    flips: Iterable[NamedFlip], wanted: Wanted, *, read: Collection[str] = ()
) -> tuple[NamedFlip, ...]:
    """Those that are wanted, in their order. `read` holds the ids of queries that were read."""
    return tuple(
        flip
        for flip in flips
        if wanted.moved in ("", "won" if flip.won else "lost")
        and wanted.query_class in ("", flip.query.class_ or "unknown")
        and (not wanted.cause or wanted.cause in flip.query.causes)
        and wanted.read in ("", "read" if flip.query.query_id in read else "unread")
    )


def marks_by_query(
    marks: Iterable[FlipMark], contrast: HitContrast
) -> dict[str, tuple[FlipMark, ...]]:
    """The marks on the flips of a contrast, by query, the oldest first."""
    found: dict[str, tuple[FlipMark, ...]] = {}
    for mark in marks:
        if (mark.baseline, mark.treatment) == (contrast.of.baseline, contrast.of.treatment):
            found[mark.query_id] = (*found.get(mark.query_id, ()), mark)
    return found


def read_queries(marks: Mapping[str, Sequence[FlipMark]]) -> frozenset[str]:
    """The queries whose last mark, whoever made it, says that they were read."""
    return frozenset(query for query, made in marks.items() if made[-1].verdict == "read")


def said_of(contrast: HitContrast, flip: NamedFlip) -> str:
    """What happened, in a sentence."""
    place = flip.first_gold[flip.misses]
    below = "not found" if contrast.depth is None else f"not among its first {contrast.depth}"
    missed = below if place is None else f"at rank {place}"
    return (
        f"{contrast.arm(flip.hits)} has a gold chunk at rank {flip.first_gold[flip.hits]}, within "
        f"the first {contrast.k}; in {contrast.arm(flip.misses)} the best one is {missed}."
    )


def still_to_judge(
    progress: Iterable[QueryProgress],
    *,
    person: str,
    assigned: Collection[str] | None,
    query_ids: Collection[str],
) -> int:
    """
    How many of these queries somebody has yet to judge here.

    These are the queries assigned to them that they have not ended. Where nothing was ever
    assigned (None) all queries are everybody's, and whoever has judged something has the rest
    to judge.
    """
    rows = [row for row in progress if row.pool]
    judges = assigned is not None or any(
        person in row.judged_by or person in row.ended_by for row in rows
    )
    return sum(
        judges
        and row.query_id in query_ids
        and person not in row.ended_by
        and (assigned is None or row.query_id in assigned)
        for row in rows
    )


def open_held_out(
    results: ResultsFolder, labels: LabelsHere | None, *, person: str, now: datetime
) -> int:
    """
    Note a look at the held-out flips of some results; returns how many looks are known now.

    Raises InputError where the label set, beside which looks are listed, is not here.
    """
    record = results.record
    if labels is None:
        raise InputError(
            "The label set of these results is not in this workspace, so a look at held-out "
            f"queries cannot be counted. Put the set {record.labels.name} into labels/."
        )
    return record_look(
        labels,
        at=now,
        experiment=record.experiment.name,
        sha256=record.experiment.sha256 or "",
        split=record.headline.split,
        what="held-out flips by name, on a page",
        headers={
            arm.header_sha256 for arm in record.arms if arm.header_sha256 and arm.header != "none"
        },
        who=person,
    )


def by_side(baseline: int | None, treatment: int | None) -> dict[ArmSide, int | None]:
    return {"baseline": baseline, "treatment": treatment}
