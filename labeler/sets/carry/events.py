"""
Events of a frozen set as they stand in the workspace that they were carried to.

Assessor, grade and time stay. `imported_from` ends with the label set that they came from,
so that a carried judgement is known from one that was made here. Pure.
"""

import hashlib
from collections.abc import Iterator, Mapping

from evaluator.labelset.format import Judgement, LabelSet
from labeler.sets.carry.overlap import Grant
from labeler.sets.pairing import Pair
from labeler.workspace.records import CARRIED, CARRIED_EVENT


def moved_events(labels: LabelSet, new_by_old: Mapping[Pair, Pair]) -> Iterator[Judgement]:
    """Every event on a pair whose text is there, as it was, under the new chunk's id."""
    for event in labels.judgements:
        new = new_by_old.get((event.query_id, event.chunk_id))
        if new is not None:
            yield event._replace(chunk_id=new[1], imported_from=_mark(labels, event))


def granted_event(labels: LabelSet, grant: Grant) -> Judgement:
    """
    An event of its own, since its assessor saw another text: no hash and no position.

    The note says which chunk was judged.
    """
    event = grant.event
    identity = hashlib.sha256(f"{event.event_id}\n{grant.new_id}".encode()).hexdigest()
    note = f"by overlap with {event.chunk_id} ({grant.share:.0%} of its words)"
    return event._replace(
        event_id=CARRIED_EVENT + identity[:32],
        chunk_id=grant.new_id,
        text_sha256=None,
        position=None,
        active_seconds=None,
        note=f"{note}; {event.note}" if event.note else note,
        imported_from=_mark(labels, event),
    )


def _mark(labels: LabelSet, event: Judgement) -> str:
    mark = f"{CARRIED}{labels.name} {labels.sha256[:16]}"
    return f"{event.imported_from}, {mark}" if event.imported_from else mark
