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

    `measure` is the primary measure as the sentence names it, and `whom` stands after the
    queries. `rules_out_zero` is None where nothing decides; `reason` says why there is no
    interval.
    """

    measure: str
    baseline: float | None
    treatment: float | None
    difference: float
    interval: Sequence[float] | None
    rules_out_zero: bool | None
    test: str | None
    p: float | None
    p_holm: float | None
    reason: str | None = None
    whom: str = ""

    @property
    def basis(self) -> str:
        """Interval and test in the brackets of the sentence."""
        interval = words.named_interval(self.interval)
        if self.reason and not self.interval:
            return f"{interval}, since {self.reason}"
        if self.p is None or self.test is None:
            return interval
        family = "" if self.p_holm is None else f", {words.p_value(self.p_holm)} adjusted by Holm"
        p = words.equals(words.p_value(self.p))
        return f"{interval}; {self.test.split(',')[0]}, p {p}{family}"


def speaks_of_searches(record: Record, contrast: Contrast) -> bool:
    """Whether the experiment asks about the traffic and the record holds that estimate."""
    protocol, traffic = record.experiment.protocol, contrast.traffic
    asked = protocol is not None and protocol.estimand == "traffic"
    return asked and traffic is not None and traffic.difference is not None


def headline(record: Record, contrast: Contrast) -> HeadlineFigures:
    """The figures of the first screen."""
    primary, found, traffic = contrast.primary, primary_figures(contrast), contrast.traffic
    if traffic and speaks_of_searches(record, contrast):
        return HeadlineFigures(
            measure=f"{primary.measure} per search",
            baseline=traffic.baseline,
            treatment=traffic.treatment,
            difference=traffic.difference or 0.0,
            interval=traffic.interval,
            rules_out_zero=traffic.rules_out_zero,
            test=traffic.test,
            p=traffic.p,
            p_holm=traffic.p_holm,
            reason=traffic.reason,
            whom=", weighted by their searches,",
        )
    return HeadlineFigures(
        measure=primary.measure,
        baseline=found.baseline,
        treatment=found.treatment,
        difference=found.difference,
        interval=found.interval,
        rules_out_zero=deciding_p(contrast) < words.LEVEL,
        test=found.test,
        p=found.p,
        p_holm=primary.p_holm,
    )


def test_name(found: MeasureFigures) -> str:
    """The test without the details of its draws."""
    return found.test.split(",")[0]


def plainly(measure: str) -> str:
    """The measure in plain words with its name, such as "hit rate (Success@5)"."""
    name, _, rest = measure.partition(" ")
    family = name.split("@")[0].split("(")[0]
    after = f" {rest}" if rest else ""
    return f"{_PLAIN[family]} ({name}){after}" if family in _PLAIN else measure
