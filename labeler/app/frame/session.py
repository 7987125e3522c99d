"""
Which workspace the app is on, and the name that was chosen at this browser.

The workspace comes with the command line or the environment and is opened once for all
sessions. On this machine the assessor's name is chosen once per browser and kept in a
cookie, which reaches the server with every new session, also after a restart. Reports that take
long are kept for all sessions until the workspace changes.
"""

import os
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeVar
from urllib.parse import unquote

import streamlit as st

from evaluator import InputError
from evaluator.labelset.format import utc_text
from labeler.app.frame import components
from labeler.judging.assign import person_name
from labeler.workspace.connection import FILE
from labeler.workspace.records import KNOWN_ANSWER
from labeler.workspace.workspace import Workspace

T = TypeVar("T")
Doing = Literal["judging", "writing", "deciding", "reading"]
_MAIN = Path(__file__).parents[1] / "main.py"
# What becomes of the name of who does that.
_KEPT: Mapping[Doing, str] = {
    "judging": "Your name stands beside each of your judgements.",
    "writing": "Documents come in an order of your own, and what you had seen of them before is "
    "kept under your name.",
    "deciding": "Your name stands beside each of your decisions.",
    "reading": "Your name stands beside what you mark as read. It also tells whether you still "
    "have some of these queries to judge, which should be done before.",
}


def place() -> Path:
    """
    The folder that the app was started on.

    Raises InputError saying how to name one.
    """
    given = sys.argv[1:2] if Path(sys.argv[0]).resolve() == _MAIN.resolve() else []
    path = given[0] if given else os.environ.get("ONECAUSE_WORK", "")
    if not path:
        raise InputError(
            "The app was started without a workspace. Start it with: labeler serve WORK"
        )
    return Path(path).expanduser().resolve()


def workspace() -> Workspace:
    """
    The workspace the app was started on.

    Raises InputError saying how to name one, or that it is gone.
    """
    opened, identity = _open(place())
    if _identity(opened.path) != identity:
        raise InputError(
            f"The workspace {opened.path} is not there any more, or another one is in its place. "
            "Nothing is stored. Put it back, or start the app again on the workspace you want."
        )
    return opened


def kept(name: str, workspace: Workspace, make: Callable[[Workspace], T]) -> T:
    """The report of that name, made anew after any change of the workspace, once for everybody."""
    files = (workspace.path / f"{FILE}{ending}" for ending in ("", "-wal"))
    states = [file.stat() for file in files if file.exists()]
    stamp = tuple((state.st_mtime_ns, state.st_size) for state in states)
    return _kept(name, workspace.path, stamp, lambda: make(workspace))


@st.cache_resource(show_spinner=False, max_entries=8)
def _kept(name: str, path: Path, stamp: tuple[tuple[int, int], ...], _make: Callable[[], T]) -> T:
    del name, path, stamp  # by these it is found again
    return _make()


@st.cache_resource(show_spinner=False)
def _open(path: Path) -> tuple[Workspace, tuple[int, int] | None]:
    """The workspace, and which file it is: SQLite goes on writing into one that was deleted."""
    return Workspace.open(path), _identity(path)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = (path / FILE).stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def now() -> str:
    """The time as it is stored."""
    return utc_text(datetime.now(UTC))


def chosen_name(workspace: Workspace) -> str | None:
    """The name that this browser goes by on this machine, None while nobody has said."""
    if "assessor" not in st.session_state:
        kept = unquote(st.context.cookies.get(cookie_name(workspace), ""))
        st.session_state["assessor"] = as_listed(workspace, kept)
    name: str | None = st.session_state["assessor"]
    return name


def choosable(workspace: Workspace) -> list[str]:
    """The names on the workspace's list that stand for a person."""
    return [name for name in workspace.people.assessors() if name != KNOWN_ANSWER]


def as_listed(workspace: Workspace, name: str) -> str | None:
    """
    The name as it stands on the list, None if it does not.

    Capitals do not count: who types "ana" once and "Ana" later is not two people.
    """
    alike = [each for each in choosable(workspace) if each.casefold() == name.casefold()]
    return name if name in alike else next(iter(alike), None)


def ask_who(workspace: Workspace, doing: Doing) -> None:
    """Show the question who is there; once it is answered the page runs again."""
    data = {
        "question": f"Who is {doing}?",
        "kept": _KEPT[doing],
        "names": choosable(workspace),
        "cookie": cookie_name(workspace),
        "trouble": st.session_state.get("name-trouble"),
    }
    act = components.ask("chooser", data)
    if act is None:
        return
    try:
        name = person_name(str(act.get("name", "")))
    except InputError as error:
        st.session_state["name-trouble"] = str(error)
    else:
        st.session_state["name-trouble"] = None
        name = as_listed(workspace, name) or name
        workspace.people.add_assessor(name, now=now())
        st.session_state["assessor"] = name
    st.rerun()


def cookie_name(workspace: Workspace) -> str:
    """Cookies are shared by all ports of a host, so each workspace has its own."""
    made = f"{workspace.settings.created_at}:{workspace.settings.order_seed}"
    return f"onecause-assessor-{sha256(made.encode()).hexdigest()[:12]}"
