"""
Reading a record: the few questions that every part of a report asks of it.

It owns the names of the fields and what stands for a missing one, and no words.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluator import InputError
from evaluator.record.model import RECORD_FORMAT
from evaluator.statistics.cells import PairedCells, paired_cells

Record = Mapping[str, Any]

_FAMILIES = ("Success", "R", "RR", "nDCG", "Judged")
_REQUIRED = ("experiment", "labels", "headline", "arms", "contrasts")


@dataclass(frozen=True, slots=True)
class _Maybe:
    """What may be missing, or null."""

    shape: Any


@dataclass(frozen=True, slots=True)
class _Each:
    """A table whose keys are data."""

    shape: Any


_PAIR = dict.fromkeys(("baseline", "treatment", "difference", "p"), _Maybe(0.0))
_CELLS = {**dict.fromkeys(("n", "both", "won", "lost"), 0.0), "neither": _Maybe(0.0)}
_SHAPE: Any = {
    "files": _Maybe({}),
    "experiment": {"protocol": _Maybe({})},
    "labels": {
        "path": _Maybe(""),
        "sha256": _Maybe(""),
        "order": _Maybe({}),
        "min_grade": _Maybe(0),
    },
    "snapshot": _Maybe({}),
    "headline": {"n": _Maybe(0.0), "n_gold": _Maybe(0.0), "query_ids": _Maybe([""])},
    "arms": [
        {
            "name": "",
            "model": _Maybe({}),
            "measures": _Maybe(_Each({})),
            "files": _Maybe({"per_query": ""}),
        }
    ],
    "contrasts": [
        {
            "baseline": "",
            "treatment": "",
            "primary": {"measure": "", "k": _Maybe(0), "p_holm": _Maybe(0.0)},
            "measures": _Maybe(_Each(_PAIR)),
            "cells": _Maybe(_Each(_CELLS)),
        }
    ],
}
_KINDS: Mapping[type[Any], str] = {
    dict: "a table",
    list: "a list",
    str: "text",
    float: "a number",
    int: "a whole number",
}


def require_record(record: Record) -> None:
    """Raise InputError for anything that is not a record of this format."""
    found = record.get("format")
    if found != RECORD_FORMAT:
        raise InputError(
            f"This is not a record that can be reported: expected format '{RECORD_FORMAT}', found "
            f"{found!r}. Give the directory that `evaluator run` wrote, or run again."
        )
    missing = [key for key in _REQUIRED if key not in record]
    if missing:
        raise InputError(f"The record is incomplete: {', '.join(missing)} missing.")
    for misfit in (*_misfits(record, _SHAPE, "record"), *_odd_intervals(record, "record")):
        raise InputError(f"The record was changed after it was written: {misfit}. Run again.")


def _misfits(value: Any, shape: Any, where: str) -> Iterator[str]:
    """Where a value is not built like a shape, of which it may have more."""
    if isinstance(shape, _Maybe):
        yield from () if value is None else _misfits(value, shape.shape, where)
    elif isinstance(shape, _Each):
        each = dict.fromkeys(value, shape.shape) if isinstance(value, dict) else {}
        yield from _misfits(value, each, where)
    elif not isinstance(value, type(shape)) and (type(value), type(shape)) != (int, float):
        yield f"{where} is {str(value)[:40]!r} where {_KINDS[type(shape)]} belongs"
    elif isinstance(shape, dict):
        for key, inner in shape.items():
            yield from _misfits(value.get(key), inner, f"{where}.{key}")
    elif isinstance(shape, list):
        for number, each in enumerate(value):
            yield from _misfits(each, shape[0], f"{where}[{number}]")


def _odd_intervals(value: Any, where: str) -> Iterator[str]:
    """Where something by the name of an interval is not two numbers, or none at all."""
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from _odd_intervals(each, f"{where}[{number}]")
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _odd_intervals(each, f"{where}.{key}")
            if key == "interval" and each is not None and not _is_interval(each):
                yield f"{where}.interval is {str(each)[:40]!r} where two numbers belong"


def _is_interval(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) == 2
        and all(isinstance(end, int | float) for end in value)
    )


def level_word(record: Record) -> str:
    """What every level is marked as: pools flatter, and samples flatter more."""
    return "not quotable" if (record.get("snapshot") or {}).get("derived") else "optimistic"


def arm_by_name(record: Record, name: str) -> Record:
    """The arm of that name; an empty one where the record has none."""
    return next((arm for arm in record["arms"] if arm["name"] == name), {})


def primary_of(contrast: Record) -> tuple[str, int | None]:
    """The primary measure's printed name and its cutoff."""
    primary = contrast["primary"]
    k = primary.get("k")
    return str(primary["measure"]), None if k is None else int(k)


