"""Decide: the pairs on which assessors differ, one by one."""

import streamlit as st

from evaluator import InputError
from evaluator.labelset.format import Pair
from labeler.app.desk.decide import (
    Docket,
    case,
    decided_rows,
    decision,
    disagreements,
    docket,
    newest_first,
)
from labeler.app.frame import components, frame, people, session
from labeler.app.frame.components import sheet, table
from labeler.workspace.records import Decision, Receipt
from labeler.workspace.workspace import Workspace


def act_on(workspace: Workspace, there: Docket, adjudicator: str, act: components.Payload) -> None:
    """Do what was asked for on the page. Raises InputError for what cannot be stored."""
    pair = there.pairs[0] if there.pairs else None
    if act.get("kind") == "undo" and there.decided:
        last = newest_first(there.decided.values())[0]
        undone = Decision(str(act["press"]), last.chunk_id, None, "undone")
        stored(workspace.decisions.record(adjudicator, last.query_id, [undone], now=session.now()))
    elif pair and act.get("kind") == "see":
        st.session_state.setdefault("opened-pairs", set()).add(pair)
    elif pair and act.get("kind") == "later":
        put_off().append(pair)
    elif pair and act.get("kind") == "decide":
        made = decision(act, pair[1])
        stored(workspace.decisions.record(adjudicator, pair[0], [made], now=session.now()))


def stored(receipt: Receipt) -> None:
    for _, reason in receipt.refused:
        raise InputError(f"This was not stored: {reason}.")


def put_off() -> list[Pair]:
    """What somebody wants to see last, in this session."""
    pairs: list[Pair] = st.session_state.setdefault("put-off-pairs", [])
    return pairs


frame.enter()
st.title("Decide", anchor=False)
workspace = session.workspace()
if not frame.has_judgements(workspace):
    st.stop()
name = people.named(workspace, "deciding")
found = session.kept("disagreements", workspace, disagreements)
there = docket(workspace, found, put_off=put_off())
if act := components.asked("decide"):
    with frame.or_say("Nothing was recorded."):
        act_on(workspace, there, name, act)
    there = docket(workspace, found, put_off=put_off())
opened = bool(there.pairs) and there.pairs[0] in st.session_state.get("opened-pairs", ())
now = case(workspace, there, adjudicator=name, opened=opened) if there.pairs else {"pair": None}
frame.name_tab(f"Decide ({len(there.pairs):,})" if there.pairs else "Decide")
components.show("decide", {**now, "decided": len(there.decided)})
if not there.pairs:
    frame.lead("freeze", "Go on to freezing")
if there.decided:
    st.header("Decided so far", anchor=False)
    columns = ["Query", "Grade", "Decided by", "Rule and note"]
    sheet(table("Decisions", columns, decided_rows(workspace, there.decided)), key="decided")
