"""
What every reader of a record asks of it, beyond its fields.

It owns what stands for a missing part, and no words for people.
"""

import re
from collections.abc import Iterable, Mapping

from evaluator import InputError
from evaluator.contrasts.model import (
    ClosureCheck,
    Contrast,
    FlippedQuery,
    MeasureFigures,
    OtherRanking,
)
from evaluator.experiment.factors import FormattingLevel, formatting_level
from evaluator.record.model import Record, RecordedArm
from evaluator.statistics.cells import PairedCells, paired_cells

_FAMILIES = ("Success", "R", "RR", "nDCG", "Judged")


def level_word(record: Record) -> str:
    """What every level is marked as: pools flatter, and samples flatter more."""
    derived = record.snapshot is not None and record.snapshot.derived is not None
    return "not quotable" if derived else "optimistic"


def arm_by_name(record: Record, name: str) -> RecordedArm:
    """The arm of that name; InputError for a record that was edited, where there is none."""
    found = next((arm for arm in record.arms if arm.name == name), None)
    if found is None:
        raise InputError(
            f"The record was changed after it was written: no arm {name!r}. Run again."
        )
    return found


def primary_figures(contrast: Contrast) -> MeasureFigures:
    """What the contrast says of its primary measure."""
    return contrast.measures[contrast.primary.measure]


def is_clustered(contrast: Contrast) -> bool:
    """Whether queries are paraphrases of each other, so that the clusters decide."""
    return primary_figures(contrast).ignoring_clusters is not None


def formatting(arm: RecordedArm) -> FormattingLevel | None:
    """What an arm's prefixes are to its model; None where nothing prescribes any."""
    prescribed = arm.model.prescribed if arm.model else None
    if prescribed is None:
        return None
    return formatting_level((arm.query_prefix or "", arm.doc_prefix or ""), prescribed)


def in_order(names: Iterable[str], *, primary: str | None = None) -> list[str]:
    """
    Measures as they are read: the primary first, then hits, shares, ranks, by cutoff.

    A record keeps its keys sorted by letter, which is no order for people.
    """

    def place(name: str) -> tuple[bool, int, int, str]:
        family = re.split(r"[(@]", name)[0]
        cutoff = re.search(r"@(\d+)$", name)
        known = _FAMILIES.index(family) if family in _FAMILIES else len(_FAMILIES)
        return name != primary, known, int(cutoff.group(1)) if cutoff else 0, name

    return sorted(names, key=place)


def cells_at(found: Contrast | OtherRanking, k: int | None) -> PairedCells | None:
    """The four cells at a cutoff, the miss in both taken as the remainder."""
    cells = found.cells.get(str(k))
    if cells is None:
        return None
    return paired_cells(cells.n, cells.both, cells.won, cells.lost, printed_neither=cells.neither)


def cutoffs(contrast: Contrast) -> list[int]:
    """The cutoffs that have cells, smallest first."""
    return sorted(map(int, contrast.cells))


def deciding_p(contrast: Contrast) -> float:
    """The p-value that decides: adjusted for the family where the record has one."""
    adjusted = contrast.primary.p_holm
    return primary_figures(contrast).p if adjusted is None else adjusted


def order_verdict(record: Record) -> str:
    """Whether the labels came before the treatment: contradicted, declared or unknown."""
    return record.labels.order.verdict if record.labels.order else "unknown"


def order_in_words(record: Record) -> str:
    """The same with what keeps it from being known, where commits of a header file are missing."""
    dated = record.labels.order.dated if record.labels.order else ()
    hidden = any(each.what == "header file" and "shallow" in (each.git or "") for each in dated)
    beyond = ", but a shallow clone hides earlier commits of a header file" if hidden else ""
    return order_verdict(record) + beyond


def completed_after(record: Record) -> bool:
    """Whether the labels succeed a set that came first, and were completed after the treatment."""
    order = record.labels.order
    return order is not None and (
        (order.verdict, order.use) == ("contradicted", "sensitivity analysis")
    )


def may_name_a_cause(record: Record, contrast: Contrast) -> bool:
    """
    Whether causal words are allowed.

    One factor differs, the rest is listed as held still, nothing rode along under the
    factor's name, and nothing says that the labels came after the treatment.
    """
    return (
        bool(contrast.factor)
        and bool(contrast.held_still)
        and contrast.label in (None, contrast.factor)
        and order_verdict(record) == "declared, not contradicted"
    )


def closures(contrast: Contrast) -> tuple[list[ClosureCheck], list[ClosureCheck]]:
    """The closure checks that are met and those that are broken."""
    checks = contrast.closure or ()
    return [check for check in checks if check.met], [check for check in checks if not check.met]


def shown_flips(contrast: Contrast, kind: str) -> list[FlippedQuery]:
    """
    The flips that may be named, of those `won` or `lost`.

    Those of held-out queries stay counts, whatever the record holds of them, unless it says
    that they were opened on request.
    """
    flips = contrast.flips
    found = flips.won if kind == "won" else flips.lost
    return [flip for flip in found if flips.opened or flip.class_ != "held-out"]


def header_tokens(arm: RecordedArm, per: str = "query") -> Mapping[int, float]:
    """Mean header tokens that the retrieved chunks bring into a context, by cutoff."""
    if arm.costs is None:
        return {}
    by_cutoff = {
        "query": arm.costs.header_tokens_per_query,
        "turn": arm.costs.header_tokens_per_turn,
        "year": arm.costs.header_tokens_per_year or {},
    }[per]
    return {int(k): by_cutoff[k] for k in sorted(by_cutoff, key=int)}
