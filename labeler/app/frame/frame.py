"""
The frame around every page: navigation, and words instead of a traceback when something is wrong.

`main.py` runs it, and shows those who may not enter why. Pages enter it themselves as well, so
that none is ever shown bare. Their folder is not called `pages`: Streamlit would take it for an
older kind of app, and show the names of files at the first visit.
"""

import gc
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from evaluator import InputError
from evaluator.files.whole import is_free
from evaluator.labelset.format import MANIFEST, LabelSetError
from labeler.app.frame import components, people, session
from labeler.app.frame.people import EVERYTHING, Person, Right
from labeler.app.serving.serve import NEW_STUDY
from labeler.results.results import find_results
from labeler.workspace.records import KNOWN_ANSWER
from labeler.workspace.workspace import LABELS, Workspace

_TROUBLE = (InputError, LabelSetError, sqlite3.Error, OSError)

_PAGES = Path(__file__).parents[1] / "views"
_NEEDED: dict[Right, str] = {
    "judge": "This page is for those who may judge.",
    "freeze": "This page is for those who may freeze.",
}
_inside: ContextVar[bool] = ContextVar("inside the frame", default=False)


@dataclass(frozen=True, slots=True)
class Place:
    """
    A page: its file's name is its address, and `needs` is what one must be allowed to do.

    Its group is whose it is in the menu: those of Study are only there for owners.
    """

    group: Literal["Judge", "Study"]
    name: str
    title: str
    needs: tuple[Right, ...]

    def is_open_to(self, who: Person) -> bool:
        """A page that needs nothing is for all who are on the list, and for nobody else."""
        return bool(who.rights) and who.may(*self.needs)

    def is_in_menu_of(self, who: Person) -> bool:
        return self.is_open_to(who) and (self.group == "Judge" or who.may("freeze"))


PLACES = (
    Place("Judge", "queue", "Queue", ("judge",)),
    Place("Judge", "judge", "Judge", ("judge",)),
    Place("Judge", "mine", "My work", ("judge",)),
    Place("Study", "logs", "Logs", ("freeze",)),
    Place("Study", "sample", "Sample", ("freeze",)),
    Place("Study", "queries", "Queries", ("freeze",)),
    Place("Study", "write", "Write queries", ()),
    Place("Study", "pool", "Pool", ("freeze",)),
    Place("Study", "guidelines", "Guidelines", ("freeze",)),
    Place("Study", "people", "People", ("freeze",)),
    Place("Study", "progress", "Progress", ("freeze",)),
    Place("Study", "agreement", "Agreement", ("freeze",)),
    Place("Study", "decide", "Decide", ("freeze",)),
    Place("Study", "freeze", "Freeze", ("freeze",)),
    Place("Study", "sets", "Label sets", ("freeze",)),
    Place("Study", "experiments", "Experiments", ("freeze",)),
    Place("Study", "report", "Report", ("freeze",)),
    Place("Study", "flips", "Flips", ("freeze",)),
)


def run() -> None:
    """Show the page that the address asks for, to those it is for."""
    if _has_no_workspace():
        _make_a_study()
        return
    trouble, who = "", Person(None, EVERYTHING)
    try:
        who = people.person(session.workspace())
    except _TROUBLE as error:
        trouble = _words(error)
    page, place = _navigation(who)
    if target := st.session_state.pop("lead-to", None):
        st.switch_page(f"views/{target}.py")
    st.set_page_config(page_title=place.title, layout="wide", initial_sidebar_state="collapsed")
    with _frame():
        if trouble:
            _show_trouble(trouble)
        elif _is_open_to(who, *place.needs):
            name_tab(place.title)
            page.run()
    _settle(page.title)


@contextmanager
def _frame() -> Iterator[None]:
    """In the block pages may show themselves, and trouble is told in words."""
    token = _inside.set(True)
    try:
        yield
    except _TROUBLE as error:
        _show_trouble(_words(error))
    finally:
        _inside.reset(token)


def _has_no_workspace() -> bool:
    """Whether the app was started to make one, and nobody has yet."""
    return bool(os.environ.get(NEW_STUDY)) and is_free(session.place())


def _make_a_study() -> None:
    """The one page there is before there is a workspace."""
    st.set_page_config(page_title="New study", layout="wide")
    page = st.Page(_PAGES / "study.py", title="New study", default=True)
    st.navigation([page], position="hidden")
    with _frame():
        page.run()


def _navigation(who: Person) -> tuple[StreamlitPage, Place]:
    """
    The page that the address asks for. The menu has what the person may open.

    The others are there as well, so that their address leads to a word on why not. The pages of
    those who judge stand in it side by side, and those of Study under a heading beside them.
    """
    in_menu = [place for place in PLACES if place.is_in_menu_of(who)]
    first = (in_menu or PLACES)[0]
    headed = len({place.group for place in in_menu}) > 1
    pages: dict[str, list[StreamlitPage]] = {}
    for place in PLACES:
        page = st.Page(
            _PAGES / f"{place.name}.py",
            title=place.title,
            url_path=place.name,
            visibility="visible" if place in in_menu else "hidden",
        )
        pages.setdefault("Study" if headed and place.group == "Study" else "", []).append(page)
    # What Streamlit serves at the bare address has no other, and the first page has its own.
    start = _PAGES / f"{first.name}.py"
    next(iter(pages.values())).append(
        st.Page(start, title=first.title, url_path="start", default=True, visibility="hidden")
    )
    page = st.navigation(pages, position="top" if in_menu else "hidden")
    return page, next(place for place in PLACES if place.title == page.title)


