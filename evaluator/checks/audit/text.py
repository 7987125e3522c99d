"""
An audit as lines for people and as data.
"""

from dataclasses import asdict
from typing import Any

from evaluator.checks.audit.audit import Audit
from evaluator.checks.audit.finding import Kind

_TITLES: dict[Kind, str] = {
    "does not add up": "Does not add up",
    "doubt": "To be asked",
    "missing": "Missing",
    "adds up": "Adds up",
    "follows": "Follows from the figures",
}


def audit_text(found: Audit) -> str:
    """What is wrong first, then what to ask, what is missing, what fits and what follows."""
    count = sum(one.kind == "does not add up" for one in found.findings)
    missing = sum(one.kind == "missing" for one in found.findings)
    things = "1 thing does" if count == 1 else f"{count} things do"
    lines = [f"{found.name or found.path}: {things} not add up, {missing} are not stated"]
    for kind, title in _TITLES.items():
        texts = [one.text for one in found.findings if one.kind == kind]
        if texts:
            lines += ["", title, *(f"- {text}" for text in texts)]
    return "\n".join(lines)


def audit_json(found: Audit) -> dict[str, Any]:
    """The same for a program."""
    return asdict(found) | {"adds_up": found.adds_up}
