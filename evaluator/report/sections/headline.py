"""
The figures that a headline speaks of, by the estimand that the experiment chose.

Judged queries: every query counts once, and the test decides. Traffic: every search counts
once, and the interval decides, with the p that belongs to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.contrasts.model import Contrast, MeasureFigures
from evaluator.record.facts import deciding_p, primary_figures
from evaluator.record.model import Record
from evaluator.statistics.per_search import TrafficEstimate
from evaluator.text import figures as words

_PLAIN = {
    "Success": "hit rate",
    "R": "share of gold found",
    "RR": "reciprocal rank",
    "nDCG": "ranking quality",
    "P": "precision",
    "AP": "average precision",
}


@dataclass(frozen=True, slots=True)
class HeadlineFigures:
    """
    What is claimed of one contrast, whichever estimand it is.

    `rules_out_zero` is None where nothing decides. `basis` stands beside the interval and
    `whom` after the queries; `measure` is the primary measure as the sentence names it.
    """

    measure: str
    baseline: float | None
    treatment: float | None
    difference: float
    interval: Sequence[float] | None
    rules_out_zero: bool | None
    basis: str
    whom: str = ""


def speaks_of_searches(record: Record, contrast: Contrast) -> bool:
    """Whether the experiment asks about the traffic and the record holds that estimate."""
    protocol, traffic = record.experiment.protocol, contrast.traffic
    asked = protocol is not None and protocol.estimand == "traffic"
    return asked and traffic is not None and traffic.difference is not None


def headline(record: Record, contrast: Contrast) -> HeadlineFigures:
    """The figures of the first screen."""
    measure, found = contrast.primary.measure, primary_figures(contrast)
    traffic = contrast.traffic
    if traffic and speaks_of_searches(record, contrast):
        return HeadlineFigures(
            measure=f"{measure} per search",
            baseline=traffic.baseline,
            treatment=traffic.treatment,
            difference=traffic.difference or 0.0,
            interval=traffic.interval,
            rules_out_zero=traffic.rules_out_zero,
            basis=_tested(traffic) if traffic.interval else f", since {traffic.reason}",
            whom=", weighted by their searches,",
        )
    adjusted = contrast.primary.p_holm
    family = "" if adjusted is None else f", {words.p_value(adjusted)} adjusted by Holm"
    return HeadlineFigures(
        measure=measure,
        baseline=found.baseline,
        treatment=found.treatment,
        difference=found.difference,
        interval=found.interval,
        rules_out_zero=deciding_p(contrast) < words.LEVEL,
        basis=f"; {test_name(found)}, p {words.equals(words.p_value(found.p))}{family}",
    )


def _tested(traffic: TrafficEstimate) -> str:
    """The p that belongs to the interval per search, and the adjusted one, which decides."""
    if traffic.p is None:
        return ""
    test = (traffic.test or "").split(",")[0]
    family = "" if traffic.p_holm is None else f", {words.p_value(traffic.p_holm)} by Holm"
    return f"; {test}, p {words.equals(words.p_value(traffic.p))}{family}"


def test_name(found: MeasureFigures) -> str:
    """The test without the details of its draws."""
    return found.test.split(",")[0]


def plainly(measure: str) -> str:
    """The measure in plain words with its name, such as "hit rate (Success@5)"."""
    name, _, rest = measure.partition(" ")
    family = name.split("@")[0].split("(")[0]
    after = f" {rest}" if rest else ""
    return f"{_PLAIN[family]} ({name}){after}" if family in _PLAIN else measure
