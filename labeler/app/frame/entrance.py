"""
What people see before they may enter: sign in, not on the list, not for them.

All texts that come from outside, addresses too, are shown as they are.
"""

import streamlit as st

from labeler.app.frame import components, people
from labeler.app.frame.people import Person, Right

_NEEDED: dict[Right, str] = {
    "judge": "This page is for those who may judge.",
    "freeze": "This page is for those who may freeze.",
}


def stands_open(who: Person, *needed: Right) -> bool:
    """Whether a page that needs these rights may be shown; else it says in words why not."""
    way = people.way_in()
    if way is None or (who.rights and who.may(*needed)):
        return True
    if who.rights:
        _not_for_them(needed)
    elif who.email:
        _not_on_the_list(who.email)
    elif way == "provider" and st.user.get("is_logged_in", False):
        _no_address()
    elif way == "provider":
        _sign_in()
    else:
        _no_header()
    return False


def _sign_in() -> None:
    st.title("Sign in", anchor=False)
    st.text("Your name stands beside each of your judgements, so the app has to know who you are.")
    components.remember_target()
    if st.button("Sign in", type="primary"):
        st.login()


def _not_on_the_list(email: str) -> None:
    st.title("You are not on the list", anchor=False)
    st.text(f"You are signed in as {email}, and nobody of this workspace has that address.")
    st.text("Whoever looks after the workspace can add you:")
    st.code("labeler assessors WORK --add NAME --email ADDRESS", language=None, wrap_lines=True)
    _offer_sign_out()


def _no_address() -> None:
    st.title("No verified address", anchor=False)
    st.text("You are signed in, but your provider does not vouch for an e-mail address of yours.")
    _offer_sign_out()


def _no_header() -> None:
    st.title("Nobody said who you are", anchor=False)
    st.text(
        "This app stands behind a proxy that states who is there, and this request came without "
        "it. Use the address that you were given. If you did, whoever looks after the proxy can "
        "see to it that the header named at the start of the app is set."
    )


def _not_for_them(needed: tuple[Right, ...]) -> None:
    st.title("Not for you", anchor=False)
    for right in needed:
        st.text(_NEEDED[right])
    st.text("If you should be one of them, ask whoever looks after the workspace.")


def _offer_sign_out() -> None:
    if people.way_in() == "provider" and st.button("Sign out"):
        st.logout()
