"""
The manifest of a snapshot: what it must state, and how it is read.

It states where the chunks came from, how they were cut, and which records of the corpus are
not among them. It knows nothing of the rows beside it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluator import InputError
from labeler.corpus.documents import Skipped

FORMAT = "onecause-snapshot/1"
MANIFEST = "manifest.json"
_HALF = re.compile("[\ud800-\udfff]")
_REQUIRED: Mapping[str, type] = {
    "format": str,
    "name": str,
    "digest": str,
    "chunks": int,
    "documents": int,
    "sources": dict,
    "chunker": dict,
    "corpus": str,
    "created_at": str,
}


def read_manifest(directory: Path) -> dict[str, Any]:
    """The manifest of a snapshot directory. Raises InputError where it is none, or damaged."""
    path = directory / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            f"{directory} is not a snapshot: there is no {MANIFEST} in it. "
            "Make one with `labeler init`."
        ) from None
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}. Restore the file.") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        found = manifest.get("format") if isinstance(manifest, dict) else None
        raise InputError(f"{path} has format {found!r}. Expected {FORMAT!r}.")
    wrong = [key for key, kind in _REQUIRED.items() if not isinstance(manifest.get(key), kind)]
    wrong += [] if _is_list_of_reasons(manifest.get("set_aside", [])) else ["set_aside"]
    wrong += [] if _is_derived(manifest.get("derived")) else ["derived"]
    if wrong:
        raise InputError(f"{path}: {', '.join(wrong)} missing or not as written. Restore the file.")
    return manifest


def _is_list_of_reasons(value: Any) -> bool:
    """Whether it is what `listed` makes. Manifests of an older version have no such list."""
    return isinstance(value, list) and all(
        isinstance(each, dict)
        and isinstance(each.get("chunk_id"), str)
        and isinstance(each.get("reason"), str)
        for each in value
    )


def _is_derived(value: Any) -> bool:
    """Whether it names a parent, as samples do; whole snapshots have no such entry."""
    if value is None:
        return True
    parent = value.get("parent") if isinstance(value, dict) else None
    return isinstance(parent, dict) and isinstance(parent.get("digest"), str)


def listed(set_aside: Sequence[Skipped]) -> list[dict[str, str]]:
    """Ids and reasons; an id with half a surrogate pair is in no file that could name it."""
    return [
        {"chunk_id": each.chunk_id, "reason": each.reason}
        for each in set_aside
        if each.chunk_id is not None and not _HALF.search(each.chunk_id)
    ]
