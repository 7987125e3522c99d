"""
What the identity probe found, as lines for people and as data.
"""

from dataclasses import asdict
from typing import Any

from evaluator.checks.store_vectors import AGREES, Candidate, Probe
from evaluator.text.messages import marked


def probe_text(found: Probe) -> str:
    """The verdict, then every way to make the strings, the nearest first."""
    low, high = found.lengths
    lengths = f"{low:.4g}" if f"{low:.4g}" == f"{high:.4g}" else f"{low:.4g} to {high:.4g}"
    lines = [
        f"{found.vectors}: {len(found.chunk_ids)} chunks encoded again "
        f"({', '.join(found.chunk_ids[:5])}); stored vectors of length {lengths}",
        *_verdict(found),
        "",
        "cosine, mean and least; largest difference of a component at unit length",
    ]
    lines += [_line(one) for one in found.candidates]
    return "\n".join(lines)


def probe_json(found: Probe) -> dict[str, Any]:
    """The same for a program."""
    return asdict(found) | {"agrees_with": [list(one.names) for one in found.agreeing]}


def _verdict(found: Probe) -> list[str]:
    agreeing = found.agreeing
    if not agreeing:
        return [
            "They agree with none of these ways: another model, other texts or other strings made "
            f"them. Agreement is a cosine of {AGREES} or more for every chunk."
        ]
    best = agreeing[0]
    lines = [f"They agree with {' = '.join(best.names)}."]
    if len(agreeing) > 1:
        lines.append(
            f"So near are {len(agreeing)} ways that these chunks cannot tell them apart for "
            "certain; the first is the nearest."
        )
    if best.not_read:
        lines.append(
            f"The model does not read the end of {best.not_read} of these chunks, so a difference "
            "there would not show."
        )
    return [*lines, f"The first chunk's string in that way: {marked(best.example)}"]


def _line(one: Candidate) -> str:
    figures = f"{one.cosine_mean:.6f} {one.cosine_least:.6f}  {one.largest_difference:.2e}"
    return f"{figures}  {' = '.join(one.names)} [{one.model}]"
