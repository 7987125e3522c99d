"""
What the commands print for people: problems and traces as plain lines.

Strings stand between marks, so that a blank at either end can be seen. Data for programs
goes another way and is never made from these lines.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evaluator.arms.trace import Traced
from evaluator.checks.labels import Verified
from evaluator.labelset.format import MANIFEST

OPEN, CLOSE, BREAK = "\u27e6", "\u27e7", "\u23ce"


def marked(text: str) -> str:
    """The text between marks, its line breaks visible."""
    return OPEN + text.replace("\n", f"{BREAK}\n") + CLOSE


def verified_text(found: Verified) -> str:
    """One line per problem, or what the sound set holds; then who dates it and what was shown."""
    if found.problems:
        some = f"{len(found.problems)} problem" + "s" * (len(found.problems) > 1)
        said = "\n".join([f"{found.path}: {some}", *(f"- {p}" for p in found.problems)])
        if any((p.member, p.question) == (MANIFEST, "completeness") for p in found.problems):
            said += "\nA workspace keeps its label sets in labels/."
    else:
        listed = ", ".join(f"{count:,} {name}" for name, count in found.counts.items())
        what = "whole and untouched" if found.pinned else "consistent with its own manifest"
        said = f"{found.path} is {what}.\n{listed}\nsha256 {found.sha256}"
        if not found.pinned:
            said += "\nWhether it is the set that was pinned, --digest tells."
    witnesses, blindness = found.witnesses, found.blindness
    return (
        said
        + _listed("When it existed:", witnesses.lines() if witnesses else ())
        + _listed("Dates that do not fit:", witnesses.clocks if witnesses else ())
        + _listed("Headers in what was shown:", blindness.lines() if blindness else ())
    )


def verified_json(found: Verified) -> dict[str, Any]:
    """The same for a program."""
    return {
        "path": found.path,
        "sha256": found.sha256,
        "counts": dict(found.counts),
        "pinned": found.pinned,
        "problems": [asdict(problem) for problem in found.problems],
        "witnesses": found.witnesses.record() if found.witnesses else None,
        "blindness": asdict(found.blindness) if found.blindness else None,
    }


def _listed(heading: str, lines: Sequence[str]) -> str:
    return "".join([f"\n{heading}", *(f"\n- {line}" for line in lines)]) if lines else ""


def trace_text(found: Sequence[Traced]) -> str:
    """Every string with its arm, its tokens and what the model does not read of it."""
    lines: list[str] = []
    for traced in found:
        limit = "" if traced.max_tokens is None else f", the model reads {traced.max_tokens}"
        lines.append(
            f"arm {traced.arm!r}, {traced.side} {traced.id}: {traced.tokens} tokens{limit}"
        )
        lines.append(marked(traced.string))
        if traced.cut_off:
            lines.append(f"not read: {marked(traced.cut_off)}")
        elif traced.cut_off is None and _too_long(traced):
            lines.append("not read: the end; this tokenizer does not say from where")
        lines.append("")
    return "\n".join(lines).rstrip("\n")


def _too_long(traced: Traced) -> bool:
    return traced.max_tokens is not None and traced.tokens > traced.max_tokens
