"""Freezing: what is in the way, what the set will hold, what its owner declares, the digest."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

import streamlit as st

from evaluator.labelset.format import RULES, Rule
from evaluator.text.messages import counted, sentence
from labeler.app.blocks.sample import show_slice
from labeler.app.frame import frame, people, session
from labeler.app.frame.components import checks, facts, numbers, sheet, table, tally
from labeler.app.frame.people import Person
from labeler.freezing.freeze import experiment_command, freeze, git_line
from labeler.freezing.header_work import declared
from labeler.freezing.manifest import agreement_in_words
from labeler.freezing.obstacles import DECIDES
from labeler.freezing.status import can_detect, sample_text, status, with_gold
from labeler.workspace.records import KNOWN_ANSWER
from labeler.workspace.workspace import LABELS, Workspace

_SET_COLUMNS = ("Name", "Frozen (UTC)", "Header work", "Superseded by", "SHA-256")
_NONE, _BEGUN = "No work on headers has begun", "Work on headers began on a date"


def barely_judged(pool: Mapping[str, Any]) -> str | None:
    """How little is judged, where that is less than half; None where it is more."""
    seen = pool["judged"] + pool["unsure"]
    if 2 * seen >= pool["pairs"]:
        return None
    return (
        f"only {seen:,} of {counted(pool['pairs'], 'pair')} {'is' if seen == 1 else 'are'} judged"
    )


def show_obstacles(now: Mapping[str, Any]) -> bool:
    """What stands in the way and what should be known. True if nothing stands in the way."""
    obstacles, barely = now["obstacles"], barely_judged(now["pool"])
    rows = [("stop" if each["blocking"] else "care", each["text"], "") for each in obstacles]
    free = not any(each["blocking"] for each in obstacles)
    if free and barely:
        st.warning(f"Too early? So far {barely}. A set frozen now would say little.")
    elif free:
        rows.insert(0, ("good", "Nothing stands in the way of freezing.", ""))
    sheet(checks(rows), key="obstacles")
    return free


def show_ways(now: Mapping[str, Any]) -> None:
    """Where one goes to clear what was listed."""
    pool, differ = now["pool"], now["disagreements"]
    with st.container(horizontal=True):
        if not now["queries"]["total"]:
            frame.lead("sample", "Draw a sample")
            frame.lead("write", "Write queries")
        if differ["pairs"] > differ["decided"]:
            frame.lead("decide", "Decide where assessors differ")
        if pool["judged"] + pool["unsure"] < pool["pairs"]:
            frame.lead("queue", "Go to the queue")


def show_contents(now: Mapping[str, Any]) -> None:
    pool, snapshot = now["pool"], now["snapshot"]
    relevant = [grade for grade in now["grades"] if int(grade) >= now["min_grade"]]
    judges = sum(a["pairs"] > 0 and a["name"] != KNOWN_ANSWER for a in now["assessors"])
    sheet(
        numbers(
            tally(now["queries"]["total"], "query", many="queries"),
            tally(
                with_gold(now),
                "query with a relevant chunk",
                many="queries with a relevant chunk",
            ),
            ("pairs with a grade", f"{pool['judged']:,} of {pool['pairs']:,}"),
            tally(judges, "assessor"),
        ),
        facts(
            ("Sample", sample_text(now["sample"])),
            ("Can detect", can_detect(now)),
            ("Agreement", agreement_in_words(now["agreement"])),
            ("Counts as relevant", f"grade {' or '.join(relevant)}"),
            ("Snapshot", f"{snapshot['name']}, {counted(snapshot['chunks'], 'chunk')}"),
            ("Snapshot digest", snapshot["digest"]),
        ),
        key="contents",
    )


def header_work(form: str) -> tuple[str, list[str]] | None:
    """
    What is declared of header work, None while nothing is.

    That is `none` or a date, and the headers that are meant where not all are.
    """
    answer = st.radio(
        "Header work",
        [_NONE, _BEGUN],
        index=None,
        key=f"{form}-work",
        help="Labels made before anybody worked on headers cannot have been bent towards them. "
        "There is no default: somebody has to say it.",
    )
    if answer != _BEGUN:
        return ("none", []) if answer else None
    st.caption(
        "Results of headers that were begun before the freeze are marked as not usable; the set "
        "is good for headers that are begun after it."
    )
    day = st.date_input(
        "It began on", value=None, max_value=date.today(), format="YYYY-MM-DD", key=f"{form}-day"
    )
    named = st.text_area(
        "On which headers",
        placeholder="All headers",
        key=f"{form}-on",
        help="One to a line: a rule such as title+path or a template, a header file where this "
        "app runs, or the SHA-256 of either. The set then stays good for all others. Empty "
        "means work on any header.",
    )
    on = [line.strip() for line in named.splitlines() if line.strip()]
    return (day.isoformat(), on) if isinstance(day, date) else None


def declared_by(who: Person, form: str) -> str:
    """Who declares: a name that is asked for, or the one that somebody signed in under."""
    signed_in = who.email is not None
    given = st.text_input(
        "Declared by",
        value=who.name if signed_in else None,
        disabled=signed_in,
        key=f"{form}-by",
        help="Your name: it stands in the label set.",
    )
    return (given or "").strip()


def declare(workspace: Workspace, now: Mapping[str, Any], *, free: bool) -> None:
    """The owner's answers and the one button; after each freeze, an empty form."""
    form = f"freeze-{st.session_state.get('freezes', 0)}"
    name = st.text_input(
        "Name of the label set", placeholder="handbook-2026-12", key=f"{form}-name"
    ).strip()
    work = header_work(form)
    by = declared_by(people.person(workspace), form)
    rule: Rule = "majority"
    if now["disagreements"]["graded_twice"]:
        rule = st.selectbox(
            "Where assessors differ",
            RULES,
            format_func=lambda each: sentence(DECIDES[each]),
            key=f"{form}-rule",
        )
    before = None
    if earlier := [each["name"] for each in now["label_sets"]]:
        before = st.selectbox(
            "Supersedes", earlier, index=None, placeholder="No earlier set", key=f"{form}-before"
        )
    barely = barely_judged(now["pool"]) if free else None
    meant = not barely or st.checkbox(f"Freeze, though {barely}", key=f"{form}-meant")
    said = {"a name": name, "header work": work, "who declares it": by, "that you mean it": meant}
    lacking = [label for label, given in said.items() if not given]
    ready = free and not lacking
    pressed = st.button(
        "Freeze", type="primary", width="stretch", disabled=not ready, key=f"{form}-press"
    )
    if not pressed or work is None:
        if free and lacking:
            st.caption(f"Still to say: {', '.join(lacking)}.")
        st.caption("A frozen set is never edited. A correction is a new set that supersedes it.")
        return
    with frame.or_say("Nothing was frozen."):
        frozen = freeze(
            workspace,
            name=name,
            header_work=declared(
                work[0],
                now=datetime.now(UTC),
                on=work[1],
                chunks=workspace.snapshot.chunks(),
            ),
            declared_by=by,
            supersedes=workspace.path / LABELS / before if before else None,
            rule=rule,
            clock=lambda: datetime.now(UTC),
        )
        st.session_state["freezes"] = st.session_state.get("freezes", 0) + 1
        st.session_state["frozen"] = frozen.path.name
        st.rerun()


