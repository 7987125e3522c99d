"""Progress: what is judged, by whom and in what time, and what the held-out slice holds."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from labeler.adjudicate import KNOWN_ANSWER
from labeler.app import frame, session
from labeler.app.begun import has_chunks
from labeler.app.components import numbers, sheet, table, tally
from labeler.app.reports import ASSESSOR_COLUMNS, assessor_rows, pace_blocks
from labeler.app.slice import show_slice
from labeler.pace import Progress, measure_progress
from labeler.status import status
from labeler.store import QueryProgress, Workspace

_MOST_COLUMNS = 6  # assessors with a column of their own


def made_progress(workspace: Workspace, rows: Sequence[QueryProgress]) -> Progress:
    """Progress and pace; a query that somebody skipped wants nothing more of them."""
    assigned = workspace.assessors_by_query()
    return measure_progress(
        workspace.judgements(),
        chunks_by_query={row.query_id: row.pool for row in rows},
        assessors_by_query={
            row.query_id: asked for row in rows if (asked := still_asked(row, assigned)) is not None
        },
    )


def still_asked(row: QueryProgress, assigned: Mapping[str, Sequence[str]]) -> Sequence[str] | None:
    """Who is to judge a query, None for anybody, of whom one who skipped it speaks for all."""
    if row.query_id in assigned:
        return [name for name in assigned[row.query_id] if row.ended_by.get(name) != "skipped"]
    ways = row.ended_by.values()
    return [] if "skipped" in ways and "finished" not in ways else None


def query_rows(progress: Sequence[QueryProgress], names: Sequence[str]) -> list[list[str]]:
    return [
        [
            row.text,
            f"{row.judged} of {row.pool}",
            *(cell(row, name) for name in names),
        ]
        for row in progress
    ]


def column_names(
    progress: Sequence[QueryProgress], assessors: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Who has a column: no known answers, and nobody who has only looked in."""
    active = {name for row in progress for name in (*row.judged_by, *row.ended_by)}
    active |= {each["name"] for each in assessors if each["assigned"]}
    names = [each["name"] for each in assessors if each["name"] in active - {KNOWN_ANSWER}]
    return names[:_MOST_COLUMNS]


def cell(row: QueryProgress, name: str) -> str:
    if ended := row.ended_by.get(name):
        return ended
    return str(row.judged_by.get(name, "")) or "–"


frame.enter()
st.title("Progress", anchor=False)
workspace = session.workspace()
now = status(workspace)
progress = workspace.progress()
pool = now["pool"]
if not has_chunks(workspace):
    show_slice(now["held_out"])
    st.stop()

st.header("Judged so far", anchor=False)
sheet(
    numbers(
        ("pairs of query and chunk graded", f"{pool['judged']:,} of {pool['pairs']:,}"),
        ("queries judged whole", f"{pool['queries_judged']:,} of {len(progress):,}"),
        tally(
            pool["unsure"],
            "pair on which nobody could tell",
            many="pairs on which nobody could tell",
        ),
        tally(now["queries"]["skipped"], "query skipped", many="queries skipped"),
    ),
    key="judged",
)
st.header("Pace", anchor=False)
made = made_progress(workspace, progress)
sheet(*pace_blocks(made), key="pace")
st.header("Assessors", anchor=False)
if made.by_assessor:
    ended = {each["name"]: (each["finished"], each["skipped"]) for each in now["assessors"]}
    rows = assessor_rows(made.by_assessor, ended)
    sheet(table("Assessors", ASSESSOR_COLUMNS, rows), key="assessors")
else:
    st.text("Nobody has judged yet.")

show_slice(now["held_out"])
st.header("Queries", anchor=False)
names = column_names(progress, now["assessors"])
sheet(
    table("Queries", ["Query", "Judged>", *(f"{name}>" for name in names)],
          query_rows(progress, names)),
    key="queries",
)  # fmt: skip
