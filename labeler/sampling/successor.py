"""
A sample of a workspace's logs: drawn anew, or as the successor of a frozen one.

A successor is drawn from a newer log so that as many queries stay as can.
Every query has a permanent number, and is in a sample when the number lies below its
inclusion probability there. A query asked as often as before therefore stays, and one asked
more often cannot be lost; the new probabilities are exactly those of a new sample. A query of
the former log is recognised by the hash that its id was made from, so that neither that log nor
its way of normalising has to be at hand.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import LabelSet, Query, read_label_set
from labeler.logs.group import NOT_NORMALISED
from labeler.logs.queries import LogQuery, without_content
from labeler.sampling.designs import REST
from labeler.sampling.draw import Sample, draw_sample, stratum_name
from labeler.sampling.strata import Strata, make_strata
from labeler.workspace.sample_design import DesignName, Refresh, SampleDesign
from labeler.workspace.workspace import Workspace

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


_ONE_STRATUM = Strata()


def draw_successor(
    queries: Sequence[LogQuery],
    *,
    former: FormerSample,
    size: int,
    seed: int,
    logs: Sequence[Mapping[str, Any]] = (),
    strata: Strata = _ONE_STRATUM,
) -> Sample:
    """
    A sample of a newer log that shares as many queries with the former one as can be.

    It is drawn by the permanent numbers that drew the former one, which need no more than
    their salt. Each query has exactly the stated probability, and is in both samples with
    the smaller of its two probabilities; designs with these probabilities cannot have it in
    both more often.

    Raises InputError when the former sample was not drawn by such numbers.

    Source: Brewer, Early and Joyce (1972) for permanent numbers.
    """
    salt = former.salt
    if salt is None:
        raise InputError(
            f"Label set {former.name} was not drawn by permanent numbers, so no sample can be "
            "coordinated with it; fitting such numbers to it afterwards was removed. Draw a new "
            "sample with --design permanent, of which later ones are successors. Judgements of "
            "queries that are in both can be carried over."
        )
    sample = draw_sample(
        queries, size=size, seed=seed, logs=logs, design="permanent", strata=strata, salt=salt
    )
    refresh = _refresh(queries, sample, strata, former, salt)
    return Sample(sample.queries, replace(sample.design, refresh=refresh))


def successor_text(design: SampleDesign) -> str:
    """How a successor differs from the set that it follows, in one sentence; else nothing."""
    if (refresh := design.refresh) is None:
        return ""
    return (
        f"Of {refresh.stay + refresh.go} queries of {refresh.labels} {refresh.stay} "
        f"stay ({refresh.expected_to_stay:.0f} on average), {refresh.come} of {design.drawn} are "
        f"new; {refresh.no_longer_asked} are no longer asked."
    )


def _refresh(
    queries: Sequence[LogQuery], sample: Sample, strata: Strata, former: FormerSample, salt: str
) -> Refresh:
    """
    How many queries stay, come and go, and how many were to stay on average.

    Given the former draw, a query stays with the probability that it has now over the one
    that it had then, and certainly if that is more than 1.
    """
    new = FormerSample("", "", sample.design, {each.query_id: each for each in sample.queries})
    stay, asked, expected = 0, 0, 0.0
    for query in queries:
        then = former.drawn(query.query)
        if then is None or not query.count:
            continue
        now = new.drawn(query.query)
        chance = now.inclusion_probability if now else None
        if chance is None:
            chance = _chance(sample.design, query, strata.stratum(query.query))
        asked += 1
        stay += now is not None
        expected += min(1.0, chance / (then.inclusion_probability or 1.0))
    return Refresh(
        labels=former.name,
        sha256=former.sha256,
        salt=salt,
        stretched=False,
        stay=stay,
        expected_to_stay=expected,
        come=len(sample.queries) - stay,
        go=len(former.query_by_id) - stay,
        no_longer_asked=len(former.query_by_id) - asked,
    )


def _chance(design: SampleDesign, query: LogQuery, stratum: str) -> float:
    """The inclusion probability of a query that was left to chance and not drawn."""
    allotted = design.allocation[stratum]
    rest = design.strata[stratum_name(stratum, REST)]
    return (allotted.target - allotted.certainty) * query.count / rest.searches


def draw(
    workspace: Workspace,
    *,
    size: int,
    seed: int,
    design: DesignName = "proportional",
    by: Sequence[str] = (),
    files: Sequence[Path] = (),
    refresh: Path | None = None,
    keep_symbols: bool = False,
) -> Sample:
    """
    A sample of the workspace's log; nothing is stored.

    `by` names rules for strata, `files` are the logs that such a rule has to read again. Queries
    without a letter or digit, or with an invisible character, are set aside unless
    `keep_symbols`; the design says how many. With `refresh`, the sample is the successor of that
    label set.

    Raises InputError for whatever cannot be drawn, with what to do.
    """
    log, logs = workspace.queries.log_queries(), workspace.queries.logs()
    queries = [query for query in log if keep_symbols or not without_content(query.text)]
    strata = make_strata(queries, by=by, logs=logs, files=files)
    if aside := len(log) - len(queries):
        searches = sum(query.count for query in log) - sum(query.count for query in queries)
        said = (
            f"Set aside before the draw: {aside:,} queries ({searches:,} searches) without a "
            "letter or digit, or with an invisible character."
        )
        strata = replace(strata, notes=(*strata.notes, said))
    if refresh is None:
        return draw_sample(queries, size=size, seed=seed, logs=logs, design=design, strata=strata)
    if design not in ("proportional", "permanent"):
        raise InputError(
            f"A successor is drawn by permanent numbers, in proportion to searches; --design "
            f"{design} does not go with --refresh."
        )
    former = FormerSample.of_labels(read_label_set(refresh))
    return draw_successor(queries, former=former, size=size, seed=seed, logs=logs, strata=strata)
