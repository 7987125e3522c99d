"""
What the owner's pages say of the held-out slice, the same on each of them.

It turns numbers into the blocks of a sheet; the counting is `freezing/held_out_counts`'s.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from labeler.app.frame import session
from labeler.app.frame.components import facts, notes, numbers, sheet, table
from labeler.freezing.held_out_counts import held_out
from labeler.workspace.workspace import Workspace

_CLASSES = {
    "held-out": "All relevant documents held out",
    "tuning": "None held out",
    "mixed": "Some of each",
    "no-gold": "Nothing relevant so far",
}
_COLUMNS = (
    "Queries by where their relevant documents lie",
    "Queries>",
    "Documents a query>",
    "Can detect>",
)


def slice_of(workspace: Workspace) -> dict[str, Any]:
    """The slice by itself."""
    return session.kept("held-out", workspace, held_out)


def show_slice(held: Mapping[str, Any]) -> None:
    """The slice under its heading."""
    st.header("Held-out documents", anchor=False)
    st.caption(
        "Documents kept away from all tuning, by a rule on their id. A query's class follows from "
        "the documents of its relevant chunks, so these numbers move while people judge."
    )
    sheet(
        numbers(
            ("documents held out", f"{held['documents']:,} of {held['of_documents']:,}"),
            ("chunks held out", f"{held['chunks']:,} of {held['of_chunks']:,}"),
        ),
        facts(("Rule", _rule(held))),
        table("Queries by class", _COLUMNS, [_row(held, name) for name in _CLASSES]),
        notes(
            "Can detect: the smallest difference between two arms, in the share of queries with "
            "a relevant chunk among the first k, that shows in 4 of 5 experiments if "
            f"{held['flip_share']:.0%} of the queries change (exact McNemar, 5%)."
        ),
        key="held-out",
    )


def _row(held: Mapping[str, Any], name: str) -> list[str]:
    documents, detects = held["gold_documents"].get(name), held["detects"].get(name)
    too_few = "too few" if name in held["detects"] else "–"
    return [
        _CLASSES[name],
        f"{held['classes'][name]:,}",
        "–" if documents is None else f"{documents:.1f}",
        too_few if detects is None else f"{detects:.3f}",
    ]


def _rule(held: Mapping[str, Any]) -> str:
    buckets = ", ".join(map(str, held["held_out"]))
    which = f"bucket {buckets} of {held['buckets']}" if buckets else "no bucket"
    return f"{which}, by a hash of the salt {held['salt']} and the document's id"
