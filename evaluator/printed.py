"""
What the commands print for people: problems and traces as plain lines.

Strings stand between marks, so that a blank at either end can be seen. Data for programs
goes another way and is never made from these lines.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evaluator.checks import Verified
from evaluator.trace import Traced

OPEN, CLOSE, BREAK = "\u27e6", "\u27e7", "\u23ce"


def marked(text: str) -> str:
    """The text between marks, its line breaks visible."""
    return OPEN + text.replace("\n", f"{BREAK}\n") + CLOSE


def verified_text(found: Verified) -> str:
    """One line per problem, or what the sound set holds."""
    if found.problems:
        some = f"{len(found.problems)} problem" + "s" * (len(found.problems) > 1)
        return "\n".join([f"{found.path}: {some}", *(f"- {p}" for p in found.problems)])
    listed = ", ".join(f"{count:,} {name}" for name, count in found.counts.items())
    if found.pinned:
        return f"{found.path} is whole and untouched.\n{listed}\nsha256 {found.sha256}"
    return (
        f"{found.path} is consistent with its own manifest.\n{listed}\nsha256 {found.sha256}\n"
        "Whether it is the set that was pinned, --digest tells."
    )


def verified_json(found: Verified) -> dict[str, Any]:
    """The same for a program."""
    return {**asdict(found), "problems": [asdict(problem) for problem in found.problems]}


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
