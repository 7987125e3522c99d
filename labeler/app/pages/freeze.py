"""Freezing: what is in the way, what the set will hold, what its owner declares, the digest."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import streamlit as st

from evaluator import InputError
from evaluator.labelset import LabelSetError
from labeler.adjudicate import RULES, Rule
from labeler.app import frame, people, session
from labeler.app.components import checks, facts, numbers, sheet, table
from labeler.app.people import Person
from labeler.app.slice import show_slice
from labeler.assessment import agreement_in_words
from labeler.freeze import Frozen, declared, freeze
from labeler.status import can_detect, sample_text, status, with_gold
from labeler.store import LABELS, Workspace

_NONE, _BEGUN = "No work on headers has begun", "Work on headers began on a date"
_RULES: dict[Rule, str] = {
    "majority": "What most of them gave; of a tie, the lower grade",
    "highest": "The highest grade",
    "lowest": "The lowest grade",
    "median": "The middle grade",
}


def show_obstacles(obstacles: list[dict[str, Any]]) -> bool:
    """What stands in the way and what should be known. True if nothing stands in the way."""
    rows = [("stop" if each["blocking"] else "care", each["text"], "") for each in obstacles]
    free = not any(each["blocking"] for each in obstacles)
    if free:
        rows.insert(0, ("good", "Nothing stands in the way of freezing.", ""))
    sheet(checks(rows), key="obstacles")
    return free


def show_contents(now: Mapping[str, Any]) -> None:
    pool, snapshot = now["pool"], now["snapshot"]
    meanings = now["grades"]
    relevant = [grade for grade in meanings if int(grade) >= now["min_grade"]]
    sheet(
        numbers(
            ("queries", f"{now['queries']['total']:,}"),
            ("of them with a relevant chunk", f"{with_gold(now):,}"),
            ("pairs with a grade", f"{pool['judged']:,} of {pool['pairs']:,}"),
            ("assessors", f"{sum(a['pairs'] > 0 for a in now['assessors']):,}"),
        ),
        facts(
            ("Sample", sample_text(now["sample"])),
            ("Can detect", can_detect(now)),
            ("Agreement", agreement_in_words(now["agreement"])),
            ("Counts as relevant", f"grade {' or '.join(relevant)}"),
            ("Snapshot", f"{snapshot['name']}, {snapshot['chunks']:,} chunks"),
            ("Snapshot digest", snapshot["digest"]),
        ),
        key="contents",
    )


def header_work() -> str | None:
    """What is declared about header work: `none`, a date, or None while nothing is declared."""
    answer = st.radio(
        "Header work",
        [_NONE, _BEGUN],
        index=None,
        help="Labels made before anybody worked on headers cannot have been bent towards them. "
        "There is no default: somebody has to say it.",
    )
    if answer != _BEGUN:
        return "none" if answer else None
    st.caption(
        "Results of headers that were begun before the freeze are marked as not usable; the set "
        "is good for headers that are begun after it."
    )
    day = st.date_input("It began on", value=None, max_value=date.today(), format="YYYY-MM-DD")
    return day.isoformat() if isinstance(day, date) else None


def declared_by(who: Person) -> str:
    """Who declares: a name that is asked for, or the one that somebody signed in under."""
    signed_in = who.email is not None
    given = st.text_input(
        "Declared by",
        value=who.name if signed_in else None,
        disabled=signed_in,
        help="Your name: it stands in the label set.",
    )
    return (given or "").strip()


def declare(workspace: Workspace, now: Mapping[str, Any], *, free: bool) -> None:
    """The owner's answers and the one button."""
    name = st.text_input("Name of the label set", placeholder="handbook-2026-12").strip()
    work = header_work()
    by = declared_by(people.person(workspace))
    rule: Rule = "majority"
    if now["assessors"][1:]:
        rule = st.selectbox(
            "Where assessors differ", RULES, format_func=lambda each: _RULES[each], index=0
        )
    earlier = [each["name"] for each in now["label_sets"]]
    before = None
    if earlier:
        before = st.selectbox("Supersedes", earlier, index=None, placeholder="No earlier set")
    ready = bool(free and name and work and by)
    if not st.button("Freeze", type="primary", width="stretch", disabled=not ready):
        st.caption("A frozen set is never edited. A correction is a new set that supersedes it.")
        return
    try:
        st.session_state["frozen"] = freeze(
            workspace,
            name=name,
            header_work=declared(work or "", now=datetime.now(UTC)),
            declared_by=by,
            supersedes=workspace.path / LABELS / before if before else None,
            rule=rule,
            clock=lambda: datetime.now(UTC),
        )
    except (InputError, LabelSetError) as error:
        st.error("Nothing was frozen.")
        st.text(str(error))
        return
    st.rerun()


def show_frozen(frozen: Frozen) -> None:
    st.success(f"Frozen as {frozen.path.name}. This digest is its identity:")
    st.code(frozen.sha256, language=None, wrap_lines=True)
    st.caption("Lines for the experiment that will use it:")
    st.code(frozen.paste, language=None, wrap_lines=True)
    st.caption("A line for a terminal, where the folder is under Git:")
    st.code(frozen.git, language=None, wrap_lines=True)
    sheet(facts(("Where", str(frozen.path))), key="frozen")


frame.enter()
st.title("Freeze", anchor=False)
workspace = session.workspace()
if "frozen" in st.session_state:
    show_frozen(st.session_state["frozen"])
now = status(workspace)
left, right = st.columns([1.5, 1], gap="large")
with left:
    st.header("Before you freeze", anchor=False)
    free = show_obstacles(now["obstacles"])
    st.header("What the set will hold", anchor=False)
    show_contents(now)
    show_slice(now["held_out"])
with right, st.container(border=True):
    st.header("Freeze a label set", anchor=False)
    declare(workspace, now, free=free)
if now["label_sets"]:
    st.header("Frozen so far", anchor=False)
    rows = [[each["name"], each["sha256"]] for each in now["label_sets"]]
    sheet(table("Label sets", ["Name", "SHA-256"], rows), key="sets")