def _is_open_to(who: Person, *needed: Right) -> bool:
    """Whether a page that needs these rights may be shown; else it says in words why not."""
    way = people.way_in()
    if way is None or (who.rights and who.may(*needed)):
        return True
    by_provider = way == "provider"
    signed_in = by_provider and bool(who.email or st.user.get("is_logged_in", False))
    title, *words = _why_not(who, needed, by_provider=by_provider, signed_in=signed_in)
    st.title(title, anchor=False)
    for each in words:
        st.text(each)
    if who.email and not who.rights:
        say_command("labeler assessors WORK --add NAME --email ADDRESS")
    if by_provider and not signed_in:
        components.remember_target()
        if st.button("Sign in", type="primary"):
            st.login()
    elif by_provider and not who.rights and st.button("Sign out"):
        st.logout()
    return False


def _why_not(
    who: Person, needed: tuple[Right, ...], *, by_provider: bool, signed_in: bool
) -> tuple[str, ...]:
    """The title of a page in place of another, and what it says."""
    if who.rights:
        ask = "If you should be one of them, ask whoever looks after the workspace."
        return "Not for you", *(_NEEDED[right] for right in needed), ask
    if who.email:
        return (
            "You are not on the list",
            f"You are signed in as {who.email}, and nobody of this workspace has that address.",
            "Whoever looks after the workspace can add you:",
        )
    if signed_in:
        return (
            "No verified address",
            "You are signed in, but your provider does not vouch for an e-mail address of yours.",
        )
    if by_provider:
        return (
            "Sign in",
            "Your name stands beside each of your judgements, so the app has to know who you are.",
        )
    return (
        "Nobody said who you are",
        "This app stands behind a proxy that states who is there, and this request came without "
        "it. Use the address that you were given. If you did, whoever looks after the proxy can "
        "see to it that the header named at the start of the app is set.",
    )


def say_command(*commands: str) -> None:
    """Lines to be copied: commands for a terminal, paths, digests."""
    st.code("\n".join(commands), language=None, wrap_lines=True)


def name_tab(*parts: str) -> None:
    """
    What the browser's tab says: the parts, the most particular first, and the workspace.

    Only those who may enter read it, since the name of a workspace may tell something.
    """
    st.set_page_config(page_title=" – ".join([*parts, session.workspace().settings.name]))


def enter() -> None:
    """The first statement of every page: run inside the frame, however the page was reached."""
    if not _inside.get():
        run()
        st.stop()


def lead(page: str, label: str, *, urged: bool = False) -> None:
    """
    A button to another page, for those who may open it. Streamlit's own links look like text.
    """
    if not _place(page).is_open_to(people.person(session.workspace())):
        return
    if st.button(label, type="primary" if urged else "secondary"):
        st.switch_page(f"views/{page}.py")


def _place(name: str) -> Place:
    return next(each for each in PLACES if each.name == name)


def next_step(workspace: Workspace, here: str) -> None:
    """What comes next in a study, with the way there; nothing where that is this very page."""
    label_sets = any((workspace.path / LABELS).glob(f"[!.]*/{MANIFEST}"))
    steps = (
        (bool(workspace.queries.logs()), "logs", "read a query log"),
        (bool(workspace.queries.all()), "sample", "draw the queries to judge"),
        (bool(workspace.pool.sizes()), "pool", "find the chunks to judge"),
        (workspace.judgements.count_by_people() > 0, "queue", "judge"),
        (label_sets, "freeze", "freeze the labels when enough is judged"),
        (bool(find_results(workspace.path)), "experiments", "run an experiment"),
        (False, "report", "read the report"),
    )
    done = [is_done for is_done, _, _ in steps]
    if done[1] and not done[0]:  # a study may have written queries alone
        done[0] = True
    _, page, what = steps[done.index(False)]
    if page != here:
        st.divider()
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(f"Next: {what}.", width="content")
            lead(page, _place(page).title, urged=True)


def has_chunks(workspace: Workspace) -> bool:
    """Whether there is something to judge; else it says in words what is missing."""
    if not workspace.queries.all():
        st.text("There are no queries yet.")
        with st.container(horizontal=True):
            lead("sample", "Draw a sample")
            lead("write", "Write queries")
        return False
    if workspace.pool.sizes():
        return True
    st.text("No texts have been found for the queries yet, so there is nothing to judge.")
    lead("pool", "Find texts")
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
        lead("queue", "Go to the queue")
    return False


@contextmanager
def or_say(failed: str) -> Iterator[None]:
    """Where something cannot be done, say so in its place, and why; the page goes on."""
    try:
        yield
    except _TROUBLE as error:
        st.error(failed)
        st.text(_words(error))


def _words(error: Exception) -> str:
    if isinstance(error, sqlite3.Error | OSError):
        return (
            f"A file of the workspace cannot be used: {error}.\n"
            "See whether its disk is there, is not full and may be written to. Then load this page "
            "again."
        )
    return str(error)


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
