"""The queue: who is judging, where they were, what is still to judge, and how long it will take."""

from collections.abc import Sequence

import streamlit as st

from labeler.app.blocks.agreement import hours, seconds
from labeler.app.desk.agenda import Task, agenda, next_task, own_progress
from labeler.app.desk.desk import frozen_text, guidelines_changed
from labeler.app.frame import components, frame, people, session
from labeler.judging.pace import JudgingProgress
from labeler.workspace.workspace import Workspace

_STATES = {
    "finished": "Finished",
    "grown": "Texts added since you finished",
    "skipped": "Skipped",
    "empty": "No texts yet",
}
_FEW = 6  # queries, which one sees at a glance
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


def nothing(own: Sequence[Task], *, narrowed: bool) -> str:
    """What stands in place of queries to judge."""
    if narrowed:
        return "No query to judge is among those that you chose to see."
    return "Everything here is judged." if own else "No query is assigned to you."


def said_of(own: Sequence[Task], mine: JudgingProgress) -> list[tuple[str, str]]:
    """The numbers above the list: what is done, what is left, and how long that takes."""
    facts = [
        ("queries finished", f"{sum(t.state == 'finished' for t in own):,} of {len(own):,}"),
        components.tally(mine.left, "text you have not judged", many="texts you have not judged"),
    ]
    if mine.pace.chunks >= _ENOUGH:
        facts.append(("a text, your mean", seconds(mine.pace.seconds_per_chunk_mean)))
        facts.append(("for them, at your mean", hours(mine.hours_left)))
    return facts if own else []


def show_guidelines(workspace: Workspace) -> None:
    last = workspace.guidelines()[-1]
    with st.expander("What relevant means"):
        components.sheet(components.written(last.text), key="guidelines")


def show_news(workspace: Workspace) -> None:
    """What everybody has to know before they go on."""
    if changed := guidelines_changed(workspace.guidelines()[-1]):
        st.warning(f"{changed} Read them again before you go on.", icon=":material/edit_note:")
    if said := frozen_text(workspace):
        st.info(said, icon=":material/lock:")


def finish_judged(workspace: Workspace, name: str, own: Sequence[Task]) -> None:
    """Finish in one act what was judged whole and not finished, as after an import."""
    whole = [task for task in own if task.state == "started" and task.judged >= task.pool]
    if len(whole) < 2 or not st.button(f"Finish the {len(whole):,} queries that you judged whole"):
        return
    for task in whole:
        workspace.judgements.end_query(
            name, task.query_id, outcome="finished", reason=None, now=session.now()
        )
    st.rerun()


def shown(workspace: Workspace, name: str, tasks: Sequence[Task]) -> list[Task]:
    """The queries that the person wants to see: of one state, and with words of theirs."""
    if len(tasks) < _FEW:
        return list(tasks)
    differing = workspace.judgements.differing(name)
    kinds = {
        "All": tasks,
        "Open": [task for task in tasks if not task.ended],
        "Finished": [task for task in tasks if task.ended and task.state != "skipped"],
        "Skipped": [task for task in tasks if task.state == "skipped"],
        "Others differ": [t for t in tasks if t.state == "finished" and t.query_id in differing],
    }
    with st.expander("Find a query"):
        words = st.text_input("Words of the query", key="words", bind="query-params")
        kind = st.radio(
            "Show",
            list(kinds),
            format_func=lambda kind: f"{kind} ({len(kinds[kind]):,})",
            key="show",
            bind="query-params",
        )
    wanted = words.casefold().split()
    return [t for t in kinds[kind] if all(word in t.text.casefold() for word in wanted)]


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
show_news(workspace)
if own and not open_tasks:
    frame.lead("agreement", "Go on to agreement")
judgements = [each for each in workspace.judgements.all() if each.assessor == name]
last_id = judgements[-1].query_id if judgements else None
last = next((t for t in tasks if t.query_id == last_id and t.pool and not t.ended), None)
current = last or next_task(tasks)
left, right = st.columns(2)
with left:
    show_guidelines(workspace)
with right:
    listed = shown(workspace, name, tasks)
finish_judged(workspace, name, own)
if len(listed) < len(tasks):
    st.caption(f"{len(listed):,} of {len(tasks):,} queries are shown, as chosen at “Find a query”.")
act = components.ask(
    "agenda",
    {
        "current": current
        and {**row(current), "need": workspace.queries.get(current.query_id).need},
        "facts": said_of(own, own_progress(judgements, own, assessor=name)),
        "open": [row(task) for task in listed if task.mine and not task.ended],
        "done": [row(task) for task in listed if task.mine and task.ended],
        "others": [row(task) for task in listed if not task.mine],
        "nothing": nothing(own, narrowed=len(listed) < len(tasks)),
    },
)
if not people.person(workspace).may("freeze"):
    frame.lead("write", "Write queries of your own")
if act and "open" in act:
    st.switch_page("views/judge.py", query_params={"q": str(act["open"])})
