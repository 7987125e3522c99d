"""
The constants of a contrast: everything but the factor, compared field by field between two arms.

A field that differs although nothing declared it is a fault, and stops the contrast: a list
of what was held still is worth nothing if nobody looked.
"""

from collections.abc import Iterator

from evaluator import InputError
from evaluator.arms.arm import ArmRun
from evaluator.arms.setting import Setting
from evaluator.experiment.factors import Factor

Field = tuple[str, object, object]
_NOTHING = "(empty)"


def constants(a: ArmRun, b: ArmRun, factor: Factor, setting: Setting) -> list[dict[str, str]]:
    """
    Name and value of every field that was found equal in both arms.

    Raises InputError where one differs that the factor does not explain.
    """
    fields = [*_shared(setting), *_of_runs(a, b), *_of_arms(a, b, factor)]
    differing = [name for name, mine, theirs in fields if mine != theirs]
    if differing:
        raise InputError(
            f"Arms {a.arm.name!r} and {b.arm.name!r} were to differ in {factor} alone, and differ "
            f"in {', '.join(differing)}. Nothing can be said of one cause; run both arms again."
        )
    return [{"field": name, "value": str(value)} for name, value, _ in fields]


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


def _of_runs(a: ArmRun, b: ArmRun) -> Iterator[Field]:
    """What both arms report, each by itself."""
    yield "inputs encoded", len(a.inputs.offered), len(b.inputs.offered)
    yield "queries answered in one order", _ids(a), _ids(b)
    yield "precision", a.model.precision, b.model.precision
    yield "encoder library", a.model.engine, b.model.engine


def _ids(run: ArmRun) -> str:
    """The asked queries of a run, in as many words as tell two lists apart."""
    ids = list(run.exact)
    return f"{len(ids):,}, from {ids[0]} to {ids[-1]}" if ids else "none"


def _of_arms(a: ArmRun, b: ArmRun, factor: Factor) -> Iterator[Field]:
    """What the arms declare, but for the factor."""
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
        yield from _formatting(a, b)
    if factor != "header":
        yield "header rule", _rule(a), _rule(b)


def _model(run: ArmRun) -> str:
    return f"{run.model.source} ({run.model.identity[:19]})"


def _rule(run: ArmRun) -> str:
    return f"{run.header.rule} ({run.header.digest[:12]})"


def _formatting(a: ArmRun, b: ArmRun) -> Iterator[Field]:
    """Between two models the level is what is held still; the strings may have to differ."""
    same = a.arm.prefixes == b.arm.prefixes
    level = f'"{a.arm.query_prefix}" and "{a.arm.doc_prefix}"' if same else "each model's own"
    yield "prefixes", level, level
