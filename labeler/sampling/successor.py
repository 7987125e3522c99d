"""
A successor of a frozen sample, drawn from a newer log so that as many queries stay as can.

Every query has a permanent number, and is in a sample when the number lies below its
inclusion probability there. A query asked as often as before therefore stays, and one asked
more often cannot be lost; the new probabilities are exactly those of a new sample. It reads
no files and knows nothing of judgements.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluator import InputError
from labeler.logs.queries import LogQuery
from labeler.sampling.designs import REST
from labeler.sampling.draw import Sample, draw_sample, stratum_name
from labeler.sampling.former_sample import FormerSample
from labeler.sampling.strata import Strata
from labeler.workspace.sample_design import Refresh, SampleDesign

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
