"""
One experiment over several samples of its chunk set: the spread, and the whole beside it.

Each sample gets a results directory of its own; this module runs them one after the other and
puts their levels and differences side by side. It measures nothing itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.console import Progress
from evaluator.experiment.pinned import LoadModel
from evaluator.labelset.format import utc_text
from evaluator.measures.names import measure_name
from evaluator.record.files import dated_directory, read_record, record_text
from evaluator.run import run_experiment
from evaluator.snapshot.snapshot import read_snapshot
from evaluator.vectors.encoder import load_model

FORMAT = "onecause-sampled/1"
SUMMARY = "sampled.json"
_LEAST_GAP = 0.0005  # what three decimals show of a difference


@dataclass(frozen=True, slots=True)
class Sampled:
    """Runs over samples that were written: their common directory and the summary in it."""

    path: Path
    summary: Mapping[str, Any]


def run_samples(
    path: Path,
    samples: Path,
    *,
    load_model: LoadModel = load_model,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    out: Path | None = None,
    progress: Progress | None = None,
    open_held_out: bool = False,
) -> Sampled:
    """
    Run an experiment on every sample under a folder, or on the one that it is.

    Results go to `out`, or to the UTC time under `<stem>.sampled/`, one directory for each
    sample. Raises InputError where there is no sample, and for what `run_experiment` refuses.
    """
    directory = dated_directory(path.with_name(f"{path.stem}.sampled"), out, clock())
    found = find_samples(samples)
    runs = {}
    for sample in found:
        results = run_experiment(
            path,
            load_model=load_model,
            clock=clock,
            out=directory / sample.name,
            progress=progress,
            open_held_out=open_held_out,
            sample=sample,
        )
        runs[sample.name] = results.record
    summary = summarise(runs, full=full_run(path, next(iter(runs.values()))), at=clock())
    (directory / SUMMARY).write_text(record_text(summary), encoding="utf-8")
    return Sampled(directory, summary)


def find_samples(folder: Path) -> list[Path]:
    """The derived snapshots right below a folder, or the folder itself if it is one."""
    places = [folder, *sorted(folder.iterdir())] if folder.is_dir() else []
    found = [place for place in places if (place / "manifest.json").is_file()]
    samples = [place for place in found if read_snapshot(place).derived is not None]
    if not samples:
        raise InputError(f"{folder} holds no sample. Make some with `evaluator sample`.")
    return sorted(samples, key=_seed)


def full_run(path: Path, sampled: Mapping[str, Any]) -> dict[str, Any] | None:
    """The latest record of the same experiment file over the whole chunk set, if there is one."""
    for record_path in sorted(path.with_name(f"{path.stem}.results").glob("*/record.json"))[::-1]:
        record = read_record(record_path)
        same = record["experiment"]["sha256"] == sampled["experiment"]["sha256"]
        parent = sampled["snapshot"]["derived"]["parent"]["digest"]
        if same and record["snapshot"]["digest"] == parent:
            return {"path": str(record_path.parent), **record}
    return None


def summarise(
    runs: Mapping[str, Mapping[str, Any]], *, full: Mapping[str, Any] | None, at: datetime
) -> dict[str, Any]:
    """
    Levels and differences of every sample side by side, by every measure, the primary first.

    `compression` is the mean difference on the samples over that on the whole: 0.6 says
    that the samples show six tenths of the gap. It is None without a full run or where the
    whole shows no gap to three decimals, of which any difference would be a large multiple.
    """
    records = list(runs.values())
    first = records[0]
    return {
        "format": FORMAT,
        "made_at": utc_text(at.astimezone(UTC)),
        "experiment": {key: first["experiment"][key] for key in ("name", "sha256")},
        "stamp": first["headline"]["stamp"],
        "samples": [
            {"directory": name, "chunks": r["snapshot"]["chunks"], **_drawn(r)}
            for name, r in runs.items()
        ],
        "full": None
        if full is None
        else {"directory": full["path"], "chunks": full["snapshot"]["chunks"]},
        "arms": [row for n in range(len(first["arms"])) for row in _arm(n, records, full)],
        "contrasts": [
            row for n in range(len(first["contrasts"])) for row in _contrast(n, records, full)
        ],
    }


def _arm(
    number: int, records: Sequence[Mapping[str, Any]], full: Mapping[str, Any] | None
) -> Iterator[dict[str, Any]]:
    for measure in _measures(records[0]):
        levels = [
            None if record is None else record["arms"][number]["measures"][measure]["gold"]
            for record in (full, *records)
        ]
        yield {"name": records[0]["arms"][number]["name"], "measure": measure, **_values(levels)}


def _contrast(
    number: int, records: Sequence[Mapping[str, Any]], full: Mapping[str, Any] | None
) -> Iterator[dict[str, Any]]:
    names = {key: records[0]["contrasts"][number][key] for key in ("baseline", "treatment")}
    for measure in _measures(records[0]):
        differences = [
            None if record is None else record["contrasts"][number]["measures"][measure]
            for record in (full, *records)
        ]
        row = _values([each and each["difference"] for each in differences])
        whole = row["full"]
        yield {
            **names,
            "measure": measure,
            **row,
            "compression": row["mean"] / whole if abs(whole or 0.0) >= _LEAST_GAP else None,
        }


def _values(found: Sequence[float | None]) -> dict[str, Any]:
    """That of the whole, if there is one, and those of the samples."""
    whole, *rest = found
    values = [value for value in rest if value is not None]
    return {
        "values": values,
        "mean": sum(values) / len(values),
        "range": [min(values), max(values)],
        "full": whole,
    }


def _measures(record: Mapping[str, Any]) -> list[str]:
    """The measures as they are printed, the primary first."""
    protocol = record["experiment"]["protocol"]
    names = dict.fromkeys([protocol["primary"], *protocol["measures"]])
    return [measure_name(name, min_grade=record["labels"]["min_grade"]) for name in names]


def _drawn(record: Mapping[str, Any]) -> dict[str, Any]:
    derived = record["snapshot"]["derived"]
    return {key: derived[key] for key in ("seed", "distractors", "pool", "hard")}


def _seed(place: Path) -> tuple[int, str]:
    derived = read_snapshot(place).derived or {}
    return int(derived.get("seed", 0)), place.name
