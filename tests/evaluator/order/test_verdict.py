"""Labels before treatment: every combination of evidence, and the verdict it gives."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from evaluator.order.evidence import (
    Ancestor,
    LabelEvidence,
    LabelOrder,
    Trace,
    TraceKind,
    Treatment,
    Witness,
)
from evaluator.order.verdict import order_of_work
from evaluator.text.moments import moment_of

OURS, OTHER = "a" * 64, "b" * 64
BEFORE_ALL = "2026-10-01T00:00:00Z"
FIRST_FROZEN = "2026-11-01T09:00:00.000Z"
BETWEEN = "2026-11-20T00:00:00Z"
FROZEN = "2026-12-01T09:00:00.000Z"
SMALL_1 = Ancestor("small-1", FIRST_FROZEN, Path("small-1"), "1")
AFTER = "2026-12-05T00:00:00Z"
NOT_BEGUN = {"begun": False, "at": None, "declared_by": "Ann"}
STAMPS = {
    "usable": None,
    "not usable": "NOT USABLE: HEADER WORK BEFORE THE LABELS",
    "sensitivity analysis": "LABELS COMPLETED AFTER TREATMENT",
    "order not shown": "ORDER NOT SHOWN",
}


def labels(**changes: Any) -> LabelEvidence:
    return LabelEvidence(
        **{"sha256": OURS, "frozen_at": FROZEN, "header_work": NOT_BEGUN, **changes}
    )


def treatment(*traces: tuple[TraceKind, str], sha256: str = "c" * 64, **more: Any) -> Treatment:
    made = tuple(Trace(at, kind, f"trace of header work: {kind} at {at}") for kind, at in traces)
    return Treatment(sha256, more.pop("rule", "file:h.jsonl"), ("headed",), made, **more)


def order(found: LabelEvidence, *treatments: Treatment) -> LabelOrder:
    return order_of_work(found, treatments or [treatment()])


def expected_use(
    declared: object, traces: tuple[tuple[TraceKind, str], ...], inside: str | None
) -> str:
    """The rule once more, in the words of the design and not of the code."""
    refuted = ("committed", "changed") if inside == OURS else ()
    if any(at == BETWEEN for kind, at in traces if kind not in refuted):
        return "not usable"
    if declared == "begun":
        return "not usable"
    return "order not shown" if declared == "nothing" else "usable"


KINDS: tuple[TraceKind, ...] = ("arm", "generated", "committed", "changed", "run")
DECLARED: dict[str, dict[str, Any]] = {
    "nothing": {},
    "not begun": NOT_BEGUN,
    "begun": {"begun": True, "at": None, "declared_by": "Ann"},
}
TRACES = [
    (),
    *(((kind, at),) for kind in KINDS for at in (BETWEEN, AFTER)),
    *(((one, BETWEEN), (other, AFTER)) for one, other in product(KINDS, KINDS)),
]


@pytest.mark.parametrize("inside", [None, OURS, OTHER])
@pytest.mark.parametrize("declared", DECLARED)
def test_every_combination_of_evidence(declared: str, inside: str | None) -> None:
    """Any trace before the freeze contradicts, unless the file cannot be that old."""
    verdicts = {
        "usable": "declared, not contradicted",
        "not usable": "contradicted",
        "order not shown": "unknown",
    }
    for traces in TRACES:
        dated = treatment(*traces, labels_sha256=inside)
        found = order(labels(header_work=DECLARED[declared]), dated)
        use = expected_use(declared, traces, inside)
        assert (use, STAMPS[use], verdicts[use]) == (found.use, found.stamp, found.verdict), traces
        text = " ".join(found.rests_on)
        assert (True, False) == (FROZEN in text, "prove" in text)


SUCCESSOR: dict[str, Any] = {"supersedes": "small-1", "ancestors": (SMALL_1,)}


@pytest.mark.parametrize(
    ("use", "traces", "changes"),
    [
        ("usable", [("changed", AFTER)], {}),
        ("usable", [], {}),
        ("sensitivity analysis", [("changed", BETWEEN)], {}),
        ("sensitivity analysis", [("run", FIRST_FROZEN)], {}),
        ("not usable", [("changed", BEFORE_ALL)], {}),
        ("sensitivity analysis", [("changed", BEFORE_ALL)], {"all_ancestors": False}),
        ("sensitivity analysis", [("changed", BETWEEN)], {"ancestors": (), "all_ancestors": False}),
        ("sensitivity analysis", [], {"header_work": {"begun": True, "at": BETWEEN}}),
        ("not usable", [], {"header_work": {"begun": True, "at": BEFORE_ALL}}),
        ("sensitivity analysis", [], {"header_work": {"begun": True, "at": None}}),
        ("order not shown", [("changed", AFTER)], {"header_work": {}}),
    ],
)
def test_a_successor_set_is_judged_by_treatment(
    use: str, traces: list[tuple[TraceKind, str]], changes: dict[str, Any]
) -> None:
    """Usable for what began after it; for what prompted it, a sensitivity analysis."""
    found = order(labels(**{**SUCCESSOR, **changes}), treatment(*traces))
    assert (use, STAMPS[use]) == (found.use, found.stamp)


def test_the_number_beside_a_sensitivity_analysis_is_named() -> None:
    """It is that on the newest superseded set that came before the treatment."""
    chain = (Ancestor("small-2", BETWEEN, Path("small-2"), "2"), SMALL_1)
    found = order(
        labels(supersedes="small-2", ancestors=chain), treatment(("run", "2026-11-10T00:00:00Z"))
    )
    assert any("it is not dated before small-1" in text for text in found.rests_on)


def test_treatments_are_judged_apart_and_the_worst_counts() -> None:
    """Each with its digest, its arms and its own reasons."""
    good = treatment(("changed", AFTER), sha256="d" * 64)
    bad = treatment(("changed", BETWEEN), sha256="e" * 64)
    found = order(labels(), good, bad)
    assert ["usable", "not usable"] == [judged.use for judged in found.treatments]
    assert ("contradicted", "not usable") == (found.verdict, found.use)
    assert any(text.startswith("treatment eeeeeeeeeeee of 'headed'") for text in found.rests_on)
    assert ["d" * 64, "e" * 64] == [one.sha256 for one in found.treatments]


def test_a_declaration_can_name_its_treatments() -> None:
    """Header work on one file says nothing of another; its options are no way out."""
    begun = {"begun": True, "at": BETWEEN, "declared_by": "Ann", "treatments": ["d" * 64]}
    mine, other = treatment(sha256="d" * 64), treatment(sha256="e" * 64)
    shorter = treatment(sha256="f" * 64, rules=frozenset(["d" * 64]))
    found = order(labels(header_work=begun), mine, other, shorter)
    assert ["not usable", "usable", "not usable"] == [judged.use for judged in found.treatments]


def test_a_declaration_in_the_arm_counts_as_one() -> None:
    """Where the label set has none; a date after the freeze does not contradict."""
    declared = treatment(("arm", AFTER), declared_by="Bob")
    assert "usable" == order(labels(header_work={}), declared).use


@pytest.mark.parametrize(
    ("use", "at", "unknown"),
    [
        ("not usable", "2026-11-29", False),
        ("usable", "2026-11-30", True),
        ("usable", "2026-12-01", True),
        ("usable", "2026-12-03", False),
        ("not usable", "2026-12-01T08:59Z", False),
        ("usable", "2026-12-01T09:00Z", True),
        ("usable", "2026-11-30T19:00:00", True),
        ("not usable", "2026-11-30T18:59:59", False),
        ("usable", "2026-12-01T09:00:00Z", True),
        ("usable", FROZEN, True),
        ("not usable", "2026-12-01T08:59:59.999Z", False),
    ],
)
def test_dates_are_compared_as_exactly_as_they_are_written(
    use: str, at: str, unknown: bool
) -> None:
    """Equal is not before, nor a day before its moments; without a zone 14 hours are open."""
    found = order(labels(), treatment(("arm", at)))
    assert use == found.use
    assert unknown == any("unknown which of the two was first" in text for text in found.rests_on)


def test_a_file_saved_in_the_second_of_the_freeze_is_not_before_it() -> None:
    """The file's date has whole seconds, and the freeze was in the midst of one."""
    frozen = labels(frozen_at="2026-12-01T09:00:00.100Z")
    assert "usable" == order(frozen, treatment(("changed", "2026-12-01T09:00:00+00:00"))).use