def show_sets(workspace: Workspace, sets: Sequence[Mapping[str, Any]]) -> None:
    """The frozen sets, the newest first, and of one of them the lines that pin and keep it."""
    names = [each["name"] for each in sets]
    st.header("Frozen so far", anchor=False)
    newest_first = sorted(sets, key=lambda each: str(each["frozen_at"] or ""), reverse=True)
    rows = [
        [
            each["name"],
            str(each["frozen_at"] or "not stated")[:16].replace("T", " "),
            _declared_work(each["header_work"]),
            ", ".join(each["superseded_by"]) or "–",
            each["sha256"],
        ]
        for each in newest_first
    ]
    sheet(table("Label sets", _SET_COLUMNS, rows), key="sets")
    chosen = st.selectbox(
        "Digest and commands of", names, index=None, placeholder="Choose a label set", key="lines"
    )
    if chosen is not None:
        show_lines(workspace, chosen, sets[names.index(chosen)]["sha256"], key="chosen")


def _declared_work(declared: object) -> str:
    """What was declared of it, in words."""
    if not isinstance(declared, dict) or declared.get("begun") is None:
        return "not declared"
    if not declared["begun"]:
        return "none begun"
    on = ", on some of them" if isinstance(declared.get("treatments"), list) else ""
    return f"begun {str(declared.get('at'))[:10]}{on}"


def show_lines(workspace: Workspace, name: str, sha256: str, *, key: str) -> None:
    """The identity of a label set, and what to do with it in a terminal."""
    path = workspace.path / LABELS / name
    st.caption("The digest, which is its identity:")
    frame.say_command(sha256)
    st.caption("What measures a header on it, or drafts the experiment:")
    frame.say_command(experiment_command(workspace, path))
    st.caption("A line for a terminal, where the folder is under Git:")
    frame.say_command(git_line(path, sha256))
    sheet(facts(("Where", str(path))), key=f"where-{key}")


frame.enter()
st.title("Freeze", anchor=False)
workspace = session.workspace()
now = status(workspace)
sets = now["label_sets"]
fresh = next((each for each in sets if each["name"] == st.session_state.get("frozen")), None)
if fresh:
    st.success(f"Frozen as {fresh['name']}.")
    show_lines(workspace, fresh["name"], fresh["sha256"], key="fresh")
left, right = st.columns([1.5, 1], gap="large")
with left:
    st.header("Before you freeze", anchor=False)
    free = show_obstacles(now)
    show_ways(now)
    st.header("What the set will hold", anchor=False)
    show_contents(now)
    show_slice(now["held_out"])
with right, st.container(border=True):
    st.header("Freeze a label set", anchor=False)
    declare(workspace, now, free=free)
if sets:
    show_sets(workspace, sets)
frame.next_step(workspace, "freeze")
