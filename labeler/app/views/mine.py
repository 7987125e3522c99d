"""My work: what somebody has judged here, query by query, and how long it took them."""

from collections.abc import Iterable

import streamlit as st

from evaluator.labelset.format import Judgement
from labeler.app.blocks.agreement import seconds
from labeler.app.desk.agenda import Task, agenda, length
from labeler.app.desk.decide import grade_name
from labeler.app.frame import components, frame, people, session
from labeler.app.frame.components import numbers, sheet, table, tally
from labeler.judging.pace import measure_progress
from labeler.workspace.workspace import Workspace

_COLUMNS = ("Query", "Texts judged>", "Relevant>", "Can’t tell>", "Time>", "State")
_STATES = {"finished": "Finished", "grown": "Open again", "skipped": "Skipped"}


def numbers_of(workspace: Workspace, name: str, tasks: Iterable[Task]) -> components.SheetBlock:
    """What is done and how fast; time is known of texts that were judged at the desk."""
    made = [each for each in workspace.judgements.all() if each.assessor == name]
    pace = measure_progress(made, chunks_by_query={}, assessors_by_query={}).pace
    finished = sum(task.state == "finished" for task in tasks)
    shown = [
        tally(sum(task.judged for task in tasks), "text judged", many="texts judged"),
        tally(finished, "query finished", many="queries finished"),
    ]
    if pace.chunks:
        shown.append(("of reading and judging", length(pace.active_hours * 3600)))
        shown.append(("a text, on average", seconds(pace.seconds_per_chunk_mean)))
    return numbers(*shown)


def row(task: Task, given: Iterable[Judgement], least: int) -> list[str]:
    """One query as far as the person has judged it."""
    given = list(given)
    spent = sum(each.active_seconds or 0 for each in given)
    return [
        task.text,
        f"{task.judged:,} of {task.pool:,}",
        f"{sum(each.grade is not None and each.grade >= least for each in given):,}",
        f"{sum(each.grade is None for each in given):,}",
        length(spent) if spent else "–",
        _STATES.get(task.state, "Open"),
    ]


frame.enter()
st.title("My work", anchor=False)
workspace = session.workspace()
name = people.named(workspace, "judging")
tasks = agenda(workspace.progress(), assessor=name, assigned=None)
begun = [task for task in tasks if task.judged or task.ended]
if not begun:
    st.text("You have judged nothing yet.")
    frame.lead("queue", "Go to the queue", urged=True)
    st.stop()
sheet(numbers_of(workspace, name, begun), key="numbers")
given = {task.query_id: workspace.judgements.current(name, task.query_id) for task in begun}
meanings = dict(workspace.settings.grades)
grades = [each.grade for by_chunk in given.values() for each in by_chunk.values()]
st.header("Grades you gave", anchor=False)
counted = [[grade_name(each, meanings), f"{grades.count(each):,}"] for each in [*meanings, None]]
sheet(table("Grades", ["Grade", "Given>"], counted), key="grades")
st.header("Query by query", anchor=False)
least = workspace.settings.min_grade
rows = [row(task, given[task.query_id].values(), least) for task in begun]
sheet(table("Queries", _COLUMNS, rows), key="queries")
