"""
Names of people: what can be one. The same on the pages and in the commands.
"""

import unicodedata

from evaluator import InputError
from labeler.workspace.records import KNOWN_ANSWER

_LONGEST = 80


def person_name(text: str) -> str:
    """
    The name as it is stored: composed, without blanks around it.

    Raises InputError for what cannot be shown, or stands for something else than a person.
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not name or len(name) > _LONGEST:
        raise InputError(f"A name has 1 to {_LONGEST} characters.")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        raise InputError("A name cannot hold control characters.")
    if name == KNOWN_ANSWER:
        raise InputError(
            "This name stands for answers that are known from elsewhere. Choose another."
        )
    return name
