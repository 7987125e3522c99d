"""
What an arm embeds, for people: the traced strings as plain lines.

Strings stand between marks, so that a blank at either end can be seen. Data for programs
goes another way and is never made from these lines.
"""

from collections.abc import Sequence

from evaluator.arms.trace import Traced
from evaluator.text.messages import marked


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
        elif traced.cut_off is None and traced.tokens > (traced.max_tokens or traced.tokens):
            lines.append("not read: the end; this tokenizer does not say from where")
        lines.append("")
    return "\n".join(lines).rstrip("\n")
