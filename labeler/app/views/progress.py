"""Progress: what is judged, by whom and in what time, and what the held-out slice holds."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from labeler.app.blocks.agreement import ASSESSOR_COLUMNS, assessor_rows, pace_blocks
from labeler.app.blocks.sample import show_slice
from labeler.app.desk.agenda import whole_progress
from labeler.app.frame import frame, session
from labeler.app.frame.components import numbers, sheet, table, tally
from labeler.freezing.status import status
from labeler.workspace.records import KNOWN_ANSWER, QueryProgress

_MOST_COLUMNS = 6  # assessors with a column of their own


def column_names(
    progress: Sequence[QueryProgress], assessors: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Who has a column: no known answers, and nobody who has only looked in."""
    active = {name for row in progress for name in (*row.judged_by, *row.ended_by)}
    active |= {each["name"] for each in assessors if each["assigned"]}
    names = [each["name"] for each in assessors if each["name"] in active - {KNOWN_ANSWER}]
    return names[:_MOST_COLUMNS]


def cell(row: QueryProgress, name: str) -> str:
    """How it ended, or how far it is, also where chunks were added since it was finished."""
    ended, judged = row.ended_by.get(name), row.judged_by.get(name, 0)
    if ended == "skipped" or (ended and judged >= row.pool):
        return ended
    return str(judged) if judged else "–"


frame.enter()
st.title("Progress", anchor=False)
workspace = session.workspace()
now = status(workspace)
progress = workspace.progress()
pool = now["pool"]
if not frame.has_chunks(workspace):
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
made = whole_progress(
    workspace.judgements.all(), progress, assigned=workspace.people.assessors_by_query()
)
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
columns = ["Query", "Judged>", *(f"{name}>" for name in names)]
rows = [
    [row.text, f"{row.judged} of {row.pool}", *(cell(row, name) for name in names)]
    for row in progress
]
sheet(table("Queries", columns, rows), key="queries")
frame.next_step(workspace, "progress")
