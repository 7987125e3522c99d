"""People: who may judge and who may freeze, and who judges which queries."""

from collections import Counter
from datetime import UTC, datetime

import streamlit as st

from evaluator.text.messages import counted
from labeler.app.frame import frame, people, session
from labeler.app.frame.components import sheet, table
from labeler.judging.assign import assign_queries, person_name
from labeler.workspace.records import Role
from labeler.workspace.workspace import Workspace

_MAY = {
    "Judge": (True, False),
    "Look after the study": (False, True),
    "Both": (True, True),
}


def show_list(workspace: Workspace) -> None:
    """Everybody by name, what they may do, and how many queries are theirs."""
    theirs = Counter(
        name for names in workspace.people.assessors_by_query().values() for name in names
    )
    role_by_name = {role.assessor: role for role in workspace.people.roles()}
    names = list(dict.fromkeys([*role_by_name, *session.choosable(workspace)]))
    if not names:
        st.text("Nobody is on the list yet. On this machine anybody may judge under a name.")
        return
    rows = []
    for name in names:
        role = role_by_name.get(name)
        pair = (role.may_judge, role.may_freeze) if role else (True, True)
        may = next(said for said, rights in _MAY.items() if rights == pair)
        mail = (role.email if role else None) or "–"
        rows.append([name, may if role else "–", mail, f"{theirs[name]:,}"])
    sheet(table("People", ["Name", "May", "E-mail", "Queries assigned>"], rows), key="people")


def put(workspace: Workspace) -> None:
    """Somebody onto the list, or off it."""
    with st.form("put", border=False, clear_on_submit=True):
        left, middle, right = st.columns(3)
        name = left.text_input("Name")
        may = middle.selectbox("May", list(_MAY))
        email = right.text_input("E-mail", help="How the person is known where people sign in.")
        if st.form_submit_button("Put on the list", type="primary"):
            with frame.or_say("The list is as it was."):
                role = Role(person_name(name), *_MAY[may], email.strip() or None)
                workspace.people.set_role(role, now=session.now())
                st.rerun()
    if listed := [role.assessor for role in workspace.people.roles()]:
        leaving = st.selectbox("Take off the list", listed, index=None, placeholder="Nobody")
        if leaving and st.button(f"Take {leaving} off"):
            with frame.or_say("The list is as it was."):
                workspace.people.remove_role(leaving)
                st.rerun()


def share_out(workspace: Workspace) -> None:
    """Queries in equal parts, some of them to two people."""
    last = workspace.people.assignment() or {}
    known = [role.assessor for role in workspace.people.roles() if role.may_judge]
    known = list(dict.fromkeys([*known, *session.choosable(workspace)]))
    names = st.multiselect(
        "Who judges",
        known,
        default=[each for each in last.get("assessors") or known if each in known],
    )
    overlap = st.number_input(
        "Queries that two people judge, in percent",
        *(0, 100, round(100 * float(last.get("overlap", 0.2)))),
        step=5,
        help="Agreement can only be measured where two people judged the same. A fifth is usual.",
    )
    if st.button("Assign the queries", type="primary", disabled=not names):
        with frame.or_say("Nothing was assigned."):
            done = assign_queries(
                workspace, assessors=names, overlap=overlap / 100, now=datetime.now(UTC)
            )
            queries = counted(done.queries, "query", many="queries")
            st.session_state["assigned"] = f"{queries} assigned, {done.shared:,} of them to two."
            st.rerun()


frame.enter()
st.title("People", anchor=False)
workspace = session.workspace()
show_list(workspace)
if people.way_in() is None:
    st.caption("On this machine everybody may do everything; the list holds where people sign in.")
put(workspace)
st.header("Who judges what", anchor=False)
if said := st.session_state.pop("assigned", None):
    st.success(said)
if workspace.queries.all():
    share_out(workspace)
else:
    st.text("There are no queries to assign yet.")
frame.next_step(workspace, "people")
