"""
A run computed again from its own files, and held against what it printed.

Rankings, token counts, labels and snapshot go through the same functions as in the run; no
encoder is loaded. It compares and reports, and mends nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, zip_longest
from math import isclose
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.arms.ranking import Rankings
from evaluator.arms.setting import Setting
from evaluator.contrasts.measured import Measured, measure_arm
from evaluator.experiment.pinned import Pinned, open_experiment
from evaluator.experiment.population import choose_population
from evaluator.files.whole import file_sha256
from evaluator.record.files import (
    own_sha256,
    per_query_lines,
    read_record,
    record_file,
)
from evaluator.record.make import machine, make_record, versions
from evaluator.record.model import Record, json_text, record_json, record_of
from evaluator.record.observed import OBSERVED, Observed, arm_run, read_inputs, read_observed
from evaluator.report.report import REPORTS
from evaluator.trec import read_run
from evaluator.vectors.weights import prescribed_prefixes

_DIGESTS = ("files.", "sha256")
_NOTHING = "(nothing)"
# Other processors and versions may round the last digits otherwise.
_ELSEWHERE = 1e-9


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where what is stored is not what comes out now."""

    file: str
    path: str
    stored: str
    recomputed: str

    def __str__(self) -> str:
        where = f"{self.file}: {self.path}" if self.path else self.file
        return f"{where}\n  stored      {self.stored}\n  recomputed  {self.recomputed}"


@dataclass(frozen=True, slots=True)
class Reproduced:
    """
    The first difference, or none; `values` counts the values of the record that were equal.

    `exact` is False where this machine or its packages are not those of the run, so that
    figures are equal when they agree to nine digits.
    """

    path: Path
    values: int
    exact: bool
    difference: Difference | None


def reproduce(results: Path, *, experiment: Path | None = None) -> Reproduced:
    """
    Compute a run's record, tables and reports again, up to the first thing that differs.

    `experiment` says where the experiment file lies now, if it was moved. Raises InputError
    where something that the run was made from is missing or is not what was pinned.
    """
    directory = record_file(results).parent
    written = read_record(results)
    record = record_of(written)
    _require_whole(record, directory)
    observed = read_observed(directory / OBSERVED)
    exact = (observed.versions, observed.machine) == (versions(), machine())
    opened = _open(directory, record, experiment)
    setting, measured = _read_back(directory, record, opened, observed)
    digests = {
        name: file_sha256(directory / name) if (directory / name).is_file() else "missing"
        for name in record.files or {}
    }
    again = make_record(opened, setting, measured, observed)
    stored, recomputed = record_json(record), record_json(replace(again, files=digests))
    recomputed["sha256"] = own_sha256(stored)
    differences = chain(
        _tables(directory, record, setting, measured),
        _values(stored, recomputed, exact=exact),
        # Record and reports to the letter, once the values are found to agree.
        _lines(directory, "record.json", json_text(written)),
        (
            found
            for name, report in REPORTS.items()
            for found in _lines(directory, name, report(record))
        ),
    )
    return Reproduced(directory, len(dict(_flat(stored))), exact, next(differences, None))


def reproduced_text(found: Reproduced) -> str:
    """The verdict for people: what agrees, or the first thing that does not."""
    if found.difference:
        return f"{found.path} does not say what its own files say. First difference:\n" + str(
            found.difference
        )
    how = "" if found.exact else ", to nine digits, since machine or packages are others"
    return (
        f"{found.path} is reproduced: {found.values:,} values of record.json, the tables by "
        f"query and both reports come out as they are stored{how}."
    )


def reproduced_json(found: Reproduced) -> dict[str, Any]:
    """The same for a program."""
    return asdict(found) | {"path": str(found.path), "reproduced": found.difference is None}


# What the run was made from


def _require_whole(record: Record, directory: Path) -> None:
    """Refuse a record that lacks what says how to read the rest, as one of runs made elsewhere."""
    pinned = record.experiment.file, record.experiment.sha256, record.labels.sha256, record.snapshot
    if not all(pinned) or not all(arm.files for arm in record.arms):
        raise InputError(
            f"{directory / 'record.json'} does not say what it was made from. Restore it, or run "
            "the experiment again. Runs made elsewhere are compared again by `evaluator compare`."
        )


