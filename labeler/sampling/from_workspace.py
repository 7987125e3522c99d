"""
A sample out of a workspace's logs: by a design, within strata, or as a successor.

It brings together what the commands and the pages ask for: the log's queries, the strata and
a frozen set. The drawing itself is done elsewhere.
"""

from collections.abc import Sequence
from pathlib import Path

from evaluator import InputError
from evaluator.labelset.format import read_label_set
from labeler.sampling.draw import Sample, draw_sample
from labeler.sampling.former_sample import FormerSample
from labeler.sampling.log_strata import make_strata
from labeler.sampling.successor import draw_successor
from labeler.workspace.sample_design import DesignName
from labeler.workspace.workspace import Workspace


def draw(
    workspace: Workspace,
    *,
    size: int,
    seed: int,
    design: DesignName = "proportional",
    by: Sequence[str] = (),
    files: Sequence[Path] = (),
    refresh: Path | None = None,
) -> Sample:
    """
    A sample of the workspace's log; nothing is stored.

    `by` names rules for strata, `files` are the logs that such a rule has to read again.
    With `refresh`, the sample is the successor of that label set.

    Raises InputError for whatever cannot be drawn, with what to do.
    """
    queries, logs = workspace.queries.log_queries(), workspace.queries.logs()
    strata = make_strata(queries, by=by, logs=logs, files=files)
    if refresh is None:
        return draw_sample(queries, size=size, seed=seed, logs=logs, design=design, strata=strata)
    if design not in ("proportional", "permanent"):
        raise InputError(
            f"A successor is drawn by permanent numbers, in proportion to searches; --design "
            f"{design} does not go with --refresh."
        )
    former = FormerSample.of_labels(read_label_set(refresh))
    return draw_successor(queries, former=former, size=size, seed=seed, logs=logs, strata=strata)
