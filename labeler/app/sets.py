"""
The frozen label sets as a table: when, with what declared, and by which they are superseded.

It tells what their manifests state; whether the files are still those is for
`evaluator verify` to say.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluator.labelset import MANIFEST
from labeler.app.components import Block, table

_COLUMNS = ("Name", "Frozen (UTC)", "Header work", "Superseded by", "SHA-256")


def sets_table(folder: Path, sets: Sequence[Mapping[str, str]]) -> Block:
    """One row a set of `folder`, each with `name` and `sha256`, the last frozen first."""
    stated = [(each, _manifest(folder / each["name"])) for each in sets]
    stated.sort(key=lambda pair: str(pair[1].get("frozen_at", "")), reverse=True)
    successors: dict[str, list[str]] = {}
    for each, manifest in stated:
        if isinstance(before := manifest.get("supersedes"), dict):
            successors.setdefault(before.get("sha256", ""), []).append(each["name"])
    rows = [
        [
            each["name"],
            str(manifest.get("frozen_at", "not stated"))[:16].replace("T", " "),
            _header_work(manifest.get("header_work")),
            ", ".join(successors.get(each["sha256"], [])) or "–",
            each["sha256"],
        ]
        for each, manifest in stated
    ]
    return table("Label sets", _COLUMNS, rows)


def _manifest(directory: Path) -> Mapping[str, Any]:
    """What a set states of itself; nothing where its manifest is broken."""
    try:
        stated = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return stated if isinstance(stated, dict) else {}


def _header_work(declared: object) -> str:
    """What was declared of it, in words."""
    if not isinstance(declared, dict) or declared.get("begun") is None:
        return "not declared"
    if not declared["begun"]:
        return "none begun"
    named = declared.get("treatments")
    on = f", on {len(named):,} of them" if isinstance(named, list) else ""
    return f"begun {str(declared.get('at'))[:10]}{on}"
