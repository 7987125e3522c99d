"""The queue: who is judging, where they were, what is still to judge, and how long it will take."""

from collections.abc import Sequence

import streamlit as st

from labeler.app.blocks.agreement import hours, seconds
from labeler.app.desk.agenda import Task, agenda, next_task, own_progress
from labeler.app.frame import components, frame, people, session
from labeler.judging.pace import JudgingProgress

_STATES = {
    "finished": "Finished",
    "grown": "Chunks open since you finished",
    "skipped": "Skipped",
    "empty": "No chunks yet",
}
_ENOUGH = 5  # timed chunks, before which a mean says nothing


def row(task: Task) -> components.Payload:
    """A query as the list shows it."""
    return {
        "id": task.query_id,
        "text": task.text,
        "pool": task.pool,
        "judged": task.judged,
        "state": state(task),
    }


def state(task: Task) -> str:
    """Where a query stands, in words."""
    if task.state == "started":
        return "Begun" if task.judged < task.pool else "Judged, not finished"
    return _STATES.get(task.state) or ("Others have judged it" if task.others else "New")


def said_of(own: Sequence[Task], mine: JudgingProgress) -> list[tuple[str, str]]:
    """The numbers above the list: what is done, what is left, and how long that takes."""
    facts = [
        ("queries finished", f"{sum(t.state == 'finished' for t in own):,} of {len(own):,}"),
        components.tally(mine.left, "chunk you have not judged", many="chunks you have not judged"),
    ]
    if mine.pace.chunks >= _ENOUGH:
        facts.append(("a chunk, your mean", seconds(mine.pace.seconds_per_chunk_mean)))
        facts.append(("for them, at your mean", hours(mine.hours_left)))
    return facts if own else []


frame.enter()
st.title("Queue", anchor=False)
workspace = session.workspace()
name = people.named(workspace, "judging")
tasks = agenda(workspace.progress(), assessor=name, assigned=workspace.people.assigned_to(name))
own = [task for task in tasks if task.mine]
open_tasks = [task for task in own if not task.ended]
frame.name_tab(f"Queue ({sum(task.pool > 0 for task in open_tasks):,})")
if not frame.has_chunks(workspace) and not tasks:
    st.stop()
if own and not open_tasks:
    frame.lead("agreement", "Go on to agreement")
judgements = [each for each in workspace.judgements.all() if each.assessor == name]
last_id = judgements[-1].query_id if judgements else None
last = next((t for t in tasks if t.query_id == last_id and t.pool and not t.ended), None)
current = last or next_task(tasks)
act = components.ask(
    "agenda",
    {
        "current": current
        and {**row(current), "need": workspace.queries.get(current.query_id).need},
        "facts": said_of(own, own_progress(judgements, own, assessor=name)),
        "open": [row(task) for task in open_tasks],
        "done": [row(task) for task in own if task.ended],
        "others": [row(task) for task in tasks if not task.mine],
        "nothing": "Everything here is judged." if own else "No query is assigned to you.",
    },
)
if act and "open" in act:
    st.switch_page("views/judge.py", query_params={"q": str(act["open"])})
