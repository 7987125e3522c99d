"""
What a workspace keeps, as records: settings, events and their receipts, roles and marks.

Plain data that the pages, the commands and the workspace hand to each other. Queries, pairs
and judgements have the shape they will have when frozen and come from
`evaluator/labelset/format.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from evaluator.labelset.format import HeldOutRule, Verdict, text_sha256

KNOWN_ANSWER = "known answer"
"""The assessor of pairs that are known from elsewhere."""
CARRIED = "label set "
"""What `imported_from` begins with where a person's judgement came with a frozen set."""
CARRIED_EVENT = "carried-"
"""What the id of an event begins with that holds for a text other than the one judged."""
BY_MODEL = "model "
"""What the method of a judgement begins with that a model proposed."""
CHECKED_BY = ", checked by "
"""What stands in that method between the model and whoever checked the judgement."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What was decided when the workspace was made and never changes after."""

    name: str
    created_at: str
    grades: tuple[tuple[int, str], ...]
    min_grade: int
    held_out_rule: HeldOutRule
    snapshot_name: str
    snapshot_digest: str
    order_seed: str


GUIDELINES = """\
A text is relevant when it holds the answer to the query, or a part of the answer that one needs. \
To be about the same topic is not enough.

- Judge what the text says, not what you know or could look up.
- Judge each text by itself, as if you had not read the others.
- If two grades fit, give the lower one.
- Say "Can't tell" where you cannot follow the text, not where you hesitate between two grades.
"""
"""What "relevant" means where the owner has not said otherwise."""


@dataclass(frozen=True, slots=True)
class Guidelines:
    """What assessors are told "relevant" means, since when, and how many had judged before."""

    text: str
    at: str
    judgements_before: int

    @property
    def sha256(self) -> str:
        return text_sha256(self.text)


@dataclass(frozen=True, slots=True)
class Practice:
    """
    A query to try out before the first that counts; nothing of it is ever a judgement.

    Each of its texts is a chunk id, the grade that its owner gives, and why.
    """

    query: str
    texts: tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, slots=True)
class Event:
    """What an assessor did to one chunk, with an id made where they did it."""

    event_id: str
    chunk_id: str
    grade: int | None
    verdict: Verdict
    position: int | None = None
    active_seconds: float | None = None
    method: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """The event ids that are on disk now, and those that never will be, with the reason."""

    stored: tuple[str, ...]
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class QueryProgress:
    """How far the judging of one query has come. Pairs, not events, are counted."""

    query_id: str
    text: str
    origin: str
    pool: int
    judged: int
    judged_by: Mapping[str, int]
    ended_by: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Role:
    """What somebody may do where people sign in; `email` is how they are known there."""

    assessor: str
    may_judge: bool
    may_freeze: bool
    email: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """
    What an adjudicator made of a disagreement: a grade, `unsure`, or `undone`.

    `rule` names the rule that was followed, if it was not the adjudicator's own reading.
    """

    event_id: str
    chunk_id: str
    grade: int | None
    verdict: Verdict
    rule: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class FlipMark:
    """
    That somebody has read a flip, with what they think of it, or takes that back.

    A flip is known by the digest of its results, its two arms and its query.
    """

    event_id: str
    results_sha256: str
    baseline: str
    treatment: str
    query_id: str
    verdict: Literal["read", "unread"]
    comment: str | None = None
    person: str = ""
    marked_at: str = ""
