"""The queue: who is judging, where they were, what is still to judge, and how long it will take."""

import streamlit as st

from labeler.app import components, frame, session
from labeler.app.agenda import Task, agenda, length, next_task, pace


def row(task: Task) -> components.Data:
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
    match task.state:
        case "finished":
            return "Finished"
        case "skipped":
            return "Skipped"
        case "empty":
            return "No chunks yet"
        case "started":
            return "Begun" if task.judged < task.pool else "Judged, not finished"
    return "Others have judged it" if task.others else "New"


frame.enter()
st.title("Queue", anchor=False)
workspace = session.workspace()
assessor = session.assessor(workspace)
if assessor is None:
    session.ask_who(workspace)
    st.stop()

tasks = agenda(workspace.progress(), assessor=assessor)
mine = pace(workspace.judgements(), assessor=assessor)
open_tasks = [task for task in tasks if not task.ended]
last = next((t for t in open_tasks if t.query_id == mine.last_query_id and t.pool), None)
current = last or next_task(tasks)
left = sum(task.pool - task.judged for task in open_tasks)
facts = [
    ("queries finished", f"{sum(t.state == 'finished' for t in tasks):,} of {len(tasks):,}"),
    ("chunks still to judge", f"{left:,}"),
]
if mine.seconds_per_chunk and mine.chunks >= 5:
    facts.append(("a chunk, at your pace", f"{mine.seconds_per_chunk:.1f} s"))
    facts.append(("of judging left", length(mine.seconds_per_chunk * left)))
nothing = "Everything here is judged." if tasks else "No queries yet. Draw a sample, or add some."
act = components.agenda(
    {
        "who": assessor,
        "current": current and {**row(current), "need": workspace.query(current.query_id).need},
        "facts": facts if tasks else [],
        "open": [row(task) for task in open_tasks],
        "done": [row(task) for task in tasks if task.ended],
        "nothing": nothing,
    }
)
if act and act.get("change"):
    session.forget_who()
    st.rerun()
if act and "open" in act:
    st.switch_page("pages/judge.py", query_params={"q": str(act["open"])})
