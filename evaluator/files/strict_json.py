"""
JSON in which no name stands twice in one object, where the later value would silently win.
"""

import json
from collections.abc import Callable
from typing import Any


class Twice(ValueError):
    """A name stands twice; the message says which."""


def parsed_json(text: str, *, parse_float: Callable[[str], Any] = float) -> Any:
    """What a JSON text says. Raises Twice, and what `json` raises."""
    return json.loads(text, parse_float=parse_float, object_pairs_hook=_each_once)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise Twice(f"{next(name for name in names if names.count(name) > 1)!r} stands twice")
    return found