def _open(directory: Path, record: Record, named: Path | None) -> Pinned:
    """The experiment of a record with its labels and snapshot, refused if it is another."""
    stated, snapshot = Path(str(record.experiment.file)), record.snapshot
    above = directory.resolve().parent
    beside = above.with_name(above.name.removesuffix(".results") + ".toml")
    places = [named] if named else [stated, beside]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise InputError(
            f"The experiment file of this run is not at {places[0]}. Name it with --experiment."
        )
    sample = Path(snapshot.path) if snapshot and snapshot.derived else None
    opened = open_experiment(path, sample=sample)
    pinned = record.experiment.sha256, record.labels.sha256
    if pinned != (opened.experiment.sha256, opened.labels.sha256):
        raise InputError(
            f"{path} is not the experiment of this run (expected sha256 {pinned[0]} with label "
            f"set {pinned[1]}, found {opened.experiment.sha256} with {opened.labels.sha256}). "
            "Restore it, or name another with --experiment."
        )
    return opened


def _read_back(
    directory: Path, record: Record, opened: Pinned, observed: Observed
) -> tuple[Setting, dict[str, Measured]]:
    chunks = list(opened.snapshot.chunks())
    population = choose_population(opened.labels, opened.experiment.protocol)
    files = {arm.name: arm.files for arm in record.arms if arm.files}
    names = [arm.name for arm in opened.experiment.arms]
    if names != list(files) or set(names) != set(observed.arms):
        raise InputError(f"{directory} does not hold the arms {', '.join(names)}. Run them again.")
    counts = {
        name: read_inputs(
            directory / str(files[name].inputs),
            chunks=len(chunks),
            without_header=observed.arms[name]["without_header"],
        )
        for name in names
    }
    bodies = [
        chunk.text[:length] for chunk, length in zip(chunks, counts[names[0]][1], strict=True)
    ]
    prescribed = {
        arm.model: prescribed_prefixes(observed.arms[arm.name]["model"]["prompts"])
        for arm in opened.experiment.arms
    }
    setting = Setting(opened.experiment, opened.labels, population, chunks, bodies, prescribed)
    asked = [query.query_id for query in population.asked]
    measured = {}
    for arm in opened.experiment.arms:
        own, other = (
            _ranking(directory / str(name), asked)
            for name in (files[arm.name].run, files[arm.name].other_run)
        )
        exact, hnsw = (own, other) if setting.other_ranking == "hnsw" else (other, own)
        run = arm_run(
            arm,
            opened.headers[arm.name],
            observed.arms[arm.name],
            inputs=counts[arm.name][0],
            exact=exact,
            hnsw=hnsw,
        )
        measured[arm.name] = measure_arm(run, setting)
    return setting, measured


def _ranking(path: Path, asked: Sequence[str]) -> Rankings:
    """A stored run over the asked queries; one without results has an empty list again."""
    found = read_run(path)
    return {query_id: found.get(query_id, []) for query_id in asked}


# What it printed


def _tables(
    directory: Path, record: Record, setting: Setting, measured: Mapping[str, Measured]
) -> Iterator[Difference]:
    for arm in record.arms:
        if arm.files:
            again = "".join(per_query_lines(measured[arm.name], setting))
            yield from _lines(directory, arm.files.per_query, again)


def _lines(directory: Path, name: str, again: str) -> Iterator[Difference]:
    """Line by line, so that a difference has a place that can be looked at."""
    path = directory / name
    if not path.is_file():
        yield Difference(name, "", "missing", f"{len(again.splitlines())} lines")
        return
    stored = path.read_text(encoding="utf-8")
    pairs = zip_longest(stored.split("\n"), again.split("\n"), fillvalue=_NOTHING)
    for number, (old, new) in enumerate(pairs, start=1):
        if old != new:
            yield Difference(name, f"line {number}", old, new)


def _values(stored: Any, again: Any, *, exact: bool) -> Iterator[Difference]:
    """Every value of the record, the digests of its files and its own last."""
    old, new = dict(_flat(stored)), dict(_flat(again))
    for path in sorted(dict.fromkeys([*old, *new]), key=lambda path: path.startswith(_DIGESTS)):
        pair = old.get(path, _NOTHING), new.get(path, _NOTHING)
        if not _equal(*pair, exact):
            yield Difference("record.json", path, *map(repr, pair))


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value below a place, by its path; an empty table or list is one."""
    if value and isinstance(value, Mapping):
        for key in sorted(value):
            yield from _flat(value[key], f"{path}.{key}" if path else key)
    elif value and isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _flat(inner, f"{path}[{at}]")
    else:
        yield path, value


def _equal(stored: Any, again: Any, exact: bool) -> bool:
    """To the letter, or to nine digits; True is not 1."""
    numbers = all(isinstance(value, int | float) for value in (stored, again))
    if exact or not numbers or isinstance(stored, bool) or isinstance(again, bool):
        return bool(stored == again and isinstance(stored, bool) == isinstance(again, bool))
    return isclose(stored, again, rel_tol=_ELSEWHERE, abs_tol=_ELSEWHERE)
