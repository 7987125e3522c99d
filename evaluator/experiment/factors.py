"""
One cause: what differs between two arms, and what to do when more than one thing does.

It knows arms as values and the prefixes that models prescribe; it opens no file.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from evaluator.experiment.protocol import Arm, ContrastSpec, ModelChoice

Factor = Literal["header", "formatting", "model"]
SELF_TEST = "self-test: both arms are the same"
FormattingLevel = Literal["prescribed", "none", "reversed", "other"]
FACTORS: tuple[Factor, ...] = ("header", "formatting", "model")
Prescribed = Mapping[ModelChoice, tuple[str, str] | None]


def formatting_level(
    prefixes: tuple[str, str], prescribed: tuple[str, str] | None
) -> FormattingLevel:
    """What an arm's query and document prefix are to its model."""
    if prefixes == ("", ""):
        return "none"
    if prefixes == prescribed:
        return "prescribed"
    if prescribed is not None and prefixes == prescribed[::-1]:
        return "reversed"
    return "other"


def factors_changed(a: Arm, b: Arm, *, prescribed: Prescribed | None = None) -> frozenset[Factor]:
    """
    The factors in which two arms differ.

    `formatting` is both prefixes together. Under one model it changes when a string
    does. Between two models the strings may have to differ so that each gets what it
    prescribes, so there the level is compared: prescribed, none, reversed, or the literal
    strings. `prescribed` gives each model's own prefixes; what the file states goes first.
    """
    changed: set[Factor] = set()
    if (a.header, a.header_options) != (b.header, b.header_options):
        changed.add("header")
    if _same_model(a, b):
        if a.prefixes != b.prefixes:
            changed.add("formatting")
        return frozenset(changed)
    changed.add("model")
    levels = [
        formatting_level(arm.prefixes, prescribed_for(arm, prescribed or {})) for arm in (a, b)
    ]
    if levels[0] != levels[1] or (levels[0] == "other" and a.prefixes != b.prefixes):
        changed.add("formatting")
    return frozenset(changed)


def prescribed_for(arm: Arm, prescribed: Prescribed) -> tuple[str, str] | None:
    """The prefixes prescribed for an arm's model: as the file states, else as the model does."""
    return arm.model.prescribed or prescribed.get(arm.model)


def contrast_label(baseline: Arm, treatment: Arm, factor: Factor) -> str:
    """
    What a contrast may be called.

    The factor itself when it changed as a whole. A self-test of equal arms, or a switch of one
    prefix alone, is called what it is, so that nobody reads it as a verdict on the factor.
    """
    if not factors_changed(baseline, treatment):
        return SELF_TEST
    if factor != "formatting" or not _same_model(baseline, treatment):
        return factor
    if baseline.doc_prefix == treatment.doc_prefix:
        return "query prefix alone, over one and the same index: the smaller experiment"
    if baseline.query_prefix == treatment.query_prefix:
        return "document prefix alone: half of the formatting"
    return factor


def contrast_problems(
    arms: Sequence[Arm], contrasts: Sequence[ContrastSpec], *, prescribed: Prescribed | None
) -> list[str]:
    """
    What is wrong with each contrast that does not change exactly one factor.

    Before the models' prompts are known (None), a contrast of two models is not yet asked
    for its level of formatting.
    """
    by_name = {arm.name: arm for arm in arms}
    problems = []
    for contrast in contrasts:
        a, b = by_name[contrast.baseline], by_name[contrast.treatment]
        changed = factors_changed(a, b, prescribed=prescribed)
        if prescribed is None and "model" in changed:
            changed -= {"formatting"}
        if contrast.self_test and not changed:
            continue
        if contrast.self_test:
            problems.append(
                f"Arms {a.name!r} and {b.name!r} differ in {' and in '.join(sorted(changed))}: "
                "self_test = true is for arms that are the same."
            )
        elif not changed:
            problems.append(
                f"Arms {a.name!r} and {b.name!r} are the same in header, formatting and model, "
                "so they cannot be compared. Change one of them, or say self_test = true."
            )
        elif len(changed) > 1:
            problems.append(_two_causes(a, b, changed, arms, prescribed or {}))
    return problems


def _same_model(a: Arm, b: Arm) -> bool:
    return (a.model.source, a.model.revision, a.model.weights_sha256) == (
        b.model.source,
        b.model.revision,
        b.model.weights_sha256,
    )


def _two_causes(
    a: Arm, b: Arm, changed: frozenset[Factor], arms: Sequence[Arm], prescribed: Prescribed
) -> str:
    named = [factor for factor in FACTORS if factor in changed]
    between = [
        arm.name
        for arm in arms
        if len(factors_changed(a, arm, prescribed=prescribed)) == 1
        and factors_changed(arm, b, prescribed=prescribed)
        == changed - factors_changed(a, arm, prescribed=prescribed)
    ]
    first = f"Arms {a.name!r} and {b.name!r} differ in {' and in '.join(named)}."
    if between and len(changed) == 2:
        return (
            f"{first} A contrast may change one factor: compare each of them with arm "
            f"{between[0]!r}, which differs from each in one, under [[contrast]]."
        )
    missing = " or ".join(f"the {factor} of {b.name!r}" for factor in named)
    return (
        f"{first} A contrast may change one factor: add an arm that is {a.name!r} with only "
        f"{missing}, and compare it with both."
    )
