"""The judging page: one query, all its chunks, one component."""

import re
from pathlib import Path
from typing import NoReturn

import streamlit as st

from evaluator.text.messages import first_words
from labeler.app.desk.agenda import Task, agenda, next_task
from labeler.app.desk.decide import grade_name
from labeler.app.desk.desk import Desk, lay_out, receive, turned_away
from labeler.app.desk.search import Finds, TextSearch, look
from labeler.app.frame import components, frame, people, session
from labeler.workspace.workspace import Workspace


def tasks_of(workspace: Workspace, assessor: str) -> list[Task]:
    own = workspace.people.assigned_to(assessor)
    return agenda(workspace.progress(), assessor=assessor, assigned=own)


def asked_for(workspace: Workspace, assessor: str) -> str | None:
    """The query that the address names, or the next one."""
    if named := st.query_params.get("q"):
        return named
    task = next_task(tasks_of(workspace, assessor))
    return task.query_id if task else None


def laid_out(workspace: Workspace, assessor: str, query_id: str) -> Desk:
    """The desk, with its place among the queries, or among the assessor's own."""
    ids = [query.query_id for query in workspace.queries.all()]
    where = f"Query {ids.index(query_id) + 1} of {len(ids)}"
    own = workspace.people.assigned_to(assessor)
    if own is not None:
        ids = [each for each in ids if each in own]
        where = "A query of others"
        if query_id in own:
            where = f"Query {ids.index(query_id) + 1} of {len(ids)} assigned to you"
    return lay_out(workspace, assessor=assessor, query_id=query_id, where=where)


def go_on(workspace: Workspace, desk: Desk, wish: object) -> None:
    """
    Leave a query that is done for the next one, or for the queue when there is none.

    A wish that says where to go back to leads there: something is to be undone on that query.
    """
    if isinstance(wish, dict) and isinstance(wish.get("back"), str):
        st.query_params["q"] = wish["back"]
        st.rerun()
    if task := next_task(tasks_of(workspace, desk.assessor), after=desk.query_id):
        st.query_params["q"] = task.query_id
        st.rerun()
    st.switch_page("views/queue.py")


def lead_to_queue(why: str) -> NoReturn:
    """What stands in place of a desk."""
    st.title("Judge", anchor=False)
    st.text(why)
    frame.lead("queue", "Go to the queue")
    st.stop()


@st.fragment
def answer(workspace: Workspace, desk: Desk, answered: set[str]) -> None:
    """
    Store what the desk sends and answer it. Runs by itself at every judgement.

    The desk is not in it, or all its texts would be prepared again each time. Events are
    stored here and not in a callback: after a restart of the server the browser sends
    them again, but callbacks of a new session are not called. In the first run of a
    session the state is known only once the wire is there; what comes so is stored at
    once and acknowledged when the desk asks again.
    """
    key = f"wire-{desk.data['desk']}"
    early, _ = components.sent(key)
    if trouble := people.what_stops(desk.assessor):
        components.wire(turned_away(desk, trouble), key=key)
        return
    receipt = receive(workspace, desk, early, answered=answered, now=session.now())
    outbox, wish = components.wire(receipt, key=key)
    if outbox != early:
        receive(workspace, desk, outbox, answered=answered, now=session.now())
    if wish and wish != st.session_state.get("wish"):
        st.session_state["wish"] = wish
        go_on(workspace, desk, wish)


@st.cache_resource(show_spinner=False)
def text_search(path: Path, _workspace: Workspace) -> TextSearch:
    """The search index of a workspace, made ready once for all sessions."""
    del path
    return TextSearch(_workspace)


@st.fragment
def search(workspace: Workspace, desk: Desk) -> None:
    """Answer the desk's search box. Runs by itself, so that no judgement carries results along."""
    key = f"search-{desk.data['desk']}"
    finds = st.session_state.setdefault(f"finds-{desk.data['desk']}", Finds())
    sent = (st.session_state.get(key) or {}).get("search")
    if people.what_stops(desk.assessor):
        sent = None
    answer = look(
        workspace,
        desk,
        sent,
        text_search=lambda: text_search(workspace.path, workspace),
        finds=finds,
    )
    components.search_line(answer, key=key)


def practise(workspace: Workspace, assessor: str) -> None:
    """
    Show the practice query to who has judged nothing here, until they are through or skip it.

    It lives in the page alone: nothing of it is stored.
    """
    practice = None if st.session_state.get("practised") else workspace.practice()
    if practice is None or any(assessor in row.judged_by for row in workspace.progress()):
        return
    st.title("Practice", anchor=False)
    st.text("A query to try before the first that counts. Nothing of it is stored.")
    go_on = st.container()
    meanings = dict(workspace.settings.grades)
    with st.expander("What relevant means", expanded=True):
        components.sheet(components.written(workspace.guidelines()[-1].text), key="guidelines")
    components.sheet(components.facts(("Query", practice.query)), key="practice-query")
    chunks = workspace.snapshot.fetch([chunk_id for chunk_id, _, _ in practice.texts])
    given = []
    for at, (chunk_id, grade, why) in enumerate(practice.texts, start=1):
        with st.container(border=True):
            st.text(chunks[chunk_id].text)
            grades = [literal(grade_name(each, meanings)) for each in meanings]
            choice = st.radio(f"Text {at}", grades, index=None, horizontal=True, key=f"try-{at}")
            given.append(choice)
            if choice:
                right = literal(grade_name(grade, meanings))
                st.text("The same grade as the key." if choice == right else "The key differs:")
                said = [("The key", grade_name(grade, meanings))] + [("Why", why)] * bool(why)
                components.sheet(components.facts(*said), key=f"key-{at}")
    done = None not in given
    with go_on:
        if st.button("Go on to the first query" if done else "Skip the practice"):
            st.session_state["practised"] = True
            st.rerun()
    if done and st.button("Go on to the first query", type="primary", key="through"):
        st.session_state["practised"] = True
        st.rerun()
    st.stop()


def literal(text: str) -> str:
    """A text as a label of Streamlit's shows it to the letter: it would read Markdown in it."""
    return re.sub(r"([^\w\s])", r"\\\1", text)


frame.enter()
workspace = session.workspace()
assessor = people.person(workspace).name
if assessor is None:
    st.title("Judge", anchor=False)
    session.ask_who(workspace, "judging")
    st.stop()
practise(workspace, assessor)
query_id = asked_for(workspace, assessor)
if query_id is None:
    lead_to_queue("There is nothing to judge at the moment.")
if query_id not in {query.query_id for query in workspace.queries.all()}:
    lead_to_queue(f"There is no query {query_id!r} in this workspace.")
st.query_params["q"] = query_id
desk = laid_out(workspace, assessor, query_id)
frame.name_tab(first_words(desk.data["query"]), "Judge")
if not desk.chunk_id_by_key:
    lead_to_queue("No texts have been found for this query yet.")
answered = st.session_state.setdefault(f"answered-{desk.data['desk']}", set())
components.desk(desk.data, key=f"desk-{desk.data['desk']}")
answer(workspace, desk, answered)
search(workspace, desk)
