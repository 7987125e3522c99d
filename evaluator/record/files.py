"""
A run written down: one directory, whole or not at all, and the look when it is printed again.

It owns the names of the files and the table by query. It computes no figure. Results that are
only counted were looked at once, by the run; held-out queries by name are examples, and whoever
prints them may be somebody else.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.arms.setting import Setting
from evaluator.contrasts.flips import first_gold_rank
from evaluator.contrasts.measured import Measured
from evaluator.contrasts.pair import Values
from evaluator.experiment.protocol import Arm
from evaluator.files.whole import file_sha256, flush, made_aside, require_writable
from evaluator.labelset.format import MANIFEST, decode_id, encode_id, sha256_of_set
from evaluator.record.model import ArmFiles, Record, json_text, record_json, record_of
from evaluator.record.observed import OBSERVED, Observed, enter, write_inputs, write_observed
from evaluator.trec import Run, write_run


def results_directory(experiment: Path, out: Path | None, at: datetime) -> Path:
    """
    Where a run is to be written: `out`, or a new directory named by the UTC time.

    Raises InputError when `out` exists already, since results are written once, and for a
    place that cannot be written.
    """
    return dated_directory(experiment.with_name(f"{experiment.stem}.results"), out, at)


def dated_directory(parent: Path, out: Path | None, at: datetime) -> Path:
    """`out`, or a name by the UTC time below `parent` that nothing has yet."""
    stamp = at.astimezone(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
    names = [stamp, *(f"{stamp}-{number}" for number in range(2, 100))]
    free = (parent / name for name in names if not os.path.lexists(parent / name))
    directory = out or next(free, parent / names[-1])
    if os.path.lexists(directory):
        raise InputError(f"{directory} exists already. Results are written once; name another.")
    require_writable(directory)
    return directory


def read_results(path: Path) -> Record:
    """
    The record of a results directory, or of the latest run in an experiment's `.results`.

    Raises InputError when there is none, when it is of another format, and with all that is
    wrong in it when it is not as a run writes it.
    """
    return record_of(read_record(path))


def read_record(path: Path) -> dict[str, Any]:
    """The same as plain values, unchecked but for being a JSON object."""
    found = record_file(path)
    try:
        record = json.loads(found.read_text(encoding="utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{found} is not JSON: {error}. Run the experiment again.") from None
    if not isinstance(record, dict):
        raise InputError(f"{found} is not a record. Run the experiment again.")
    return record


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number")


def own_sha256(record: Mapping[str, Any]) -> str:
    """SHA-256 of a record as it is written, without the digest of itself that it states."""
    rest = {key: value for key, value in record.items() if key != "sha256"}
    return hashlib.sha256(json_text(rest).encode()).hexdigest()


def require_own_digest(record: Record, directory: Path) -> None:
    """Refuse a record that was edited after its run; one of runs made elsewhere has no digest."""
    if record.sha256 and record.sha256 != own_sha256(record_json(record)):
        raise InputError(
            f"{directory / 'record.json'} was edited after the run: it is not what its own digest "
            f"says. `evaluator reproduce {directory}` names the place. Restore it, or run again."
        )


def record_file(path: Path) -> Path:
    """Where that record lies; InputError when there is none."""
    found = path if path.suffix == ".json" else path / "record.json"
    if not found.is_file():
        runs = sorted(path.glob("*/record.json"))
        if not runs:
            raise InputError(
                f"{path} holds no record.json. Name the directory that `evaluator run` wrote."
            )
        found = runs[-1]
    return found


def table_paths(record: Record, directory: Path) -> dict[str, Path]:
    """The tables by query of a record, by the name of the arm; runs made elsewhere have none."""
    return {
        arm.name: directory / Path(arm.files.per_query).name for arm in record.arms if arm.files
    }


def read_table(path: Path) -> dict[str, dict[str, float]]:
    """
    The table by query of one arm: measure -> query id -> value.

    A query without gold has no value. Raises InputError for a file that is no such table.
    """
    if not path.is_file():
        raise InputError(f"{path} is missing. Restore it, or run the experiment again.")
    try:
        head, *rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        return {
            name: {decode_id(row[0]): float(row[column]) for row in rows if row[column]}
            for column, name in enumerate(head[4:], start=4)
        }
    except (IndexError, ValueError):
        raise InputError(
            f"{path} is no table by query as `evaluator run` writes it. Run the experiment again."
        ) from None


@dataclass(frozen=True, slots=True)
class _Labels:
    """A label set by its place and identity, without reading it."""

    path: Path
    sha256: str


def note_reprint(record: Record, *, at: datetime) -> str | None:
    """
    Write the look at held-out queries into the ledger; gives what to say about it.

    None where the record names none. A record may lie far from its labels: then the look
    cannot be counted, which is said.
    """
    if not _names_held_out(record):
        return None
    path, sha256 = Path(record.labels.path), record.labels.sha256
    if sha256 is None or not (path / MANIFEST).is_file() or sha256_of_set(path) != sha256:
        return (
            f"Names held-out queries. The label set is not at {path}, so nobody counts this look."
        )
    what = "report printed again, held-out flips by name"
    looks = enter(record, _Labels(path, sha256), at=at, what=what)
    return f"Names held-out queries: look {looks} that is known in this copy of the label set."


def _names_held_out(record: Record) -> bool:
    return any(
        flip.class_ == "held-out"
        for contrast in record.contrasts
        for flip in (*contrast.flips.won, *contrast.flips.lost)
    )


def file_names(arm: Arm, setting: Setting) -> ArmFiles:
    """The files of one arm inside the directory."""
    name = encode_id(arm.name)
    return ArmFiles(
        run=f"{name}.run",
        other_run=f"{name}.{setting.other_ranking}.run",
        per_query=f"{name}.tsv",
        inputs=f"{name}.inputs.parquet",
    )


def write_results(
    directory: Path,
    record: Record,
    measured: Mapping[str, Measured],
    setting: Setting,
    observed: Observed,
    *,
    render: Mapping[str, Callable[[Record], str]],
) -> Record:
    """
    Write the directory aside and give it its name when all of it is on disk.

    `record` has the order of its file, so that its reports are those of whoever reads it back.
    """

    def write(aside: Path) -> None:
        for one in measured.values():
            _write_arm(aside, one, setting)
        write_observed(aside / OBSERVED, observed)

    return write_whole(directory, record, write, render=render)


def write_whole(
    directory: Path,
    record: Record,
    write: Callable[[Path], None],
    *,
    render: Mapping[str, Callable[[Record], str]],
) -> Record:
    """
    A new directory with what `write` puts there, the record and its reports, or none of it.

    `render` makes, by the name of its file, each report of the finished record. Returns the
    record with the digest of every file that it was made from and of itself, as it is written.
    """
    with made_aside(directory) as aside:
        aside.mkdir()
        write(aside)
        digests = {path.name: file_sha256(path) for path in sorted(aside.iterdir())}
        bare = replace(record, files=digests)
        whole = replace(bare, sha256=own_sha256(record_json(bare)))
        _write_text(aside / "record.json", json_text(record_json(whole)))
        for name, report in render.items():
            _write_text(aside / name, report(whole))
        aside.rename(directory)
        return whole


def _write_arm(directory: Path, measured: Measured, setting: Setting) -> None:
    run, files = measured.run, file_names(measured.run.arm, setting)
    ranking = run.ranking(setting.experiment.protocol.ranking)
    write_outside_arm(directory, files, ranking, per_query_lines(measured, setting))
    assert files.other_run
    assert files.inputs
    other = run.ranking(setting.other_ranking)
    write_run(directory / files.other_run, other, tag=encode_id(run.arm.name))
    write_inputs(directory / files.inputs, run, bodies=setting.bodies)


def write_outside_arm(directory: Path, files: ArmFiles, run: Run, lines: Iterable[str]) -> None:
    """The files of a run made elsewhere: its lists as they were read, and its values by query."""
    write_run(directory / files.run, run, tag=files.run.removesuffix(".run"))
    _write_text(directory / files.per_query, "".join(lines))


def per_query_lines(measured: Measured, setting: Setting) -> Iterator[str]:
    """The table by query of one arm."""
    labels, class_by_query = setting.labels, setting.population.class_by_query
    asked = (
        (query.query_id, class_by_query[query.query_id], query.origin, labels.gold(query.query_id))
        for query in setting.population.asked
    )
    run = measured.run.ranking(setting.experiment.protocol.ranking)
    return table_lines(run, measured.primary, asked)


def table_lines(
    run: Run, values: Values, asked: Iterable[tuple[str, str, str, frozenset[str]]]
) -> Iterator[str]:
    """
    One line per asked query; a query without gold has no values.

    `asked` has the id, class, origin and gold of each query; `values` are by measure and query.
    """
    yield _line(["query_id", "class", "origin", "first_gold_rank", *values])
    for query_id, query_class, origin, gold in asked:
        rank = first_gold_rank(run, query_id, gold)
        found = (by_query.get(query_id) if gold else None for by_query in values.values())
        yield _line(
            [
                encode_id(query_id),
                query_class,
                origin,
                "" if rank is None else str(rank),
                *("" if value is None else repr(value) for value in found),
            ]
        )


def _line(cells: Sequence[str]) -> str:
    return "\t".join(cells) + "\n"


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
    flush(path)
