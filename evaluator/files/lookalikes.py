"""
Ids that a reader takes for the same and a computer does not.

Ids are the same when every character is. Tools on the way change some of them without a word:
the form of accents, letter case, zeros in front of a number, characters that cannot be seen.
Nothing is repaired here; whoever reports a missing id can say which one was probably meant.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from evaluator.text.messages import brief

_ZEROS_IN_FRONT = re.compile("(?<![0-9])0+(?=[0-9])")


def lookalikes(found: Iterable[str], wanted: Iterable[str]) -> dict[str, str]:
    """The wanted id by each found one that is another and looks the same, or nearly so."""
    looks = {found_id: _look(found_id) for found_id in found}
    if not looks:  # as is usual, and then a pool of a million ids is not gone through
        return {}
    wanted_by_look = {_look(wanted_id): wanted_id for wanted_id in wanted}
    pairs = ((found_id, wanted_by_look.get(look)) for found_id, look in looks.items())
    return {one: other for one, other in pairs if other is not None and other != one}


def as_they_are(alike: Mapping[str, str]) -> str:
    """The first pair, with what lies beyond ASCII as numbers, since it looks the same."""
    one, other = next(iter(alike.items()))
    return f"{brief(one)!a} for {brief(other)!a}"


def _look(id_: str) -> str:
    shown = unicodedata.normalize("NFKC", id_).casefold()
    seen = "".join(c for c in shown if not c.isspace() and unicodedata.category(c) != "Cf")
    return _ZEROS_IN_FRONT.sub("", seen)
