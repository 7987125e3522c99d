"""
One experiment over several samples of its chunk set: the spread, and the whole beside it.

Each sample gets a results directory of its own; this module runs them one after the other and
puts their levels and differences side by side. It measures nothing itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.console import Progress
from evaluator.experiment.pinned import LoadModel
from evaluator.labelset.format import utc_text
from evaluator.measures.names import measure_name
from evaluator.record.files import dated_directory, read_results
from evaluator.record.model import Record, json_text
from evaluator.run import run_experiment
from evaluator.snapshot.snapshot import read_snapshot
from evaluator.text import figures as words
from evaluator.text.messages import counted, grid
from evaluator.vectors.encoder import load_model

FORMAT = "onecause-sampled/2"
SUMMARY = "sampled.json"
_LEAST_GAP = 0.0005  # what three decimals show of a difference


@dataclass(frozen=True, slots=True)
class SampleRun:
    """The run over one sample: where it lies, its chunks, and what the sample was drawn by."""

    directory: str
    chunks: int
    seed: int
    distractors: int
    pool: int
    hard: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class WholeRun:
    """The latest run of the same experiment over the whole chunk set."""

    directory: str
    chunks: int


@dataclass(frozen=True, slots=True)
class Spread:
    """
    One measure of an arm or a contrast on each sample, and on the whole where that was run.

    `compression`, of a contrast, is the mean difference on the samples over that on the whole:
    0.6 says that the samples show six tenths of the gap. It is None where the whole shows no
    gap to three decimals, of which any difference would be a large multiple.
    """

    name: str
    measure: str
    values: tuple[float, ...]
    mean: float
    range: tuple[float, float]
    whole: float | None
    compression: float | None = None


@dataclass(frozen=True, slots=True)
class SampleSummary:
    """Levels and differences of every sample side by side, by measure, the primary first."""

    format: str
    made_at: str
    experiment: str
    sha256: str
    stamp: str
    samples: tuple[SampleRun, ...]
    whole: WholeRun | None
    arms: tuple[Spread, ...]
    contrasts: tuple[Spread, ...]


@dataclass(frozen=True, slots=True)
class SampleResults:
    """Runs over samples that were written: their common directory and the summary in it."""

    path: Path
    summary: SampleSummary


def run_samples(
    path: Path,
    samples: Path,
    *,
    load_model: LoadModel = load_model,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    out: Path | None = None,
    progress: Progress | None = None,
    open_held_out: bool = False,
) -> SampleResults:
    """
    Run an experiment on every sample under a folder, or on the one that it is.

    Results go to `out`, or to the UTC time under `<stem>.sampled/`, one directory for each
    sample. Raises InputError where there is no sample, and for what `run_experiment` refuses.
    """
    directory = dated_directory(path.with_name(f"{path.stem}.sampled"), out, clock())
    found = find_samples(samples)
    runs: dict[str, Record] = {}
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
    summary = summarise(runs, whole=whole_run(path, next(iter(runs.values()))), at=clock())
    (directory / SUMMARY).write_text(json_text(asdict(summary)), encoding="utf-8")
    return SampleResults(directory, summary)


def find_samples(folder: Path) -> list[Path]:
    """The derived snapshots right below a folder, or the folder itself if it is one."""
    places = [folder, *sorted(folder.iterdir())] if folder.is_dir() else []
    found = [place for place in places if (place / "manifest.json").is_file()]
    samples = [place for place in found if read_snapshot(place).derived is not None]
    if not samples:
        raise InputError(f"{folder} holds no sample. Make some with `evaluator sample`.")
    seeds = {place: int((read_snapshot(place).derived or {}).get("seed", 0)) for place in samples}
    return sorted(samples, key=lambda place: (seeds[place], place.name))


def whole_run(path: Path, sampled: Record) -> tuple[WholeRun, Record] | None:
    """The latest run of the same experiment file over the whole chunk set, with its record."""
    for record_path in sorted(path.with_name(f"{path.stem}.results").glob("*/record.json"))[::-1]:
        try:
            record = read_results(record_path)
        except InputError:  # of an earlier version, or spoilt: it is no run to compare with
            continue
        same = record.experiment.sha256 == sampled.experiment.sha256
        chunks = record.snapshot
        if same and chunks and chunks.digest == _derived(sampled)["parent"]["digest"]:
            return WholeRun(str(record_path.parent), chunks.chunks), record
    return None


def summarise(
    runs: Mapping[str, Record], *, whole: tuple[WholeRun, Record] | None, at: datetime
) -> SampleSummary:
    """The records of the runs over samples, by directory, beside that over the whole."""
    records = [whole[1] if whole else None, *runs.values()]
    first = next(iter(runs.values()))
    return SampleSummary(
        FORMAT,
        utc_text(at.astimezone(UTC)),
        experiment=first.experiment.name,
        sha256=str(first.experiment.sha256),
        stamp=str(first.headline.stamp),
        samples=tuple(_sample(name, record) for name, record in runs.items()),
        whole=whole[0] if whole else None,
        arms=tuple(
            _spread(arm.name, name, [r.arms[n].measures[name].gold if r else None for r in records])
            for n, arm in enumerate(first.arms)
            for name in _measures(first)
        ),
        contrasts=tuple(
            _spread(
                f"{contrast.treatment} - {contrast.baseline}",
                name,
                [r.contrasts[n].measures[name].difference if r else None for r in records],
                is_difference=True,
            )
            for n, contrast in enumerate(first.contrasts)
            for name in _measures(first)
        ),
    )


def _measures(record: Record) -> list[str]:
    """The measures as they are printed, the primary first."""
    protocol = record.experiment.protocol
    assert protocol is not None, "an experiment was run"
    names = dict.fromkeys([protocol.primary, *protocol.measures])
    return [measure_name(name, min_grade=record.labels.min_grade) for name in names]


def _sample(directory: str, record: Record) -> SampleRun:
    assert record.snapshot is not None, "an experiment was run"
    drawn = {key: _derived(record)[key] for key in ("seed", "distractors", "pool", "hard")}
    return SampleRun(directory, record.snapshot.chunks, **drawn)


def _derived(record: Record) -> Mapping[str, Any]:
    """What the manifest of a sample says of itself."""
    assert record.snapshot is not None, "an experiment was run"
    assert record.snapshot.derived is not None, "it was run on a sample"
    return record.snapshot.derived


def _spread(
    name: str, measure: str, found: Sequence[float | None], *, is_difference: bool = False
) -> Spread:
    whole, *rest = found
    values = tuple(value for value in rest if value is not None)
    mean, ends = sum(values) / len(values), (min(values), max(values))
    compression = None
    if is_difference and whole is not None and abs(whole) >= _LEAST_GAP:
        compression = mean / whole
    return Spread(name, measure, values, mean, ends, whole, compression)


def summary_text(summary: SampleSummary) -> str:
    """The summary for people."""
    return "\n".join(_lines(summary))


def _lines(summary: SampleSummary) -> Iterator[str]:
    yield f"{summary.experiment}: {counted(len(summary.samples), 'sample')}"
    yield f"[{summary.stamp}] Fewer distractors flatter every arm."
    for sample in summary.samples:
        hard = f", {sample.hard['chunks']:,} hard" if sample.hard else ""
        yield (
            f"seed {sample.seed}: {sample.chunks:,} chunks, the pool of {sample.pool:,} among "
            f"{sample.distractors:,} random{hard} distractors"
        )
    if summary.whole is None:
        yield "No run of this experiment over the whole chunk set lies in its .results folder."
    else:
        yield f"the whole: {summary.whole.chunks:,} chunks, {summary.whole.directory}"
    yield ""
    yield from grid(_table(summary))
    if any(row.compression is not None for row in summary.contrasts):
        yield ""
        yield (
            "sampled/whole: the mean difference on the samples over that on the whole, as "
            "measured. Below 1"
        )
        yield (
            "the samples show less of the gap than there is, and below 0 one in the other "
            "direction."
        )


def _table(summary: SampleSummary) -> Iterator[list[str]]:
    with_whole = summary.whole is not None
    seeds = [f"seed {sample.seed}" for sample in summary.samples]
    whole = (["the whole"], ["sampled/whole"]) if with_whole else ([], [])
    head = ["", *whole[0], *seeds, "mean", "spread", *whole[1]]
    yield head
    for number, measure in enumerate(dict.fromkeys(row.measure for row in summary.arms)):
        said = " (primary), levels not quotable" if number == 0 else ""
        yield [f"{measure}{said}", *[""] * (len(head) - 1)]
        for rows, show in ((summary.arms, words.rate), (summary.contrasts, words.signed)):
            for row in rows:
                if row.measure == measure:
                    yield _row(row, show, with_whole=with_whole)


def _row(row: Spread, show: Callable[[float | None], str], *, with_whole: bool) -> list[str]:
    low, high = row.range
    values = [*map(show, (*row.values, row.mean)), f"{high - low:.3f}"]
    if not with_whole:
        return [f"  {row.name}", *values]
    ratio = "" if row.compression is None else f"{row.compression:.2f}"
    return [f"  {row.name}", show(row.whole), *values, ratio]
