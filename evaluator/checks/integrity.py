"""
Whether a record still says what its run wrote, as far as that is known in an instant.

It holds the record against its own digest and against the tables by query beside it, from
which levels, differences and cells follow. What takes the rankings is for `reproduce`.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.checks.unequal import NOTHING, unequal
from evaluator.contrasts.figures import cells_record, four_cells, holm, measure_record
from evaluator.contrasts.other_labels import SEED
from evaluator.files.whole import file_sha256
from evaluator.measures.names import is_hit, measure_name
from evaluator.measures.values import mean_over
from evaluator.record.facts import Record, is_clustered, measured, primary_of, require_record
from evaluator.record.files import own_sha256, read_table, table_paths

_LEVELS = ("n", "baseline", "treatment", "difference")

Tables = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Arm -> measure -> query id -> value."""


def require_untouched(record: Record, directory: Path) -> str | None:
    """
    Refuse a record that was edited after its run; gives what could not be checked.

    None where nothing is amiss, and for runs made elsewhere, which keep no tables. Raises
    InputError with the first figure that its tables contradict, for another table than the
    run wrote, and for a record that is not what its own digest says.
    """
    require_record(record)
    paths = table_paths(record, directory)
    missing = [path.name for path in paths.values() if not path.is_file()]
    if not missing:
        for path in paths.values():
            _require_digest(path, record)
        _require_figures(record, {arm: read_table(path) for arm, path in paths.items()}, directory)
    if "sha256" in record and record["sha256"] != own_sha256(record):
        raise InputError(
            f"{directory / 'record.json'} was edited after the run: it is not what its own digest "
            f"says. `evaluator reproduce {directory}` names the place. Restore it, or run again."
        )
    if not missing:
        return None
    return f"Not checked against the tables by query: {', '.join(missing)} missing in {directory}."


def _require_digest(path: Path, record: Record) -> None:
    stated = (record.get("files") or {}).get(path.name)
    if stated is not None and stated != file_sha256(path):
        raise InputError(
            f"{path} is not the table that the run wrote (expected SHA-256 {stated}, found "
            f"{file_sha256(path)}). Restore it, or run the experiment again."
        )


def _require_figures(record: Record, tables: Tables, directory: Path) -> None:
    if not tables:
        return
    again = _recomputed(record, tables)
    for place, stored, found in unequal("", _like(record, again), again, exact=False):
        raise InputError(
            f"{directory / 'record.json'} was edited after the run: {place} is {stored!r}, and the "
            f"tables by query give {found!r}. Restore it, or run the experiment again."
        )


def _like(stored: Any, shape: Any) -> Any:
    """The part of a stored value that another one speaks of."""
    if isinstance(stored, Mapping) and isinstance(shape, Mapping):
        return {key: _like(stored.get(key, NOTHING), value) for key, value in shape.items()}
    if isinstance(stored, list) and isinstance(shape, list) and len(stored) == len(shape):
        return [_like(*pair) for pair in zip(stored, shape, strict=True)]
    return stored


def _recomputed(record: Record, tables: Tables) -> dict[str, Any]:
    """What the tables determine, in the shape of the record."""
    asked = record["headline"].get("query_ids") or []
    contrasts = [dict(_contrast(one, record, tables)) for one in record["contrasts"]]
    found = [measured(one, primary_of(one)[0]).get("p") for one in record["contrasts"]]
    tested = [p for p in found if p is not None]
    if len(tested) == len(contrasts) > 1:
        for one, p in zip(contrasts, holm(tested), strict=True):
            one["primary"] = {"p_holm": p}
    columns = next(iter(tables.values())).values()
    n_gold = sum(any(query in values for values in columns) for query in asked)
    return {
        "headline": {"n": len(asked), "n_gold": n_gold},
        "arms": [dict(_arm(arm, asked, tables)) for arm in record["arms"]],
        "contrasts": contrasts,
    }


def _arm(arm: Record, asked: Sequence[str], tables: Tables) -> Iterator[tuple[str, Any]]:
    """The levels, over the queries with gold and over all, one without gold counting 0."""
    levels = {}
    for name in arm.get("measures") or {}:
        gold = _values(tables, arm["name"], name, asked)
        levels[name] = {"gold": mean_over(gold, list(gold)), "all": mean_over(gold, asked)}
    yield "measures", levels


def _contrast(contrast: Record, record: Record, tables: Tables) -> Iterator[tuple[str, Any]]:
    """Levels of every measure; cells, and all of a hit that no clusters decide."""
    asked = record["headline"].get("query_ids") or []

    def pair(name: str) -> list[dict[str, float]]:
        return [_values(tables, contrast[arm], name, asked) for arm in ("baseline", "treatment")]

    def cells(k: str) -> dict[str, object]:
        hits = measure_name(f"Success@{k}", min_grade=record["labels"].get("min_grade") or 1)
        return cells_record(four_cells(*pair(hits)))

    def measure(name: str) -> Mapping[str, object]:
        before, after = pair(name)
        if is_hit(name) and not is_clustered(contrast):
            return measure_record(name, before, after, seed=SEED)
        levels = [mean_over(values, list(values)) for values in (before, after)]
        figures = len(before), *levels, levels[1] - levels[0]
        return dict(zip(_LEVELS, figures, strict=True))

    yield "measures", {name: measure(name) for name in contrast.get("measures") or {}}
    yield "cells", {k: cells(k) for k in contrast.get("cells") or {}}


def _values(tables: Tables, arm: str, measure: str, asked: Sequence[str]) -> dict[str, float]:
    """One measure of one arm over the headline's queries with gold."""
    found = tables.get(arm, {}).get(measure, {})
    gold = {query: found[query] for query in asked if query in found}
    if not gold:
        raise InputError(
            f"The record was edited after the run: the table of arm {arm!r} has no {measure} of "
            "its queries. Restore it, or run the experiment again."
        )
    return gold
