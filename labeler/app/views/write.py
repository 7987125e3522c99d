"""Writing queries: a whole document to read, a box for the query and one for the need behind it."""

from pathlib import Path
from typing import cast

import streamlit as st

from evaluator.labelset.format import Query
from evaluator.text.messages import sentence
from labeler.app.frame import frame, people, session
from labeler.app.frame.components import sheet, table
from labeler.queries.authored import SEEN, AuthoringTask, Seen, add_authored, read_document
from labeler.workspace.workspace import Workspace


@st.cache_resource(show_spinner="Opening a document …", max_entries=64)
def reading(path: Path, author: str, number: int, _workspace: Workspace) -> AuthoringTask:
    """The document at a place of an author's order. Documents of a workspace never change."""
    del path
    return read_document(_workspace.snapshot, author=author, number=number)


@st.cache_resource(show_spinner=False, max_entries=4)
def documents(path: Path, _workspace: Workspace) -> int:
    """How many documents there are to read."""
    del path
    return len(_workspace.snapshot.documents())


def declared(workspace: Workspace, author: str) -> Seen | None:
    """What the author has seen: chunks if they judged any, else what they said."""
    if any(each.assessor == author for each in workspace.judgements.all()):
        return "chunks"
    said = workspace.queries.authors().get(author)
    return cast(Seen, said) if said in SEEN else None


def ask_seen(workspace: Workspace, author: str) -> None:
    """Ask once, before the first document is shown."""
    st.text(
        "You will read documents and write what somebody would search for who needs what they "
        "say. Queries by people who know titles or search results are worded like them, so "
        "please say first what you know. It is kept with your queries and nobody is left out "
        "for it.",
        width=680,
    )
    seen = st.radio(
        "What have you seen of these documents before?",
        list(SEEN),
        index=None,
        format_func=lambda name: sentence(SEEN[name]),
    )
    if st.button("Begin", type="primary", disabled=seen is None) and seen is not None:
        with frame.or_say("Nothing was recorded."):
            workspace.queries.declare_author(author, seen=seen)
            st.rerun()


def place(documents: int) -> int:
    """Where the author is in their order, from 0. It stands in the address, for a reload."""
    stated = st.query_params.get("document", "1")
    number = int(stated) if stated.isascii() and stated.isdigit() else 1
    return min(max(number, 1), documents) - 1


def go_to(number: int) -> None:
    st.query_params["document"] = str(number + 1)


def show_document(there: AuthoringTask) -> None:
    """The running text, and the ways to the documents before and after it."""
    sheet({"kind": "prose", "label": "Document", "text": there.text}, key=f"read-{there.number}")
    with st.container(horizontal=True, vertical_alignment="center"):
        way("Previous document", there.number - 1, there)
        way("Next document", there.number + 1, there)
        st.caption(
            f"Document {there.number + 1:,} of {there.documents:,}, in an order of your own",
            width="content",
        )


def way(label: str, number: int, there: AuthoringTask) -> None:
    inside = 0 <= number < there.documents
    st.button(label, disabled=not inside, on_click=go_to, args=(number,))


def ask_query(workspace: Workspace, author: str, seen: Seen) -> None:
    """Two boxes. They are emptied once what is in them is kept."""
    written: list[Query] = st.session_state.setdefault(f"written-{author}", [])
    with st.form(f"query-{author}-{len(written)}", border=False):
        text = st.text_input(
            "What would somebody search for?",
            help="In the words of somebody who has not read this, and who does not know that "
            "it is there.",
        )
        need = st.text_area(
            "What do they need to find out?",
            help="One sentence. It tells those who judge what a good answer is.",
        )
        if st.form_submit_button("Keep this query", type="primary", width="stretch"):
            with frame.or_say("The query was not kept."):
                written.append(add_authored(workspace, text.strip(), seen=seen, need=need.strip()))
                st.rerun()
    st.caption(f"Kept with each query: you had seen {SEEN[seen]}.")
    if written:
        rows = [[query.text, query.need or "–"] for query in reversed(written)]
        sheet(table("Kept", ["Kept since you came", "To find out"], rows), key="written")


frame.enter()
st.title("Write queries", anchor=False)
workspace = session.workspace()
name = people.named(workspace, "writing")
seen = declared(workspace, name)
if seen is None:
    ask_seen(workspace, name)
    st.stop()
number = place(documents(workspace.path, workspace))
left, right = st.columns([1.7, 1], gap="large")
with left:
    show_document(reading(workspace.path, name, number, workspace))
with right:
    ask_query(workspace, name, seen)
