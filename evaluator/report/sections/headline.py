"""
The figures that a headline speaks of, by the estimand that the experiment chose.

Judged queries: every query counts once, and the test decides. Traffic: every search counts
once, and the interval for the log window decides, since no test belongs to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.record.facts import Record, deciding_p, measured, primary_of
from evaluator.text import figures as words


@dataclass(frozen=True, slots=True)
class Headline:
    """
    What is claimed of one contrast, whichever estimand it is.

    `rules_out_zero` is None where nothing decides. `basis` stands beside the interval and
    `whom` after the queries; `measure` is the primary measure as the sentence names it.
    """

    measure: str
    baseline: float | None
    treatment: float | None
    difference: float | None
    interval: Sequence[float] | None
    rules_out_zero: bool | None
    basis: str
    whom: str = ""


def speaks_of_searches(record: Record, contrast: Record) -> bool:
    """Whether the experiment asks about the traffic and the record holds that estimate."""
    protocol = record["experiment"].get("protocol") or {}
    traffic = contrast.get("traffic") or {}
    return protocol.get("estimand") == "traffic" and traffic.get("difference") is not None


def headline(record: Record, contrast: Record) -> Headline:
    """The figures of the first screen."""
    if speaks_of_searches(record, contrast):
        return _of_searches(contrast)
    measure, _ = primary_of(contrast)
    found, p = measured(contrast, measure), deciding_p(contrast)
    adjusted = contrast["primary"].get("p_holm")
    family = "" if adjusted is None else f", {words.p_value(adjusted)} adjusted by Holm"
    return Headline(
        measure=measure,
        baseline=found.get("baseline"),
        treatment=found.get("treatment"),
        difference=found.get("difference"),
        interval=found.get("interval"),
        rules_out_zero=None if p is None else p < words.LEVEL,
        basis=f"; {test_name(found)}, p {words.equals(words.p_value(found.get('p')))}{family}",
    )


def test_name(found: Record) -> str:
    """The test without the details of its draws."""
    return str(found.get("test") or "no test").split(",")[0]


def _of_searches(contrast: Record) -> Headline:
    traffic = contrast["traffic"]
    window = traffic.get("this_log_window") or {}
    verdict = window.get("verdict")
    return Headline(
        measure=f"{primary_of(contrast)[0]} per search",
        baseline=traffic.get("baseline"),
        treatment=traffic.get("treatment"),
        difference=traffic["difference"],
        interval=window.get("interval"),
        rules_out_zero=None if verdict is None else verdict != "includes 0",
        basis=" for this log window",
        whom=", weighted by their searches,",
    )
