"""
Where two values differ that can stand in JSON, each place with both of them.

Numbers of another machine or of other packages may differ in their last digits; whether that
counts is for the caller to say.
"""

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from math import isclose
from typing import Any

NOTHING = "(nothing)"
# Other processors and versions may round the last digits otherwise.
_ELSEWHERE = 1e-9


def unequal(
    path: str, stored: Any, again: Any, *, exact: bool
) -> Iterator[tuple[str, object, object]]:
    """Each place below `path` with what is stored and what came out again; True is not 1."""
    if isinstance(stored, Mapping) and isinstance(again, Mapping):
        for key in sorted(stored.keys() | again.keys()):
            pair = stored.get(key, NOTHING), again.get(key, NOTHING)
            yield from unequal(f"{path}.{key}" if path else key, *pair, exact=exact)
    elif isinstance(stored, list | tuple) and isinstance(again, list | tuple):
        for at, pair in enumerate(zip_longest(stored, again, fillvalue=NOTHING)):
            yield from unequal(f"{path}[{at}]", *pair, exact=exact)
    elif not _equal(stored, again, exact):
        yield path, stored, again


def _equal(stored: Any, again: Any, exact: bool) -> bool:
    numbers = all(isinstance(value, int | float) for value in (stored, again))
    if exact or not numbers or isinstance(stored, bool) or isinstance(again, bool):
        return bool(stored == again and isinstance(stored, bool) == isinstance(again, bool))
    return isclose(stored, again, rel_tol=_ELSEWHERE, abs_tol=_ELSEWHERE)
