"""The sample: what the logs hold, a sample drawn from them to look at, and the one that is kept."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from evaluator import InputError
from labeler.app import frame, session
from labeler.app.components import numbers, sheet, table
from labeler.sampling import Coverage, Sample, draw_sample, preview
from labeler.store import LogQuery, Workspace


def show_logs(logs: Sequence[Mapping[str, Any]]) -> None:
    """One row a log file."""
    rows = [
        [
            str(log["file"]),
            f"{log['searches']:,}",
            f"{log['distinct']:,}",
            day(log.get("first_at")),
            day(log.get("last_at")),
        ]
        for log in logs
    ]
    columns = ["Log file", "Searches>", "Distinct queries>", "From", "To"]
    sheet(table("Query logs", columns, rows), key="logs")


def day(moment: object) -> str:
    return str(moment)[:10] if moment else "not stated"


def show_kept(design: Mapping[str, Any]) -> None:
    """The design of the sample that the workspace holds."""
    sheet(
        numbers(
            ("distinct queries drawn", f"{design['drawn']:,} of {design['population']:,}"),
            ("of all searches are for them", f"{design['share_of_traffic']:.1%}"),
            ("taken with certainty", f"{design['certainty']:,}"),
            ("seed", str(design["seed"])),
        ),
        key="kept",
    )


def show_preview(queries: Sequence[LogQuery], sample: Sample) -> None:
    """What a sample would cover, before it is kept."""
    covered = preview(queries, sample)
    columns = [
        "Part of the log",
        "Distinct queries>",
        "Drawn>",
        "Searches>",
        "Searches for the drawn>",
    ]
    rows = [
        coverage_row("Frequent queries, all taken", covered.head),
        coverage_row("The rest, drawn in proportion to searches", covered.tail),
    ]
    top = [
        [query.text, f"{query.log_count:,}", f"{query.inclusion_probability:.3f}"]
        for query in covered.top
    ]
    sheet(
        table("Coverage", columns, rows),
        table("Most frequent of the sample", ["Most frequent queries in it", "Searches>",
              "Chance of being drawn>"], top),
        key="preview",
    )  # fmt: skip


def coverage_row(name: str, part: Coverage) -> list[str]:
    share = f" ({part.drawn_searches / part.searches:.0%})" if part.searches else ""
    return [
        name,
        f"{part.queries:,}",
        f"{part.drawn:,}",
        f"{part.searches:,}",
        f"{part.drawn_searches:,}{share}",
    ]


def draw(workspace: Workspace, queries: Sequence[LogQuery]) -> None:
    """Choose size and seed, look, and keep."""
    searched = sum(1 for query in queries if query.count > 0)
    size_at, seed_at, _ = st.columns([1, 1, 2])
    size = size_at.number_input("Queries", min_value=1, value=min(480, max(1, searched)), step=20)
    seed = seed_at.number_input("Seed", min_value=0, value=13, step=1)
    sample = draw_sample(queries, size=int(size), seed=int(seed), logs=workspace.logs())
    show_preview(queries, sample)
    if not st.button("Keep this sample", type="primary"):
        return
    try:
        workspace.save_sample(sample.design, sample.queries)
    except InputError as error:
        st.error("The sample was not kept.")
        st.text(str(error))
        return
    st.session_state["sample-kept"] = f"{len(sample.queries):,} queries kept."
    st.rerun()


frame.enter()
st.title("Sample", anchor=False)
workspace = session.workspace()
logs, kept = workspace.logs(), workspace.sample()
st.header("What the logs hold", anchor=False)
if not logs:
    st.text("No query log has been read yet. Read one in a terminal:")
    st.code(f"labeler logs {shlex.quote(str(workspace.path))} FILE", language=None, wrap_lines=True)
    st.stop()
show_logs(logs)
if kept:
    st.header("The sample in use", anchor=False)
    if message := st.session_state.pop("sample-kept", None):
        st.success(message)
    show_kept(kept)
    st.caption("A new one can replace it until judging has begun.")
    with st.expander("Draw another sample"):
        draw(workspace, workspace.log_queries())
else:
    st.header("Draw a sample", anchor=False)
    st.caption(
        "Each query is drawn in proportion to how often it was searched for, so that the sample "
        "speaks for the traffic. The same size and seed always give the same sample."
    )
    draw(workspace, workspace.log_queries())
