"""
Who is at this browser, and what they may do.

On this machine a name chosen once per browser is enough, and everybody may do everything.
Where the app was started with a sign-in, only its answer counts, an e-mail address, and
the workspace's list says who that is. Nothing here trusts a cookie of ours then.
"""

import os
import sqlite3
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from evaluator import InputError
from labeler.app.frame import components, session
from labeler.app.serving.serve import SIGN_IN, THIS_MACHINE
from labeler.workspace.workspace import Workspace

Right = Literal["judge", "freeze"]


@dataclass(frozen=True, slots=True)
class Person:
    """
    Somebody, with what they may do.

    `name` is how their judgements are signed, None while it is not known. `email` is None
    where nobody signs in.
    """

    name: str | None
    rights: frozenset[Right]
    email: str | None = None

    def may(self, *rights: Right) -> bool:
        return self.rights.issuperset(rights)


EVERYTHING: frozenset[Right] = frozenset(("judge", "freeze"))
NOTHING: frozenset[Right] = frozenset()


def way_in() -> str | None:
    """
    How people sign in: by a `provider`, by a `proxy`, or None on this machine.

    Raises InputError if the app listens elsewhere though it was started without a sign-in.
    """
    way = os.environ.get(SIGN_IN) or None
    address = st.get_option("server.address")
    if way is None and address not in THIS_MACHINE:
        raise InputError(
            f"The app listens on {address or 'every address'} without a sign-in, where anybody "
            "could judge under any name. Start it with: labeler serve WORK --host HOST"
        )
    return way


def person(workspace: Workspace) -> Person:
    """Who this session belongs to. The list is asked each time, so that it holds at once."""
    if way_in() is None:
        return Person(session.chosen_name(workspace), EVERYTHING)
    email = signed_in_address()
    role = workspace.people.role_of(email=email) if email else None
    if role is None:
        return Person(None, NOTHING, email)
    may: dict[Right, bool] = {"judge": role.may_judge, "freeze": role.may_freeze}
    return Person(role.assessor, frozenset(right for right in may if may[right]), email)


def named(workspace: Workspace, doing: session.Doing) -> str:
    """
    The name somebody is here by. It stands on the page, with a way to change it.

    Where nobody has said, the page asks, and ends there.
    """
    who = person(workspace)
    if who.name is None:
        session.ask_who(workspace, doing)
        st.stop()
    change = {None: "Not you?", "provider": "Sign out"}.get(way_in())
    said = {"doing": f"{doing.capitalize()} as", "who": who.name, "change": change}
    if components.ask("who", said):
        if who.email:
            st.logout()
        else:
            st.session_state["assessor"] = None
            st.rerun()
    return who.name


def signed_in_address() -> str | None:
    """The e-mail address that provider or proxy states, unless it says it was not verified."""
    if st.user.get("email_verified") is False:
        return None
    address = st.user.get("email")
    return address.strip() or None if isinstance(address, str) else None


def what_stops(assessor: str) -> str | None:
    """Why judgements of a page that was opened earlier cannot be stored under a name any more."""
    try:
        who = person(session.workspace())
    except InputError as error:
        return str(error)
    except (OSError, sqlite3.Error) as error:
        return f"The workspace cannot be read at the moment ({error})."
    if way_in() is None or (who.name == assessor and who.may("judge")):
        return None
    return "You may not judge here any more, so nothing is stored. Ask who keeps the list."
