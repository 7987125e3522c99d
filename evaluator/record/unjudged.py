"""
Pairs that nobody judged, for the next label set and never for this one.

From a record it takes which pairs those are, and gives them away without anything that could
lead a judge: no arm, no rank, no score, in an order that a seed draws.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from evaluator import InputError
from evaluator.contrasts.model import Contrast
from evaluator.files.whole import flush, made_aside, require_new
from evaluator.labelset.format import canonical_line, read_label_set
from evaluator.record.model import Record
from evaluator.record.observed import enter


def unjudged_pairs(record: Record, *, everything: bool, seed: int) -> list[tuple[str, str]]:
    """
    Query and chunk ids of what nobody judged in any contrast of a record, shuffled.

    The shortest lists that could take a difference to 0 or beyond, or, with `everything`, all
    pairs among the first k of either arm. The order is that of the SHA-256 of seed, query and
    chunk. Raises InputError for a record that cannot say, with the reason.
    """
    if not record.contrasts:
        raise InputError("These results hold no contrast, so no pair could change one.")
    found = {
        (query_id, chunk_id)
        for contrast in record.contrasts
        for query_id, chunk_ids in _by_query(contrast, everything).items()
        for chunk_id in chunk_ids
    }
    return sorted(found, key=lambda pair: sha256("\0".join([str(seed), *pair]).encode()).digest())


def note_look(
    record: Record,
    pairs: Sequence[tuple[str, str]],
    *,
    labels: Path | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> int | None:
    """
    Count the look if held-out queries are among the pairs; how many are known then.

    Raises InputError when the label set is not where the record says, nor in `labels`: a look
    that cannot be counted must not happen.
    """
    stated = record.labels
    if stated.sha256 is None or not pairs:
        return None
    path = labels or Path(stated.path)
    if not path.is_dir():
        raise InputError(f"The label set of these results is not at {path}. Name it with --labels.")
    frozen = read_label_set(path, sha256=stated.sha256)
    held_out = sum(frozen.query_class(query_id) == "held-out" for query_id, _ in pairs)
    if not held_out:
        return None
    what = f"{held_out} unjudged pairs of held-out queries, for the next label set"
    return enter(record, frozen, at=clock(), what=what)


def pair_lines(pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The pairs as JSON lines."""
    for query_id, chunk_id in pairs:
        yield canonical_line({"query_id": query_id, "chunk_id": chunk_id})


def write_pairs(path: Path, pairs: Sequence[tuple[str, str]]) -> None:
    """Write the pairs beside the file and rename; InputError for a file that exists."""
    require_new(path)
    with made_aside(path) as aside:
        aside.write_text("".join(pair_lines(pairs)), encoding="utf-8", newline="\n")
        flush(aside)
        aside.rename(path)


def _by_query(contrast: Contrast, everything: bool) -> Mapping[str, Sequence[str]]:
    doubts = contrast.doubts
    if doubts.unjudged is None or doubts.sign is None:
        raise InputError(
            "Negatives are not recorded in these labels: nobody can tell what was never judged."
        )
    if not everything and doubts.sign.method is None:
        raise InputError(
            f"For {contrast.primary.measure} the shortest list is not worked out. "
            "Ask for all unjudged pairs with --all."
        )
    return doubts.unjudged if everything else doubts.sign.by_query
