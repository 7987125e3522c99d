"""
A sample that is known from a frozen label set: which queries it drew, and how.

A query of a log is recognised by the hash that its id was made from, so that neither the
former log nor its way of normalising has to be at hand.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import LabelSet, Query
from labeler.logs.group import NOT_NORMALISED
from labeler.workspace.sample_design import SampleDesign

_PREFIX = "q-"


@dataclass(frozen=True, slots=True)
class FormerSample:
    """The queries that a design drew, by their ids, and the design as it was stored."""

    name: str
    sha256: str
    design: SampleDesign
    query_by_id: Mapping[str, Query]

    @classmethod
    def of_labels(cls, labels: LabelSet) -> "FormerSample":
        """
        What a label set says of its sample.

        Raises InputError for a set whose queries no design drew from a log.
        """
        sampling = labels.manifest["sampling"]
        drawn = {
            query.query_id: query
            for query in labels.queries
            if query.origin == "log"
            and query.log_count is not None
            and query.query_id.startswith(_PREFIX)
        }
        if sampling is None or not drawn:
            raise InputError(
                f"Label set {labels.name} was not drawn from a log, so no log can say how old it "
                "has become, and there is nothing to draw a successor of."
            )
        return cls(labels.name, labels.sha256, SampleDesign.from_json(sampling), drawn)

    @property
    def salt(self) -> str | None:
        """The salt of the permanent numbers that drew it, if such numbers alone did."""
        refresh = self.design.refresh
        if self.design.design != "permanent" or (refresh and refresh.stretched):
            return None
        return str(self.design.seed) if refresh is None else refresh.salt

    @property
    def reading(self) -> dict[str, Any]:
        """How the logs were read, as options for reading a newer one alike."""
        first: Mapping[str, Any] = next(iter(self.design.logs), {})
        private = first.get("private") or {}
        return {
            "normalise": first.get("normalising") != NOT_NORMALISED,
            "private": private.get("choice"),
            "identifiers": tuple(private.get("identifiers", ())),
            "regions": tuple(private.get("regions", ())),
        }

    def drawn(self, query: str) -> Query | None:
        """The query with this key, if it was drawn."""
        length = len(next(iter(self.query_by_id), ""))
        digest = hashlib.sha256(query.encode()).hexdigest()
        return self.query_by_id.get(f"{_PREFIX}{digest}"[:length])
