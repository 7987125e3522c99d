"""
The gold chunks of a label set against a store, as lines for people and as data.
"""

from collections import Counter
from dataclasses import asdict
from typing import Any

from evaluator.checks.store_chunks import KINDS, Outcome, Retrievable
from evaluator.text.messages import some_ids


def retrievable_text(found: Retrievable) -> str:
    """The counts, each failed chunk under what is wrong with it, and each failed query."""
    failed = [one for one in found.outcomes if not one.passed]
    passed = len(found.outcomes) - len(failed)
    lines = [
        f"{found.store}: {found.gold - len(found.findings):,} of {found.gold:,} gold chunks are "
        f"stored as they were judged; {passed:,} of {len(found.outcomes):,} queries with gold pass"
    ]
    counts = Counter(one.kind for one in found.findings)
    for kind, meaning in KINDS.items():
        if counts[kind]:
            lines.append(f"{kind}: {counts[kind]:,} ({meaning})")
            lines += [
                f"- {one.chunk_id}: {one.detail} [queries {some_ids(one.query_ids, most=3)}]"
                for one in found.findings
                if one.kind == kind
            ]
    if failed:
        lines.append("queries that fail:")
        lines += [f"- {_outcome(one)}" for one in failed]
    return "\n".join([*lines, *found.notes])


def retrievable_json(found: Retrievable) -> dict[str, Any]:
    """The same for a program, with every query, passed or failed."""
    return {
        **asdict(found),
        "outcomes": [asdict(one) | {"passed": one.passed} for one in found.outcomes],
        "counts": dict(Counter(one.kind for one in found.findings)),
    }


def _outcome(one: Outcome) -> str:
    failed = some_ids(one.failed, most=3)
    return f"{one.query_id}: {len(one.failed)} of {one.gold} gold chunks, {failed}"
