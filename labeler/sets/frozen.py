"""
The frozen label sets of a workspace, as their manifests state them.

Whether the files are still those is for `evaluator verify` to say: nothing else of a set
is read here.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluator.labelset.format import MANIFEST, sha256_of_set


def frozen_sets(folder: Path) -> list[dict[str, Any]]:
    """
    One record a set, ready for JSON, by name: digest, when, header work, and its successors.

    `superseded_by` names the sets of the folder that state it as the one they correct. What
    a broken manifest does not state is None.
    """
    manifests = folder.glob(f"[!.]*/{MANIFEST}")
    found = sorted(path.parent for path in manifests if path.is_file())
    stated = [(path.name, sha256_of_set(path), _manifest(path)) for path in found]
    successors: dict[str, list[str]] = {}
    for name, _, manifest in stated:
        if isinstance(before := manifest.get("supersedes"), dict):
            successors.setdefault(str(before.get("sha256")), []).append(name)
    return [
        {
            "name": name,
            "sha256": sha256,
            "frozen_at": manifest.get("frozen_at"),
            "header_work": manifest.get("header_work"),
            "superseded_by": successors.get(sha256, []),
        }
        for name, sha256, manifest in stated
    ]


def _manifest(directory: Path) -> Mapping[str, Any]:
    """What a set states of itself; nothing where its manifest is broken."""
    try:
        stated = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return stated if isinstance(stated, dict) else {}
