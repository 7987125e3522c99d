"""
Strings to unit vectors: the edge to sentence-transformers, and the one place where the
strings that an encoder receives are put together.

It knows nothing of arms, queries or chunks: texts go in, vectors and their cost come
out. The model's own prompts are always switched off, so what a caller passes is what
the tokenizer gets. torch is imported only when a model is loaded.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Encoder = Callable[[Sequence[str]], NDArray[np.float32]]
TokenCounter = Callable[[Sequence[str]], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Model:
    """
    An encoder and what must be known of it to compare two of its runs.

    `encode` maps n strings to an (n, dimension) float32 array of unit vectors.
    `count_tokens` counts without truncation and with the special tokens, which is what
    is offered to the model; it reads `max_tokens` of them at most (None: no limit).
    `prompts` are those that the model's own configuration names; they are recorded and
    never applied. `characters_read` gives how many leading characters of a text lie
    before the cut, where the tokenizer can tell.
    """

    source: str
    identity: str
    encode: Encoder
    count_tokens: TokenCounter
    max_tokens: int | None
    dimension: int
    precision: str
    prompts: Mapping[str, str]
    engine: str = ""
    characters_read: Callable[[str], int] | None = None


def document_input(doc_prefix: str, header: str, text: str) -> str:
    """What the encoder receives for a chunk, byte for byte; nothing is added or trimmed."""
    return doc_prefix + header + text


def query_input(query_prefix: str, text: str) -> str:
    """What the encoder receives for a query, byte for byte; nothing is added or trimmed."""
    return query_prefix + text
