"""
The queries whose hit changed between two arms, as a record tells them, to be read one by one.

It turns a record into flips, and chooses among them by what they are and whether somebody has
read them. What their chunks say is looked up in `flip_texts`; nothing is measured here.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evaluator import InputError
from labeler.results.results import ResultsFolder
from labeler.workspace.records import FlipMark

Side = Literal["baseline", "treatment"]
HELD_OUT = "held-out"
SIDES: tuple[Side, Side] = ("baseline", "treatment")


@dataclass(frozen=True, slots=True)
class Outranking:
    """A chunk that the arm that misses ranks before the gold chunk, as far as it was told."""

    chunk_id: str
    rank: int
    title: str | None
    first_words: str | None


@dataclass(frozen=True, slots=True)
class Flip:
    """
    A query that one arm hits and the other misses.

    `first_gold` and `ranks` hold ranks by side, of the best gold chunk and of `chunk_id`; None
    is below the depth of the run. Records of runs made elsewhere count no tokens.
    """

    query_id: str
    text: str
    won: bool
    query_class: str | None
    gold: tuple[str, ...]
    chunk_id: str
    first_gold: Mapping[Side, int | None]
    ranks: Mapping[Side, int | None]
    header_tokens: Mapping[Side, int] | None
    body_tokens: Mapping[Side, int] | None
    outranked_by: tuple[Outranking, ...]
    causes: tuple[str, ...]

    @property
    def hits(self) -> Side:
        return "treatment" if self.won else "baseline"

    @property
    def misses(self) -> Side:
        return "baseline" if self.won else "treatment"


@dataclass(frozen=True, slots=True)
class Contrast:
    """
    Two arms and the flips between them, lost ones first.

    `won` and `lost` count all flips of the `n` queries, also those that the record does not
    name. `opened` is whether the run named those of held-out queries. `rules` says what each
    guess at a cause means.
    """

    baseline: str
    treatment: str
    measure: str
    k: int
    n: int
    won: int
    lost: int
    depth: int | None
    rules: Mapping[str, str]
    opened: bool
    flips: tuple[Flip, ...]

    def listed(self, *, opened: bool) -> tuple[Flip, ...]:
        """The flips that may be named, those of held-out queries only once they are opened."""
        return tuple(each for each in self.flips if opened or each.query_class != HELD_OUT)

    def arm(self, side: Side) -> str:
        return self.baseline if side == "baseline" else self.treatment


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which flips to list: `won` or `lost`, `read` or `unread`; an empty text is any."""

    moved: str = ""
    query_class: str = ""
    cause: str = ""
    read: str = ""


def contrasts_of(results: ResultsFolder) -> tuple[Contrast, ...]:
    """
    Every contrast of a record that has hits to compare.

    Raises InputError for a record with other fields than the evaluator writes.
    """
    record = results.record
    try:
        depth = (record["experiment"].get("protocol") or {}).get("depth")
        made = (_contrast(each, depth) for each in record["contrasts"])
        return tuple(each for each in made if each is not None)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise InputError(
            f"The flips of {results.path} cannot be read ({type(error).__name__}: {error}). "
            "Run the experiment again."
        ) from None


def select(
    flips: Iterable[Flip], wanted: Wanted, *, read: Collection[str] = ()
) -> tuple[Flip, ...]:
    """Those that are wanted, in their order. `read` holds the ids of queries that were read."""
    return tuple(
        flip
        for flip in flips
        if wanted.moved in ("", "won" if flip.won else "lost")
        and wanted.query_class in ("", flip.query_class or "unknown")
        and (not wanted.cause or wanted.cause in flip.causes)
        and wanted.read in ("", "read" if flip.query_id in read else "unread")
    )


def marks_by_query(
    marks: Iterable[FlipMark], contrast: Contrast
) -> dict[str, tuple[FlipMark, ...]]:
    """The marks on the flips of a contrast, by query, the oldest first."""
    found: dict[str, tuple[FlipMark, ...]] = {}
    for mark in marks:
        if (mark.baseline, mark.treatment) == (contrast.baseline, contrast.treatment):
            found[mark.query_id] = (*found.get(mark.query_id, ()), mark)
    return found


def read_queries(marks: Mapping[str, Sequence[FlipMark]]) -> frozenset[str]:
    """The queries whose last mark, whoever made it, says that they were read."""
    return frozenset(query for query, made in marks.items() if made[-1].verdict == "read")


def said_of(contrast: Contrast, flip: Flip) -> str:
    """What happened, in a sentence."""
    place = flip.first_gold[flip.misses]
    below = "not found" if contrast.depth is None else f"not among its first {contrast.depth}"
    missed = below if place is None else f"at rank {place}"
    return (
        f"{contrast.arm(flip.hits)} has a gold chunk at rank {flip.first_gold[flip.hits]}, within "
        f"the first {contrast.k}; in {contrast.arm(flip.misses)} the best one is {missed}."
    )


def _contrast(found: Mapping[str, Any], depth: Any) -> Contrast | None:
    primary = found["primary"]
    cells = (found.get("cells") or {}).get(str(primary.get("k")))
    if cells is None:
        return None
    flips = found.get("flips") or {}
    opened = bool(flips.get("opened"))
    told = [
        _flip(each, won=kind == "won")
        for kind in ("lost", "won")
        for each in flips.get(kind) or ()
        if opened or each.get("class") != HELD_OUT
    ]
    return Contrast(
        baseline=str(found["baseline"]),
        treatment=str(found["treatment"]),
        measure=str(primary["measure"]),
        k=int(primary["k"]),
        n=int(cells["n"]),
        won=int(cells["won"]),
        lost=int(cells["lost"]),
        depth=None if depth is None else int(depth),
        rules={str(name): str(rule) for name, rule in (flips.get("rules") or {}).items()},
        opened=opened,
        flips=tuple(told),
    )


def _flip(found: Mapping[str, Any], *, won: bool) -> Flip:
    gold = tuple(map(str, found["gold"]))
    first_gold = _ranks(found)
    chunk = found.get("chunk") or {"chunk_id": gold[0]}
    return Flip(
        query_id=str(found["query_id"]),
        text=str(found.get("text") or found["query_id"]),
        won=won,
        query_class=_text(found.get("class")),
        gold=gold,
        chunk_id=str(chunk["chunk_id"]),
        first_gold=first_gold,
        ranks=_ranks(chunk),
        header_tokens=_tokens(chunk, "header"),
        body_tokens=_tokens(chunk, "body"),
        outranked_by=tuple(_outranking(each) for each in found.get("outranked_by") or ()),
        causes=tuple(map(str, found.get("causes") or ())),
    )


def _ranks(found: Mapping[str, Any]) -> dict[Side, int | None]:
    ranks = {side: found.get(f"rank_{side}") for side in SIDES}
    return {side: None if rank is None else int(rank) for side, rank in ranks.items()}


def _tokens(chunk: Mapping[str, Any], what: str) -> dict[Side, int] | None:
    if chunk.get(f"{what}_tokens_baseline") is None:
        return None
    return {side: int(chunk[f"{what}_tokens_{side}"]) for side in SIDES}


def _outranking(found: Mapping[str, Any]) -> Outranking:
    return Outranking(
        str(found["chunk_id"]),
        int(found["rank"]),
        _text(found.get("title")),
        _text(found.get("first_words")),
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)