def test_a_clock_set_back_before_freezing_does_not_help() -> None:
    """The labels count from their newest judgement on."""
    found = order(labels(newest_judgement=AFTER), treatment(("changed", "2026-12-03T00:00:00Z")))
    assert "not usable" == found.use
    assert any("a clock was set back" in text for text in found.rests_on)


@pytest.mark.parametrize(("use", "checked"), [("usable", True), ("not usable", False)])
def test_only_a_checked_stamp_shows_that_labels_are_older(use: str, checked: bool) -> None:
    """Anybody can write an unchecked one."""
    stamp = Witness("2026-11-15T00:00:00Z", "time stamp", checked)
    assert use == order(labels(witnesses=(stamp,)), treatment(("changed", BETWEEN))).use


def test_it_is_said_when_the_labels_own_date_is_all_there_is() -> None:
    """A stamp or commit older than the first trace takes the sentence away."""
    after = treatment(("changed", AFTER))
    alone = order(labels(), after)
    assert any("rests on the date in their own manifest" in text for text in alone.rests_on)
    witness = Witness("2026-12-02T00:00:00Z", "commit abc")
    helped = order(labels(witnesses=(witness,)), after)
    assert not any("rests on the date in their own" in text for text in helped.rests_on)
    assert "witness of the labels: commit abc" in helped.rests_on


def test_a_file_that_holds_the_digest_was_written_later() -> None:
    """Which is shown; one that names another set says nothing of this."""
    ours = order(labels(), treatment(("changed", BETWEEN), labels_sha256=OURS))
    assert any("that file was written after it" in text for text in ours.rests_on)
    other = order(labels(), treatment(labels_sha256=OTHER))
    assert any("names another label set (bbbbbbbbbbbb)" in text for text in other.rests_on)


@pytest.mark.parametrize("broken", ["", "yesterday", "2026-13-01", "None"])
def test_dates_that_cannot_be_read_are_no_evidence(broken: str) -> None:
    """Of a trace, of the freeze, of a declaration; nothing crashes."""
    assert moment_of(broken) is None
    assert "usable" == order(labels(), treatment(("changed", broken))).use
    assert "order not shown" == order(labels(frozen_at=broken), treatment()).use
    begun = {"begun": True, "at": broken}
    assert "not usable" == order(labels(header_work=begun), treatment()).use


def test_without_headers_the_order_of_header_work_does_not_matter() -> None:
    """An experiment on prefixes alone is not spoilt by earlier header work."""
    found = order_of_work(labels(header_work={"begun": True, "at": BETWEEN}), [])
    assert ("usable", None) == (found.use, found.stamp)
    assert any("no arm has a header" in text for text in found.rests_on)


def test_doubts_and_declarations_are_printed() -> None:
    """Doubts come last and decide nothing; who declared what is said by name."""
    found = order_of_work(labels(), [treatment()], doubts=["doubt: something"])
    assert ("usable", "doubt: something") == (found.use, found.rests_on[-1])
    assert any("declared by Ann" in text for text in found.rests_on)
