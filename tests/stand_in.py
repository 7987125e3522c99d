"""
A deterministic encoder for tests: no download, no torch, the same bits on every machine.

Words and the character trigrams inside them are hashed into 64 numbers, so texts that
share words or parts of words come out close. It reads 30 words, as a model of 32 tokens
with a start and an end mark would, and drops the rest without a word: tests need that too.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evaluator.vectors.model import Model

DIMENSION = 64
MAX_TOKENS = 32


def stand_in_model(
    *,
    name: str = "stand-in",
    prompts: Mapping[str, str] | None = None,
    max_tokens: int | None = MAX_TOKENS,
) -> Model:
    """
    A model whose vectors depend on nothing but its name and the texts.

    Two names give two models that disagree, as two real ones would.
    """

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = _vector(_read(text, max_tokens), name)
        return vectors

    def count_tokens(texts: Sequence[str]) -> NDArray[np.int64]:
        return np.array([len(_words(text)) + 2 for text in texts], dtype=np.int64)

    return Model(
        source=f"test:{name}",
        identity="sha256:" + hashlib.sha256(f"{name} {max_tokens}".encode()).hexdigest(),
        encode=encode,
        count_tokens=count_tokens,
        max_tokens=max_tokens,
        dimension=DIMENSION,
        precision="fp32",
        prompts=dict(prompts or {}),
        engine="stand-in 1",
        characters_read=lambda text: len(_read(text, max_tokens)),
    )


def _words(text: str) -> list[str]:
    return re.findall(r"\S+", text)


def _read(text: str, max_tokens: int | None) -> str:
    if max_tokens is None:
        return text
    ends = [match.end() for match in re.finditer(r"\S+", text)]
    return text if len(ends) <= max_tokens - 2 else text[: ends[max_tokens - 3]]


def _vector(text: str, name: str) -> NDArray[np.float32]:
    total: NDArray[np.float64] = np.zeros(DIMENSION, dtype=np.float64)
    for word in _words(text.lower()):
        total += 3.0 * _features(name, word)
        padded = f"<{word}>"
        for start in range(len(padded) - 2):
            total += _features(name, padded[start : start + 3])
    if not total.any():
        total = _features(name, "")
    unit: NDArray[np.float64] = total / np.sqrt((total * total).sum())
    return unit.astype(np.float32)


@lru_cache(maxsize=100_000)
def _features(name: str, piece: str) -> NDArray[np.float64]:
    """Four places of 64, each plus or minus one, drawn from the piece's own digest."""
    digest = hashlib.sha256(f"{name}\0{piece}".encode()).digest()
    features = np.zeros(DIMENSION, dtype=np.float64)
    for place, sign in zip(digest[:4], digest[4:8], strict=True):
        features[place % DIMENSION] += 1.0 if sign % 2 else -1.0
    return features
