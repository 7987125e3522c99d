"""
The body of each chunk as every arm receives it: whole, or cut alike where it would not fit.

A model reads so many tokens and drops the rest without a word, so a header pushes the end
of a long body out: a second cause. Matched bodies end, in all arms, where the arm with the
least room would have had to end. It cuts and counts what was cut; it ranks nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator import InputError
from evaluator.arms.arm import own_token_counter
from evaluator.arms.setting import Setting
from evaluator.experiment.headers.rule import HeaderRule
from evaluator.experiment.pinned import Pinned
from evaluator.experiment.protocol import Arm, ModelChoice
from evaluator.snapshot.chunk import Chunk
from evaluator.vectors.model import Model


@dataclass(frozen=True, slots=True)
class ArmText:
    """What one arm puts before each text, prefix and header together, and who reads it."""

    name: str
    model: Model
    fronts: Sequence[str]


def choose_bodies(
    opened: Pinned, chunks: Sequence[Chunk], models: Mapping[ModelChoice, Model]
) -> list[str]:
    """The text of each chunk as all arms get it: whole or matched, as the protocol says."""
    texts = [chunk.text for chunk in chunks]
    experiment, headers = opened.experiment, opened.headers
    if experiment.protocol.body == "whole":
        return texts
    return match_bodies(
        texts,
        [_side(arm, models[arm.model], headers[arm.name], chunks) for arm in experiment.arms],
        chunk_ids=[chunk.chunk_id for chunk in chunks],
    )


def match_bodies(
    texts: Sequence[str], sides: Sequence[ArmText], *, chunk_ids: Sequence[str]
) -> list[str]:
    """
    Each text up to the last token that every side can read behind what it puts before it.

    A cut can make a tokenizer count otherwise, so every side looks again at what any of
    them has cut, until nothing changes: then no input is truncated anywhere. Raises
    InputError where nothing of a text would be left, and for tokenizers that cannot tell
    where they cut.
    """
    found = list(texts)
    rows: Sequence[int] = range(len(found))
    while rows:
        changed: set[int] = set()
        for side in sides:
            changed |= _shorten(found, rows, side, chunk_ids)
        rows = sorted(changed)
    return found


def cut_notice(setting: Setting) -> list[str]:
    """A sentence for whoever reads the difference, where bodies are matched."""
    if setting.experiment.protocol.body == "whole":
        return []
    pairs = list(zip(setting.chunks, setting.bodies, strict=True))
    cut = {chunk.chunk_id for chunk, body in pairs if body != chunk.text}
    if not cut:
        return ["Bodies are to be matched, and none had to be cut: all inputs fit the model."]
    judged_gold = {c for q in setting.population.gold_ids for c in setting.labels.gold(q)}
    gold = {chunk.chunk_id for chunk, _ in pairs} & judged_gold
    return [
        f"Bodies are matched: {len(cut):,} of {len(pairs):,} chunks, and {len(cut & gold):,} of "
        f"{len(gold):,} gold chunks, are cut alike in every arm of the file, so that the model "
        "reads all of what it is offered."
    ]


def _side(arm: Arm, model: Model, header: HeaderRule, chunks: Sequence[Chunk]) -> ArmText:
    heads = header.headers(chunks, own_tokens=own_token_counter(model))
    return ArmText(arm.name, model, [arm.doc_prefix + head for head in heads])


def _shorten(
    texts: list[str], rows: Sequence[int], side: ArmText, chunk_ids: Sequence[str]
) -> set[int]:
    """Cut, in place, the texts that do not fit this side; which ones were cut."""
    model = side.model
    if model.max_tokens is None:
        return set()
    counts = model.count_tokens([side.fronts[row] + texts[row] for row in rows])
    over = [row for row, count in zip(rows, counts, strict=True) if count > model.max_tokens]
    if over and model.characters_read is None:
        raise InputError(
            f'body = "matched" needs a tokenizer that tells where it cuts; that of '
            f'{model.source!r} does not. Use body = "whole".'
        )
    full = []
    for row in over:
        assert model.characters_read is not None
        front = side.fronts[row]
        room = min(model.characters_read(front + texts[row]) - len(front), len(texts[row]) - 1)
        if room < 1:
            full.append(chunk_ids[row])
        texts[row] = texts[row][: max(room, 0)]
    if full:
        raise InputError(
            f"In arm {side.name!r} the header leaves no room for the text of {len(full)} chunks "
            f"({', '.join(full[:3])}): the model reads {model.max_tokens} tokens. Bodies cannot "
            "be matched; limit the header with header_max_tokens."
        )
    return set(over)
