"""
How far a workspace is before there is anything to show, and the step that comes next.

Pages whose numbers would all be 0 say this instead.
"""

import shlex

import streamlit as st

from labeler.app.frame import frame, people
from labeler.workspace.records import KNOWN_ANSWER
from labeler.workspace.workspace import Workspace


def has_chunks(workspace: Workspace) -> bool:
    """Whether there is something to judge; else it says in words what is missing."""
    if not workspace.queries.all():
        st.text("There are no queries yet.")
        with st.container(horizontal=True):
            frame.lead("sample", "Draw a sample")
            frame.lead("write", "Write queries")
        return False
    if workspace.pool.sizes():
        return True
    st.text("No chunks have been pooled for the queries yet, so there is nothing to judge.")
    if people.person(workspace).may("freeze"):
        st.text("Find them in a terminal:")
        command = f"labeler pool {shlex.quote(str(workspace.path))}"
        st.code(command, language=None, wrap_lines=True)
    return False


def has_judgements(workspace: Workspace) -> bool:
    """
    Whether somebody has judged; else it says so, and where to begin.

    Known answers are nobody's.
    """
    if any(row.judged_by.keys() - {KNOWN_ANSWER} for row in workspace.progress()):
        return True
    if has_chunks(workspace):
        st.text("Nobody has judged yet.")
        frame.lead("queue", "Go to the queue")
    return False
