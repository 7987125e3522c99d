"""
What a run keeps beside its rankings, so that its record can be computed again.

Token counts by chunk, and all that was timed or seen at the moment of the run. With the
rankings, the label set and the snapshot this determines every figure; no encoder is needed.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from evaluator import InputError
from evaluator.arms.arm import ArmRun, Inputs
from evaluator.arms.ranking import Rankings
from evaluator.contrasts.model import Verdicts
from evaluator.experiment.headers.rule import HeaderRule
from evaluator.experiment.protocol import Arm
from evaluator.labelset.format import utc_text
from evaluator.labelset.ledger import EarlierChoice, SeenSet, record_look
from evaluator.order.evidence import LabelOrder
from evaluator.record.facts import primary_figures
from evaluator.record.model import Machine, Record, Versions, json_text
from evaluator.record.typed_json import from_json, to_json
from evaluator.vectors.model import Model

OBSERVED = "observed.json"
# What an ArmRun holds that stands elsewhere: in the experiment, the snapshot, the run files.
_ELSEWHERE = ("arm", "model", "header", "inputs", "exact", "hnsw")
_MODEL_FACTS = ("source", "identity", "max_tokens", "dimension", "precision", "prompts", "engine")
_COUNTS = ("offered", "front", "header", "header_alone")


@dataclass(frozen=True, slots=True)
class Observed:
    """
    What could be seen only at the time of a run.

    `arms` holds, by name, what was timed and measured of each arm, its model's facts and the
    chunks without a header. `order` is what the order of labels and treatment rests on;
    `paths` says under which names experiment, labels and snapshot were opened; `answers` holds
    the verdicts on answers, where there are any. `earlier_choices` are those of each contrast
    that the ledger of the labels knew of.
    """

    started_at: str
    looks: int
    opened_flips: bool
    order: LabelOrder
    versions: Versions
    machine: Machine
    paths: Mapping[str, str]
    arms: Mapping[str, Mapping[str, Any]]
    answers: Verdicts | None = None
    earlier_choices: tuple[tuple[EarlierChoice, ...], ...] | None = None


def arm_facts(run: ArmRun) -> dict[str, Any]:
    """Everything of an arm's run that its rankings and token counts do not hold."""
    names = [field.name for field in fields(run) if field.name not in _ELSEWHERE]
    return {
        **{name: getattr(run, name) for name in names if name != "fp32_first" or run.fp32_first},
        "without_header": run.inputs.without_header,
        "model": {name: getattr(run.model, name) for name in _MODEL_FACTS},
    }


def earlier_choices(
    rows: Iterable[Mapping[str, Any]], arms: tuple[str, str], *, measure: str
) -> tuple[EarlierChoice, ...]:
    """
    The other primary measures that two arms had in these rows of a ledger, and what came out.

    `arms` are their digests, baseline and treatment; a run the other way round is turned.
    Equal choices with equal outcome are one, so that running again adds nothing.
    """
    found: dict[tuple[object, ...], EarlierChoice] = {}
    for row in rows:
        stated = row.get("choices")
        for each in stated if isinstance(stated, list) else ():
            choice, _ = from_json(EarlierChoice, each, where="ledger")
            if choice and choice.arms == arms[::-1]:
                choice = replace(choice, arms=arms, difference=0.0 - choice.difference)
            sound = choice and abs(choice.difference) <= 1 and 0 <= choice.p <= 1
            if choice and sound and choice.arms == arms and choice.measure != measure:
                figures = round(choice.difference, 9), round(choice.p, 9)
                found.setdefault((choice.measure, choice.split, choice.n, figures), choice)
    return tuple(found.values())


def enter(
    record: Record,
    labels: SeenSet,
    *,
    at: datetime,
    what: str,
    arms: Sequence[tuple[str, str]] = (),
    held_out: bool = True,
) -> int:
    """
    Write into the ledger that figures were made or shown; how many looks are known then.

    `arms` are the digests of baseline and treatment of each contrast of a run, which is then
    entered with what decided and what came out.
    """
    split, choices = record.headline.split, []
    for contrast, pair in zip(record.contrasts, arms, strict=False):
        primary, found = contrast.primary, primary_figures(contrast)
        chosen = utc_text(at), pair, primary.measure, primary.k, split
        choices.append(EarlierChoice(*chosen, found.n, found.difference, found.p))
    treated = [arm for arm in record.arms if arm.header != "none"]
    digests = {sha for arm in treated for sha in (arm.header_sha256, arm.header_strings_sha256)}
    return record_look(
        labels,
        at=at,
        experiment=record.experiment.name,
        sha256=record.experiment.sha256 or "",
        split=split,
        what=what,
        headers=filter(None, digests),
        choices=choices,
        held_out=held_out,
    )


def write_observed(path: Path, observed: Observed) -> None:
    """Write what was seen as JSON."""
    path.write_text(json_text(to_json(observed)), encoding="utf-8", newline="\n")


def read_observed(path: Path) -> Observed:
    """What was seen; InputError where a run has no such file or another one."""
    if not path.is_file():
        raise InputError(
            f"{path} is missing, so nothing can be computed again. Restore it, or run the "
            "experiment again: runs of earlier versions did not keep it."
        )
    try:
        found, problems = from_json(Observed, json.loads(path.read_bytes()), where="observed")
    except (ValueError, RecursionError) as error:
        found, problems = None, [str(error)]
    if found is None:
        raise InputError(f"{path} is not what a run wrote ({'; '.join(problems)}). Restore it.")
    return found


def write_inputs(path: Path, run: ArmRun, *, bodies: Sequence[str]) -> None:
    """Tokens and header by chunk, in the order of the snapshot, and how much of a body was used."""
    columns = {name: getattr(run.inputs, name) for name in _COUNTS}
    columns["truncated"] = run.inputs.truncated
    columns["body_characters"] = np.array([len(body) for body in bodies], dtype=np.int64)
    table = pa.table({**columns, "header_text": list(run.inputs.headers)})
    pq.write_table(table, path, compression="zstd")


def read_inputs(path: Path, *, chunks: int, without_header: int) -> tuple[Inputs, list[int]]:
    """The counts, and the characters of each body. InputError if they are of other chunks."""
    try:
        table = pq.read_table(path)
        columns = {name: table[name].to_numpy() for name in (*_COUNTS, "truncated")}
        characters = table["body_characters"].to_pylist()
        headers = table["header_text"].to_pylist()
    except (OSError, KeyError, pa.ArrowInvalid) as error:
        raise InputError(f"{path} cannot be read: {error}. Restore it.") from None
    if len(table) != chunks:
        raise InputError(f"{path} counts {len(table):,} chunks, the snapshot has {chunks:,}.")
    return Inputs(**columns, without_header=without_header, headers=headers), characters


def arm_run(
    arm: Arm,
    header: HeaderRule,
    facts: Mapping[str, Any],
    *,
    inputs: Inputs,
    exact: Rankings,
    hnsw: Rankings,
) -> ArmRun:
    """An arm as it ran, from what was kept of it; its model can be described and not used."""
    kept = {name: value for name, value in facts.items() if name not in ("without_header", "model")}
    return ArmRun(
        arm=arm,
        model=Model(**facts["model"], encode=_refuse, count_tokens=_refuse),
        header=header,
        inputs=inputs,
        exact=exact,
        hnsw=hnsw,
        **{**kept, "notices": tuple(kept["notices"])},
    )


def _refuse(_: Sequence[str]) -> NoReturn:
    raise AssertionError("a run that is read back has no encoder")
