"""
The sums that must close in a contrast, each met or broken with its figures.

A broken one explains itself. Only arithmetic on what two arms reported; no statistic.
"""

from collections.abc import Mapping

from evaluator.arms.arm import ArmRun
from evaluator.experiment.factors import Factor
from evaluator.statistics.cells import PairedCells

# A separate count of the header can differ by a token where the tokenizer joins the seam.
_SEAM_TOKENS = 0.01
# Retrieved chunks need not have average headers; what is further apart was counted wrongly.
_TAX_SHARE = 0.5


def closure(
    baseline: ArmRun,
    treatment: ArmRun,
    *,
    factor: Factor,
    tax_by_k: Mapping[int, float],
    cells_by_k: Mapping[int, tuple[PairedCells, float, float]],
    matched: bool = False,
) -> list[dict[str, object]]:
    """
    The sums that must close in a contrast, each met or broken with its figures.

    `tax_by_k` holds the treatment's header tokens per query at k, as retrieved; `cells_by_k`
    the cells at k and both arms' rates, measured apart from them; with `matched` bodies
    no input of either arm may be cut by the model.
    """
    rows = [
        _closed(
            "chunk counts are equal",
            len(baseline.inputs.offered),
            len(treatment.inputs.offered),
            note="Arms share one snapshot.",
        )
    ]
    if matched:
        cut = int(baseline.inputs.truncated.sum() + treatment.inputs.truncated.sum())
        rows.append(_closed("with matched bodies the model cuts no input", 0, cut))
    if factor != "model":
        rows.append(_input_gap(baseline, treatment, factor))
    if factor == "header":
        rows += [_tax(treatment, k, tax) for k, tax in tax_by_k.items()]
    for k, (cells, rate_baseline, rate_treatment) in cells_by_k.items():
        rows += [
            _closed(
                f"cells give back the baseline's rate at {k}", cells.rate_baseline, rate_baseline
            ),
            _closed(
                f"cells give back the treatment's rate at {k}", cells.rate_treatment, rate_treatment
            ),
        ]
    return rows


def _input_gap(baseline: ArmRun, treatment: ArmRun, factor: Factor) -> dict[str, object]:
    what = "header" if factor == "header" else "document prefix"
    expected = float(treatment.inputs.front.mean() - baseline.inputs.front.mean())
    gap = treatment.inputs.offered - baseline.inputs.offered
    own = treatment.inputs.front - baseline.inputs.front
    return _closed(
        f"input gap equals the mean {what}",
        expected,
        float(gap.mean()),
        within=_SEAM_TOKENS,
        note=f"Tokens offered, before any cut. In {int((gap != own).sum())} chunks the tokenizer "
        f"counts the {what} otherwise when it stands before the text.",
    )


def _tax(treatment: ArmRun, k: int, found: float) -> dict[str, object]:
    header = treatment.inputs.header
    expected = float(header.mean()) * min(k, len(header))
    return _closed(
        f"mean header of the corpus times {k} equals the header tokens per query",
        expected,
        found,
        within=_TAX_SHARE * expected,
        note="The chunks that are retrieved may have longer or shorter headers than the corpus "
        "has on average; more than half apart counts as broken.",
    )


def _closed(
    name: str, expected: float, found: float, *, within: float = 1e-9, note: str = ""
) -> dict[str, object]:
    met = abs(expected - found) <= within
    return {"name": name, "met": met, "expected": expected, "found": found, "note": note}
