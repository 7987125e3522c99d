"""
Looks at flips: whether somebody should take them, and held-out ones noted before they are shown.

Who reads a flip sees what an assessor must not: titles, headers, ranks, and which chunks are
gold. So whoever has queries left to judge is told so first.
"""

from collections.abc import Collection, Iterable
from datetime import datetime

from evaluator import InputError
from evaluator.labelset.ledger import record_look
from labeler.results.results import LabelsHere, ResultsFolder
from labeler.workspace.records import QueryProgress


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
