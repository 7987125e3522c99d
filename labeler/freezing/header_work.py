"""
The headers that a declaration speaks of, by the digests under which experiments record them.

A header file counts by its bytes, a rule by its text, as in `header_sha256` of a record.
"""

import hashlib
import re
from pathlib import Path

from evaluator import InputError
from evaluator.files.whole import file_sha256

_RULES = ("title", "path", "title+path")


def treatment_sha256(text: str) -> str:
    """
    The digest of a header rule, a header file, or a digest as a record prints it.

    Raises InputError for anything else, so that a mistyped file is not taken for a rule.
    """
    if re.fullmatch("[0-9a-f]{64}", text):
        return text
    path = Path(text.removeprefix("file:"))
    if path.is_file():
        return file_sha256(path)
    if text in _RULES or re.search(r"\{\w+\}", text):
        return hashlib.sha256(text.encode()).hexdigest()
    raise InputError(
        f"{text!r} is no header: there is no such file, and a rule is {', '.join(_RULES)} or a "
        "template. For a rule with options give the header_sha256 of its record."
    )
