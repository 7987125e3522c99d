"""
Ids that changed on the way from one tool to the next: which one was meant.

A file whose format holds no blanks has its ids encoded, and from the file alone nobody can tell
`a%20b` that stands for `a b` from an id that is spelled so; the map that lies beside an export
can. Other tools change ids without a word: the form of accents, letter case, zeros in front of
a number, characters that cannot be seen. Nothing of that is repaired here; whoever reports a
missing id can say which one was probably meant.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path

from evaluator import InputError
from evaluator.text.messages import brief

NAME = "ids.json"
ASSESSORS = "assessors"  # the folder of an export that has one file an assessor, named so
_WITHIN = ("qrels", ASSESSORS)  # folders of an export, which has its map above them
_ZEROS_IN_FRONT = re.compile("(?<![0-9])0+(?=[0-9])")


def id_map_beside(path: Path) -> Mapping[str, str] | None:
    """
    The id by how it stands in a file of an export; None where no map lies beside the file.

    An id that is not in the map stands there as it is. Raises InputError for a file of this
    name that is no such map.
    """
    folder = path.absolute().parent
    folder = folder.parent if folder.name in _WITHIN else folder
    try:
        found = json.loads((folder / NAME).read_bytes().decode("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict) and all(isinstance(name, str) for name in found.values()):
        return found
    raise InputError(
        f"{folder / NAME} lies beside {path.name} and is no map of ids, which is one JSON object "
        "of an id by how it is written. Restore it, or move it away if it is something else."
    )


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
