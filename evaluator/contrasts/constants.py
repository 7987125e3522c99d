"""
The constants of a contrast, compared field by field between two arms, and the sums that must close.

A field that differs although nothing declared it is a fault, and stops the contrast: a list of
what was held still is worth nothing if nobody looked. A sum that is broken explains itself.
"""

from collections.abc import Iterator, Mapping, Sequence

from evaluator import InputError
from evaluator.arms.arm import ArmRun
from evaluator.arms.setting import Setting
from evaluator.contrasts.model import CellFigures, ClosureCheck, Constant
from evaluator.experiment.factors import Factor

Field = tuple[str, object, object]
_NOTHING = "(empty)"
# A tokenizer can join or part words where a header meets prefix and text: a token at each seam.
_SEAM_TOKENS = 2
# Retrieved chunks need not have average headers; what is further apart was counted wrongly.
_TAX_SHARE = 0.5


def constants(a: ArmRun, b: ArmRun, factor: Factor, setting: Setting) -> tuple[Constant, ...]:
    """
    Name and value of every field that was found equal in both arms.

    Raises InputError where one differs that the factor does not explain.
    """
    fields = [*_shared(setting), *_of_arms(a, b, factor)]
    differing = [name for name, mine, theirs in fields if mine != theirs]
    if differing:
        raise InputError(
            f"Arms {a.arm.name!r} and {b.arm.name!r} were to differ in {factor} alone, and differ "
            f"in {', '.join(differing)}. Nothing can be said of one cause; run both arms again."
        )
    return tuple(Constant(name, str(value)) for name, value, _ in fields)


def closure(
    baseline: ArmRun,
    treatment: ArmRun,
    *,
    factor: Factor,
    tax_by_k: Mapping[int, float],
    cells: Mapping[str, CellFigures],
    rates_by_k: Mapping[int, Sequence[float]],
    matched: bool = False,
) -> tuple[ClosureCheck, ...]:
    """
    The sums that must close in a contrast, each met or broken with its figures.

    `tax_by_k` holds the treatment's header tokens per query at k, as retrieved; `rates_by_k`
    both arms' rates at k, measured apart from the cells; with `matched` bodies no input of
    either arm may be cut by the model.
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
        rows.append(_seams(treatment))
        rows += [_tax(treatment, k, tax) for k, tax in tax_by_k.items()]
    for k, rates in rates_by_k.items():
        own = cells[str(k)].rate_baseline, cells[str(k)].rate_treatment
        for arm, expected, rate in zip(("baseline", "treatment"), own, rates, strict=True):
            rows.append(_closed(f"cells give back the {arm}'s rate at {k}", expected, rate))
    return tuple(rows)


def _shared(setting: Setting) -> Iterator[Field]:
    """One value for all arms, by construction."""
    experiment, population = setting.experiment, setting.population
    protocol = experiment.protocol
    index = protocol.index
    shared = {
        "label set": setting.labels.sha256[:12],
        "chunk set": f"{experiment.snapshot_digest[:12]}, {len(setting.chunks):,} chunks",
        "queries": f"{len(population.asked):,} asked, split {population.split}",
        "ranking": f"{protocol.ranking}, depth {protocol.depth}",
        "similarity": f"{protocol.similarity}, vectors of length 1",
        "graph": f"m {index.m}, ef_construction {index.ef_construction}, "
        f"ef_search {index.ef_search}, seed {index.seed}",
        "filters": "on" if protocol.filter else "off",
        "body": protocol.body,
    }
    return ((name, value, value) for name, value in shared.items())


def _ids(run: ArmRun) -> str:
    """The asked queries of a run, in as many words as tell two lists apart."""
    ids = list(run.exact)
    return f"{len(ids):,}, from {ids[0]} to {ids[-1]}" if ids else "none"


def _of_arms(a: ArmRun, b: ArmRun, factor: Factor) -> Iterator[Field]:
    """What both arms report, each by itself, and what they declare, but for the factor."""
    yield "inputs encoded", len(a.inputs.offered), len(b.inputs.offered)
    yield "queries answered in one order", _ids(a), _ids(b)
    yield "precision", a.model.precision, b.model.precision
    yield "encoder library", a.model.engine, b.model.engine
    if factor != "model":
        yield "model", _model(a), _model(b)
        yield (
            "tokens that the model reads",
            a.model.max_tokens or "all",
            b.model.max_tokens or "all",
        )
    for name in ("query_prefix", "doc_prefix"):
        mine, theirs = getattr(a.arm, name), getattr(b.arm, name)
        if factor == "header" or (factor == "formatting" and mine == theirs):
            side = {"query_prefix": "query prefix", "doc_prefix": "document prefix"}[name]
            yield side, f'"{mine}"' if mine else _NOTHING, f'"{theirs}"' if theirs else _NOTHING
    if factor == "model":
        # Between two models the level is held still; the strings may have to differ.
        same = a.arm.prefixes == b.arm.prefixes
        level = f'"{a.arm.query_prefix}" and "{a.arm.doc_prefix}"' if same else "each model's own"
        yield "prefixes", level, level
    if factor != "header":
        yield "header rule", _rule(a), _rule(b)


def _model(run: ArmRun) -> str:
    return f"{run.model.source} ({run.model.identity[:19]})"


def _rule(run: ArmRun) -> str:
    return f"{run.header.rule} ({run.header.digest[:12]})"


def _input_gap(baseline: ArmRun, treatment: ArmRun, factor: Factor) -> ClosureCheck:
    what = "header" if factor == "header" else "document prefix"
    return _closed(
        f"input gap equals the mean {what}",
        float(treatment.inputs.front.mean() - baseline.inputs.front.mean()),
        float(treatment.inputs.offered.mean() - baseline.inputs.offered.mean()),
        note=f"Tokens offered, before any cut; the {what} is counted in place, as the input with "
        "it less the input without it.",
    )


def _seams(treatment: ArmRun) -> ClosureCheck:
    """The header by two counts that rest on different strings."""
    inputs = treatment.inputs
    apart = abs(inputs.header - inputs.header_alone)
    return _closed(
        f"chunks whose header counts more than {_SEAM_TOKENS} tokens otherwise by itself",
        0,
        int((apart > _SEAM_TOKENS).sum()),
        note=f"In place {inputs.header.mean():.2f} tokens on average, by itself "
        f"{inputs.header_alone.mean():.2f}; they differ in {int((apart > 0).sum()):,} chunks, "
        "where the tokenizer joins or parts words at the seams.",
    )


def _tax(treatment: ArmRun, k: int, found: float) -> ClosureCheck:
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
) -> ClosureCheck:
    return ClosureCheck(name, abs(expected - found) <= within, expected, found, note)
