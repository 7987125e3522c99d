"""
A sample that is known from a frozen label set: which queries it drew, and how.

A query of a log is recognised by the hash that its id was made from, so that neither the
former log nor its way of normalising has to be at hand.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluator import InputError
from evaluator.labelset.format import LabelSet, Query
from labeler.logs.group import NOT_NORMALISED

if TYPE_CHECKING:
    from labeler.sampling.draw import Sample

_PREFIX = "q-"


@dataclass(frozen=True, slots=True)
class KnownSample:
    """The queries that a design drew, by their ids, and the design as it was stored."""

    name: str
    sha256: str
    design: Mapping[str, Any]
    query_by_id: Mapping[str, Query]

    @classmethod
    def of_labels(cls, labels: LabelSet) -> "KnownSample":
        """
        What a label set says of its sample.

        Raises InputError for a set whose queries no design drew from a log.
        """
        design = labels.manifest["sampling"]
        drawn = {
            query.query_id: query
            for query in labels.queries
            if query.origin == "log"
            and query.log_count is not None
            and query.query_id.startswith(_PREFIX)
        }
        if design is None or not drawn:
            raise InputError(
                f"Label set {labels.name} was not drawn from a log, so no log can say how old it "
                "has become, and there is nothing to draw a successor of."
            )
        return cls(labels.name, labels.sha256, design, drawn)

    @classmethod
    def of_sample(cls, sample: "Sample") -> "KnownSample":
        """A sample that was drawn just now."""
        return cls("", "", sample.design, {query.query_id: query for query in sample.queries})

    @property
    def kind(self) -> str:
        """The name of the design; a set from before designs had names is proportional."""
        return str(self.design.get("design", "proportional"))

    @property
    def reading(self) -> dict[str, Any]:
        """How the logs were read, as options for reading a newer one alike."""
        first: Mapping[str, Any] = next(iter(self.design.get("logs", ())), {})
        private = first.get("private") or {}
        return {
            "normalise": first.get("normalising") != NOT_NORMALISED,
            "private": private.get("choice"),
            "identifiers": tuple(private.get("identifiers", ())),
            "regions": tuple(private.get("regions", ())),
        }

    def drawn(self, query: str) -> Query | None:
        """The query with this key, if it was drawn."""
        digest = hashlib.sha256(query.encode()).hexdigest()
        return self.query_by_id.get(_PREFIX + digest[: self._digits])

    def left(self, stratum: str) -> int:
        """How many queries the rest of a stratum was to give, on average if by chance."""
        if self.kind == "permanent":
            allotted = self.design["allocation"][stratum]
            return int(allotted["target"] - allotted["certainty"])
        name = f"{stratum}: rest" if stratum else "rest"
        return int(self.design["strata"][name]["sampled"])

    @property
    def _digits(self) -> int:
        return len(next(iter(self.query_by_id))) - len(_PREFIX) if self.query_by_id else 0
