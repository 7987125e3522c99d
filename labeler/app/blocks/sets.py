"""The frozen label sets as a table: when, with what declared, and by which superseded."""

from collections.abc import Mapping, Sequence
from typing import Any

from labeler.app.frame.components import Block, table

_COLUMNS = ("Name", "Frozen (UTC)", "Header work", "Superseded by", "SHA-256")


def sets_table(sets: Sequence[Mapping[str, Any]]) -> Block:
    """One row a set, as `frozen_sets` tells them, the last frozen first."""
    newest_first = sorted(sets, key=lambda each: str(each["frozen_at"] or ""), reverse=True)
    rows = [
        [
            each["name"],
            str(each["frozen_at"] or "not stated")[:16].replace("T", " "),
            _header_work(each["header_work"]),
            ", ".join(each["superseded_by"]) or "–",
            each["sha256"],
        ]
        for each in newest_first
    ]
    return table("Label sets", _COLUMNS, rows)


def _header_work(declared: object) -> str:
    """What was declared of it, in words."""
    if not isinstance(declared, dict) or declared.get("begun") is None:
        return "not declared"
    if not declared["begun"]:
        return "none begun"
    named = declared.get("treatments")
    on = f", on {len(named):,} of them" if isinstance(named, list) else ""
    return f"begun {str(declared.get('at'))[:10]}{on}"
