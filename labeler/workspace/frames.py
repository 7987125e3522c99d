"""
Queries, pool and judgements of a workspace as pandas tables.

`COLUMNS` lists every column with its dtype: those of a frozen set's tables, so that the same
code reads both, and what only work in progress has. Text stays text: `NA` and `007` are ids
like any other, and only what is unknown is missing. pandas is loaded when a table is asked for.
"""

from collections.abc import Mapping
from operator import attrgetter
from typing import TYPE_CHECKING

from evaluator.labelset.format import Query
from evaluator.labelset.frames import COLUMNS as OF_A_SET
from evaluator.labelset.frames import frame_of
from labeler.workspace.workspace import Workspace

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: Mapping[str, Mapping[str, str]] = {
    # A query has a class only once its gold is frozen.
    "queries": {name: OF_A_SET["queries"][name] for name in Query.__annotations__}
    | {"pairs": "Int64", "judged": "Int64"},  # of its pool; those on which a judgement stands
    "pool": OF_A_SET["pool"],
    "judgements": {**OF_A_SET["judgements"], "final": "boolean"},  # neither replaced nor undone
}


def queries_frame(workspace: Workspace) -> "pd.DataFrame":
    """One row a query, in the order in which they were added."""
    values = attrgetter(*Query.__annotations__)
    pairs, judged = workspace.pool.sizes(), workspace.judgements.sizes()
    rows = (
        (*values(query), pairs.get(query.query_id, 0), judged.get(query.query_id, 0))
        for query in workspace.queries.all()
    )
    return frame_of(rows, COLUMNS["queries"])


def pool_frame(workspace: Workspace) -> "pd.DataFrame":
    """One row a pair to judge, by query and chunk."""
    return frame_of(workspace.pool.entries(), COLUMNS["pool"])


def judgements_frame(workspace: Workspace) -> "pd.DataFrame":
    """One row an event of an assessor, in time order; decisions of adjudicators are not here."""
    final = {event.event_id for event in workspace.judgements.standing()}
    rows = ((*event, event.event_id in final) for event in workspace.judgements.all())
    return frame_of(rows, COLUMNS["judgements"])
