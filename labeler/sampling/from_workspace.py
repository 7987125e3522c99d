"""
A sample out of a workspace's logs: by a design, within strata, or as a successor.

It brings together what the commands and the pages ask for: the log's queries, the strata,
a frozen set and the log that it was drawn from. The drawing itself is done elsewhere.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import read_label_set
from labeler.logs.queries import LogQuery
from labeler.sampling.designs import DesignName
from labeler.sampling.draw import Sample, draw_sample
from labeler.sampling.former_sample import KnownSample
from labeler.sampling.log_strata import make_strata
from labeler.sampling.successor import draw_successor, needs_former_strata
from labeler.workspace.connection import FILE
from labeler.workspace.workspace import LABELS, Workspace


def draw(
    workspace: Workspace,
    *,
    size: int,
    seed: int,
    design: DesignName = "proportional",
    by: Sequence[str] = (),
    files: Sequence[Path] = (),
    refresh: Path | None = None,
    former: Path | None = None,
) -> Sample:
    """
    A sample of the workspace's log; nothing is stored.

    `by` names rules for strata, `files` are the logs that such a rule has to read again.
    With `refresh`, the sample is the successor of that label set; the log that the set was
    drawn from is looked for in `former`, else in the workspace that the set lies in. If the
    set was stratified by file or column, its log files are among `files` too.

    Raises InputError for whatever cannot be drawn, with what to do.
    """
    queries, logs = workspace.queries.log_queries(), workspace.queries.logs()
    strata = make_strata(queries, by=by, logs=logs, files=files)
    if refresh is None:
        if former is not None:
            raise InputError("--former goes with --refresh LABELS, the set to draw a successor of.")
        return draw_sample(queries, size=size, seed=seed, logs=logs, design=design, strata=strata)
    if design not in ("proportional", "permanent"):
        raise InputError(
            f"A successor is drawn by permanent numbers, in proportion to searches; --design "
            f"{design} does not go with --refresh."
        )
    former_sample = KnownSample.of_labels(read_label_set(refresh))
    former_log, former_logs = _former_log(refresh, former)
    former_strata = None
    if former_log is not None and files and needs_former_strata(former_sample):
        by = former_sample.design["by"]
        former_strata = make_strata(former_log, by=by, logs=former_logs, files=files)
    return draw_successor(
        queries,
        former=former_sample,
        former_log=former_log,
        former_strata=former_strata,
        size=size,
        seed=seed,
        logs=logs,
        strata=strata,
    )


def successor_text(refresh: Mapping[str, Any], *, drawn: int) -> str:
    """How a successor differs from the set that it follows, in one sentence."""
    return (
        f"Of {refresh['stay'] + refresh['go']} queries of {refresh['labels']} {refresh['stay']} "
        f"stay ({refresh['expected_to_stay']:.0f} on average), {refresh['come']} of {drawn} are "
        f"new; {refresh['no_longer_asked']} are no longer asked."
    )


def _former_log(
    labels: Path, former: Path | None
) -> tuple[list[LogQuery] | None, Sequence[Mapping[str, Any]]]:
    """The queries and logs of the workspace a set was frozen from, if it can be found."""
    beside = labels.resolve().parent
    if former is None and beside.name == LABELS and (beside.parent / FILE).is_file():
        former = beside.parent
    if former is None:
        return None, ()
    workspace = Workspace.open(former)
    try:
        return workspace.queries.log_queries(), workspace.queries.logs()
    finally:
        workspace.close()
