"""
The map of ids that lies beside an export: what each encoded id was.

A file whose format holds no blanks has its ids encoded, and from the file alone nobody can
tell `a%20b` that stands for `a b` from an id that is spelled so. The map can.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from evaluator import InputError

NAME = "ids.json"
ASSESSORS = "assessors"  # the folder of an export that has one file an assessor, named so
_WITHIN = ("qrels", ASSESSORS)  # folders of an export, which has its map above them


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
