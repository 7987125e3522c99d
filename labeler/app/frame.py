"""
The frame around every page: navigation, and words instead of a traceback when something is wrong.

`main.py` runs it. Pages enter it themselves as well, because Streamlit takes a folder
named `pages` for an older kind of app until the first navigation of the process: who
reloads the judging page after a restart of the server would get that page bare.
"""

import gc
import sqlite3
from contextvars import ContextVar
from pathlib import Path

import streamlit as st

from evaluator import InputError
from evaluator.labelset import LabelSetError
from labeler.app import session

_PAGES = Path(__file__).parent / "pages"
_inside: ContextVar[bool] = ContextVar("inside the frame", default=False)


def run() -> None:
    """Show the page that the address asks for."""
    st.set_page_config(page_title="Judging", layout="wide", initial_sidebar_state="collapsed")
    page = st.navigation(
        [
            st.Page(_PAGES / "queue.py", title="Queue", default=True),
            st.Page(_PAGES / "judge.py", title="Judge", url_path="judge"),
            st.Page(_PAGES / "sample.py", title="Sample", url_path="sample"),
            st.Page(_PAGES / "progress.py", title="Progress", url_path="progress"),
            st.Page(_PAGES / "freeze.py", title="Freeze", url_path="freeze"),
        ],
        position="top",
    )
    token = _inside.set(True)
    try:
        session.workspace()
        page.run()
    except (InputError, LabelSetError) as error:
        _show_trouble(str(error))
    except sqlite3.Error as error:
        _show_trouble(f"The workspace file cannot be used: {error}.")
    finally:
        _inside.reset(token)
    _settle(page.title)


def enter() -> None:
    """The first statement of every page: run inside the frame, however the page was reached."""
    if not _inside.get():
        run()
        st.stop()


def _show_trouble(message: str) -> None:
    """What is wrong and what to do; the message may hold any text."""
    st.header("The app cannot go on", anchor=False)
    st.text(message)


@st.cache_resource(show_spinner=False)
def _settle(title: str) -> str:
    """
    Take what is loaded by now out of the garbage collector's sight, once for each page.

    Streamlit collects after every run. Over the modules, which stay anyway, this costs
    some 60 ms of processor time for each judgement; after freezing it costs 3. Each page
    loads modules of its own at its first run, hence once for each.
    """
    gc.collect()
    gc.freeze()
    return title
