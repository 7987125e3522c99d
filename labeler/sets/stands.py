"""
What stands in a frozen set: the last word of every assessor on every pair, and decisions.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluator.labelset.format import ADJUDICATION, Judgement
from labeler.sets.pairing import Pair


@dataclass(frozen=True, slots=True)
class Stands:
    """
    Judgements by assessor by pair, and the decisions on disagreements by pair.

    What was undone is not there, nor is a pair on which nothing is left.
    """

    by_pair: Mapping[Pair, Mapping[str, Judgement]]
    decided: Mapping[Pair, Judgement]


def what_stands(events: Iterable[Judgement]) -> Stands:
    """What stands after events in time order."""
    by_pair: dict[Pair, dict[str, Judgement]] = {}
    decided: dict[Pair, Judgement] = {}
    for event in events:
        pair = (event.query_id, event.chunk_id)
        if event.method == ADJUDICATION:
            decided[pair] = event
        else:
            by_pair.setdefault(pair, {})[event.assessor] = event
    kept = {
        pair: {name: event for name, event in given.items() if event.verdict != "undone"}
        for pair, given in by_pair.items()
    }
    return Stands(
        by_pair={pair: given for pair, given in kept.items() if given},
        decided={pair: event for pair, event in decided.items() if event.verdict != "undone"},
    )
