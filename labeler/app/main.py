"""
The app: `streamlit run main.py -- WORK`.

Opens the workspace, offers the pages, and says in words what is in the way when
something is. Everything else is in `pages/` and the modules beside this one.
"""

import gc
import sqlite3
from pathlib import Path

import streamlit as st

from evaluator import InputError
from evaluator.labelset import LabelSetError
from labeler.app import session

_PAGES = Path(__file__).parent / "pages"


@st.cache_resource(show_spinner=False)
def settle() -> bool:
    """
    Take everything that is loaded by now out of the garbage collector's sight, once.

    Streamlit collects after every run. Over the modules that are loaded anyway this costs
    some 60 ms of processor time for each judgement, and the tenth of it after freezing.
    """
    gc.collect()
    gc.freeze()
    return True


def show_trouble(message: str) -> None:
    """A page that says what is wrong and what to do; the message may hold any text."""
    st.header("The app cannot go on", anchor=False)
    st.text(message)


st.set_page_config(page_title="Judging", layout="wide", initial_sidebar_state="collapsed")
current = st.navigation(
    [
        st.Page(_PAGES / "queue.py", title="Queue", default=True),
        st.Page(_PAGES / "judge.py", title="Judge", url_path="judge"),
        st.Page(_PAGES / "sample.py", title="Sample", url_path="sample"),
        st.Page(_PAGES / "progress.py", title="Progress", url_path="progress"),
        st.Page(_PAGES / "freeze.py", title="Freeze", url_path="freeze"),
    ],
    position="top",
)
try:
    session.workspace()
    current.run()
except (InputError, LabelSetError) as error:
    show_trouble(str(error))
except sqlite3.Error as error:
    show_trouble(f"The workspace file cannot be used: {error}.")
settle()
