"""
A successor of a frozen sample, drawn from a newer log so that as many queries stay as can.

Every query has a permanent number, and is in a sample when the number lies below its
inclusion probability there. A query asked as often as before therefore stays, and one asked
more often cannot be lost; the new probabilities are exactly those of a new sample. It reads
no files and knows nothing of judgements.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluator import InputError
from labeler.logs.queries import LogQuery
from labeler.sampling.designs import REST, Number, numbers_of
from labeler.sampling.draw import Sample, draw_sample, stratum_name, stratum_parts
from labeler.sampling.former_sample import KnownSample
from labeler.sampling.strata import TEXT_RULES, Strata, text_strata
from labeler.sampling.systematic import PERMANENT_NUMBERS, permanent_number

_ONE_STRATUM = Strata()


def draw_successor(
    queries: Sequence[LogQuery],
    *,
    former: KnownSample,
    former_log: Sequence[LogQuery] | None = None,
    former_strata: Strata | None = None,
    size: int,
    seed: int,
    logs: Sequence[Mapping[str, Any]] = (),
    strata: Strata = _ONE_STRATUM,
) -> Sample:
    """
    A sample of a newer log that shares as many queries with the former one as can be.

    It is drawn by permanent numbers. A former sample that was drawn by the same numbers
    needs nothing but its seed. For any other, each query gets a number that would have
    drawn it then just as it was: below its former probability if it was drawn, above it if
    not. That takes the counts of the former log, since a query that was not drawn had a
    chance too; leaving that out would draw such queries too often. `former_strata` says in
    which stratum each was; strata by the text of queries need not be given.

    Over all former draws, each query has exactly the stated probability, and is in both
    samples with the smaller of its two probabilities; designs with these probabilities
    cannot have it in both more often.

    Raises InputError when the former sample had no probabilities, or when its log or its
    strata are needed and not there, or are not those that it was drawn from.

    Source: Keyfitz, Journal of the American Statistical Association 46:105-109 (1951), for
    keeping units of a former sample; Brewer, Early and Joyce (1972) for permanent numbers.
    """
    if former.kind == "top":
        raise InputError(
            f"Label set {former.name} holds the most frequent queries of its log, which have no "
            "inclusion probabilities: no sample can be coordinated with it. Draw a new one; "
            "judgements of queries that are in both can be carried over."
        )
    salt = _own_salt(former)
    number = numbers_of(salt) if salt is not None else None
    if number is None:
        salt = f"{seed}:{former.sha256}"
        asked = _checked(former, former_log)
        number = _stretched(former, asked, _checked_strata(former, asked, former_strata), salt)
    sample = draw_sample(
        queries, size=size, seed=seed, logs=logs, design="permanent", strata=strata, number=number
    )
    refresh = {
        "labels": former.name,
        "sha256": former.sha256,
        "salt": salt,
        "stretched": _own_salt(former) is None,
        **_changes(queries, sample, strata, former),
    }
    return Sample(sample.queries, {**sample.design, "refresh": refresh})


def inclusion_chances(
    sample: KnownSample, log: Sequence[LogQuery], *, strata: Strata
) -> dict[str, tuple[int, int]]:
    """
    The inclusion probability of every query of the log that a sample was drawn from, as a fraction.

    Those of the certainty part are all in the sample; the others had a chance in
    proportion to their searches, or all the same chance in a uniform sample.
    """
    chances: dict[str, tuple[int, int]] = {}
    for query in log:
        drawn = sample.drawn(query.query)
        if drawn is not None and drawn.inclusion_probability == 1.0:
            chances[query.query] = (1, 1)
            continue
        stratum = strata.stratum(query.query)
        rest = sample.design["strata"][stratum_name(stratum, REST)]
        if sample.kind == "uniform":
            chances[query.query] = (rest["sampled"], rest["population"])
        else:
            chances[query.query] = (sample.left(stratum) * query.count, rest["searches"])
    return chances


def _own_salt(former: KnownSample) -> str | None:
    """The salt of the numbers that drew the former sample, if such numbers alone did."""
    if former.kind != "permanent":
        return None
    refresh = former.design.get("refresh")
    if refresh is None:
        return str(former.design["seed"])
    return None if refresh["stretched"] else str(refresh["salt"])


def _stretched(former: KnownSample, asked: Sequence[LogQuery], strata: Strata, salt: str) -> Number:
    """
    Numbers, uniform from 0 to 1, that would have drawn the former sample as it was.

    With probability p then and u the hash as a share: p u if it was drawn, p + (1 - p) u
    if not. Fractions stay two whole numbers, since reducing a million of them takes minutes.
    """
    chances = inclusion_chances(former, asked, strata=strata)

    def number(query: LogQuery) -> tuple[int, int]:
        hashed = permanent_number(query.query, salt=salt)
        above, below = chances.get(query.query, (0, 1))
        if former.drawn(query.query) is not None:
            return above * hashed, below * PERMANENT_NUMBERS
        return above * PERMANENT_NUMBERS + (below - above) * hashed, below * PERMANENT_NUMBERS

    return number


def needs_former_strata(former: KnownSample) -> bool:
    """Whether it takes the former log files to know in which stratum each query was."""
    return _own_salt(former) is None and bool(set(former.design.get("by", [])) - set(TEXT_RULES))


def _checked_strata(
    former: KnownSample, asked: Sequence[LogQuery], strata: Strata | None
) -> Strata:
    """The strata of the former sample, if its queries lie in those that they were drawn from."""
    if strata is None and needs_former_strata(former):
        raise InputError(
            f"Label set {former.name} was stratified by {', '.join(former.design['by'])}; in "
            "which stratum the queries were that it does not hold stands in its log files only. "
            "Name each with --log FILE, beside --former WORK. (Where a log may not be kept, draw "
            "the first sample with --design permanent.)"
        )
    strata = strata or text_strata(asked, by=former.design.get("by", []))
    for query in asked:
        drawn, stratum = former.drawn(query.query), strata.stratum(query.query)
        if drawn is not None and stratum_parts(drawn.stratum or "")[0] != stratum:
            raise InputError(
                f"Query {drawn.query_id} of label set {former.name} was drawn from "
                f"{drawn.stratum!r}, and would be in {stratum!r} now. Name the log files that it "
                "was drawn from, unchanged."
            )
    return strata


def _checked(former: KnownSample, former_log: Sequence[LogQuery] | None) -> list[LogQuery]:
    """The queries that were asked, if this is the log that the former sample was drawn from."""
    if former_log is None:
        raise InputError(
            f"Label set {former.name} was not drawn by permanent numbers, so it must be known how "
            "often the queries that it does not hold were asked then. Name the workspace that it "
            "was frozen from with --former WORK. (Where a log may not be kept, draw the first "
            "sample with --design permanent.)"
        )
    asked = [query for query in former_log if query.count > 0]
    found = {"population": len(asked), "searches": sum(query.count for query in asked)}
    expected = {key: former.design[key] for key in found}
    same = sum(
        drawn is not None and drawn.log_count == query.count
        for query in asked
        if (drawn := former.drawn(query.query)) is not None
    )
    if found != expected or same != len(former.query_by_id):
        raise InputError(
            f"This is not the log that label set {former.name} was drawn from: "
            f"{found['population']:,} queries and {found['searches']:,} searches, expected "
            f"{expected['population']:,} and {expected['searches']:,}; of the "
            f"{len(former.query_by_id)} queries of the set {same} have the same count. Name the "
            "workspace that it was frozen from."
        )
    return asked


def _changes(
    queries: Sequence[LogQuery], sample: Sample, strata: Strata, former: KnownSample
) -> dict[str, float]:
    """
    How many queries stay, come and go, and how many were to stay on average.

    Given the former draw, a query stays with the probability that it has now over the one
    that it had then, and certainly if that is more than 1.
    """
    drawn = KnownSample.of_sample(sample)
    asked = [query for query in queries if query.count > 0 and former.drawn(query.query)]
    chances = inclusion_chances(drawn, asked, strata=strata)
    expected = 0.0
    for query in asked:
        then = former.drawn(query.query)
        assert then is not None
        now = chances[query.query]
        expected += min(1.0, now[0] / now[1] / (then.inclusion_probability or 1.0))
    stay = sum(drawn.drawn(query.query) is not None for query in asked)
    return {
        "stay": stay,
        "expected_to_stay": expected,
        "come": len(sample.queries) - stay,
        "go": len(former.query_by_id) - stay,
        "no_longer_asked": len(former.query_by_id) - len(asked),
    }