def hits_name(contrast: Record) -> str:
    """The printed name of the hits that the cells count."""
    named = (contrast.get("k_by_treatment") or {}).get("measure")
    return str(named or f"Success@{primary_of(contrast)[1]}")


def measured(contrast: Record, measure: str) -> Record:
    """What the contrast says of one measure."""
    found: Record = (contrast.get("measures") or {}).get(measure) or {}
    return found


def is_clustered(contrast: Record) -> bool:
    """Whether queries are paraphrases of each other, so that the clusters decide."""
    return bool(measured(contrast, primary_of(contrast)[0]).get("ignoring_clusters"))


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


def cells_at(contrast: Record, k: int | None) -> PairedCells | None:
    """The four cells at a cutoff, the miss in both taken as the remainder."""
    found = (contrast.get("cells") or {}).get(str(k))
    if not found:
        return None
    return paired_cells(
        found["n"],
        found["both"],
        found["won"],
        found["lost"],
        printed_neither=found.get("neither"),
    )


def cutoffs(contrast: Record) -> list[int]:
    """The cutoffs that have cells, smallest first."""
    return sorted(int(k) for k in contrast.get("cells") or {})


def deciding_p(contrast: Record) -> float | None:
    """The p-value that decides: adjusted for the family where the record has one."""
    primary = contrast["primary"]
    if primary.get("p_holm") is not None:
        return float(primary["p_holm"])
    p = measured(contrast, primary["measure"]).get("p")
    return None if p is None else float(p)


def order_verdict(record: Record) -> str:
    """Whether the labels came before the treatment: contradicted, declared or unknown."""
    return str((record["labels"].get("order") or {}).get("verdict") or "unknown")


def completed_after(record: Record) -> bool:
    """Whether the labels succeed a set that came first, and were completed after the treatment."""
    order = record["labels"].get("order") or {}
    return order_verdict(record) == "contradicted" and order.get("use") == "sensitivity analysis"


def may_name_a_cause(record: Record, contrast: Record) -> bool:
    """
    Whether causal words are allowed.

    One factor differs, the rest is listed as held still, nothing rode along under the
    factor's name, and nothing says that the labels came after the treatment.
    """
    factor = contrast.get("factor")
    return (
        bool(factor)
        and bool(contrast.get("held_still"))
        and contrast.get("label") in (None, "", factor)
        and order_verdict(record) == "declared, not contradicted"
    )


def closures(contrast: Record) -> tuple[list[Record], list[Record]]:
    """The closure checks that are met and those that are broken."""
    found = list(contrast.get("closure") or [])
    return [check for check in found if check["met"]], [
        check for check in found if not check["met"]
    ]


def shown_flips(contrast: Record, kind: str) -> list[Record]:
    """
    The flips that may be named.

    Those of held-out queries stay counts, whatever the record holds of them, unless it says
    that they were opened on request.
    """
    flips = contrast.get("flips") or {}
    return [
        flip
        for flip in flips.get(kind) or []
        if flips.get("opened") or flip.get("class") != "held-out"
    ]


def header_tokens(arm: Record, per: str = "query") -> Iterator[tuple[int, float]]:
    """Cutoff and mean header tokens that the retrieved chunks bring into a context."""
    by_cutoff = (arm.get("costs") or {}).get(f"header_tokens_per_{per}") or {}
    for k in sorted(by_cutoff, key=int):
        yield int(k), float(by_cutoff[k])
