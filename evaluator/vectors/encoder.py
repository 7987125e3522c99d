"""
The edge to sentence-transformers, and the one place where the strings that an encoder
receives are put together.

A source string goes in, a `Model` with plain functions comes out; nobody else touches
the library. The model's own prompts are switched off for good, so what a caller passes is
what the tokenizer gets.

A model is loaded when a text has no vector yet. What else must be known of it, its tokenizer
included, is kept beside the vectors: a run that makes no vector never imports torch.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator import InputError
from evaluator.files.whole import made_aside
from evaluator.vectors.cache import cache_folder
from evaluator.vectors.model import Model, TokenCounter
from evaluator.vectors.weights import Precision, identity_sha256, model_folder, split_source
from evaluator.vectors.weights import weights_sha256 as find_weights_sha256


def document_input(doc_prefix: str, header: str, text: str) -> str:
    """What the encoder receives for a chunk, byte for byte; nothing is added or trimmed."""
    return doc_prefix + header + text


def query_input(query_prefix: str, text: str) -> str:
    """What the encoder receives for a query, byte for byte; nothing is added or trimmed."""
    return query_prefix + text


def load_model(
    source: str,
    *,
    revision: str | None = None,
    weights_sha256: str | None = None,
    precision: Precision = "fp32",
) -> Model:
    """
    A sentence-transformers model with its own prompts switched off.

    In bf16 its weights and all that is computed with them are; the vectors are float32 of
    length 1 in either precision.

    `source` is "package:NAME/FOLDER", "folder:PATH" or "hub:owner/name"; a hub model
    needs the 40 hex digits of a commit, since a branch can move. `weights_sha256`, where
    given, is compared before anything is loaded. Raises InputError for all that a
    person can mend.
    """
    scheme, rest = split_source(source)
    if scheme == "hub":
        if revision is None or not re.fullmatch(r"[0-9a-f]{40}", revision):
            raise InputError(
                f"Model {source!r} needs revision = the 40 hex digits of a commit, "
                f"found {revision!r}. A branch or tag can move."
            )
        load = partial(_load, source, rest, revision=revision)
        return _model(source, f"{source}@{revision}", load, precision)
    folder = model_folder(source)
    check_weights(source, weights_sha256)
    load = partial(_load, source, str(folder), local_files_only=True)
    return _model(source, f"sha256:{identity_sha256(folder)}", load, precision)


def check_weights(source: str, expected: str | None) -> None:
    """Refuse a packaged or local model whose weights are not the pinned ones."""
    if expected is None:
        return
    found = find_weights_sha256(model_folder(source))
    if found != expected:
        raise InputError(
            f"The weights of {source!r} are not the pinned ones "
            f"(expected {expected}, found {found}). Install the model that the experiment "
            f'names, or pin this one: weights_sha256 = "{found}"'
        )


# The library itself, all imports inside functions


def _load(source: str, name: str, **how: Any) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    quiet: Callable[[], None] = logging.disable_progress_bar
    quiet()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        model = SentenceTransformer(name, device=device, model_kwargs={"dtype": "float32"}, **how)
    except (OSError, ValueError, KeyError, ImportError, RuntimeError) as error:
        raise InputError(
            f"Model {source!r} cannot be loaded: {error}\n"
            "Check the name and the commit, and whether this machine may reach the hub "
            "(HF_HUB_OFFLINE=1 forbids it)."
        ) from None
    if any(type(module).__name__ == "Router" for module in model):
        raise InputError(
            f"Model {source!r} sends queries and documents through different modules, which "
            "cannot be told apart by their strings. Such models are not supported yet."
        )
    return model.float().eval()


@dataclass(frozen=True, slots=True)
class _Facts:
    """
    What a loaded model tells of itself, and its tokenizer as JSON without cut and padding.

    `tokenizer` is None for one written in Python, which only the loaded model can ask.
    """

    engine: str
    prompts: Mapping[str, str]
    dimension: int
    max_tokens: int | None
    batch_tokens: int
    tokenizer: str | None
    special_tokens: bool
    truncation_side: str


def _model(source: str, identity: str, load: Callable[[], Any], precision: Precision) -> Model:
    path = _facts_file(identity)
    facts = _kept_facts(path)

    @cache
    def library() -> Any:
        loaded = load()
        found = _facts(loaded)
        if facts not in (None, found):
            path.unlink(missing_ok=True)
            raise InputError(
                f"What was kept of model {source!r} in {path} is not true of it and was deleted. "
                "Run again."
            )
        # Both, since a default prompt is added even to a call with prompt=None.
        loaded.prompts, loaded.default_prompt_name = {}, None
        return loaded.bfloat16() if precision == "bf16" else loaded, found

    if facts is None:
        found = library()[1]
        if found.tokenizer is not None:
            with suppress(OSError), made_aside(path) as aside:
                aside.write_text(json.dumps(asdict(found)), encoding="utf-8")
                aside.replace(path)
    else:
        found = facts

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        if not len(texts):
            return np.zeros((0, found.dimension), dtype=np.float32)
        vectors = library()[0].encode(
            list(texts),
            prompt="",
            # a batch cut by `token_batches` goes through whole, anything larger in the usual 32
            batch_size=len(texts) if len(texts) <= 1024 else 32,
            normalize_embeddings=precision == "fp32",
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        vectors = np.asarray(vectors, dtype=np.float32)
        if precision == "fp32":
            return vectors
        # The library would divide in bf16, which leaves lengths up to 0.4% off.
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.where(lengths > 0, lengths, 1)
        return vectors

    if found.tokenizer is None:
        count_tokens, characters_read = _python_counter(library()[0]), None
    else:
        count_tokens, characters_read = _counters(found)
    return Model(
        source=source,
        identity=identity,
        encode=encode,
        count_tokens=count_tokens,
        max_tokens=found.max_tokens,
        dimension=found.dimension,
        precision=precision,
        prompts=found.prompts,
        engine=found.engine,
        characters_read=characters_read,
        batch_tokens=found.batch_tokens,
        notice=_SLOW_BF16
        if precision == "bf16" and found.engine.endswith("cpu") and not has_bf16(_processor())
        else "",
    )


_SLOW_BF16 = (
    "this processor has no instructions for bf16 (avx512_bf16, amx_bf16 or those of ARM): "
    "fp32 is faster on it"
)


def has_bf16(cpuinfo: str) -> bool:
    """Whether Linux says that the processor computes in bf16; True where it says nothing."""
    flags = re.search(r"^(flags|Features)\s*:(.*)$", cpuinfo, re.MULTILINE)
    return flags is None or bool({"avx512_bf16", "amx_bf16", "bf16"} & set(flags[2].split()))


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _facts_file(identity: str) -> Path:
    """The place for the facts of a model, as these libraries see it on this machine."""
    libraries = ("sentence-transformers", "transformers", "tokenizers", "torch")
    devices = sorted(str(path) for path in Path("/dev").glob("nvidia*"))
    seen = [*devices, os.environ.get("CUDA_VISIBLE_DEVICES")]
    key = [identity, [version(name) for name in libraries], seen]
    name = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:24]
    return cache_folder() / "models" / f"{name}.json"


def _kept_facts(path: Path) -> _Facts | None:
    """What was kept of a model, or None; a file that cannot be read costs loading the model."""
    try:
        return _Facts(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def _facts(loaded: Any) -> _Facts:
    import sentence_transformers
    import torch
    from tokenizers import Tokenizer

    versions = f"sentence-transformers {sentence_transformers.__version__}, torch "
    tokenizer, text = loaded.tokenizer, None
    if static := isinstance(tokenizer, Tokenizer):
        text, cut = tokenizer.to_str(), tokenizer.truncation
        limit, side = (cut["max_length"], cut["direction"]) if cut else (None, "right")
    else:
        limit, side = loaded.max_seq_length, tokenizer.truncation_side
        if tokenizer.is_fast and not tokenizer.split_special_tokens:
            text = tokenizer.backend_tokenizer.to_str()
    return _Facts(
        engine=f"{versions}{torch.__version__}, {loaded.device.type}",
        prompts={name: text for name, text in loaded.prompts.items() if text},
        dimension=int(loaded.get_embedding_dimension() or loaded.encode([""], prompt="").shape[1]),
        max_tokens=int(limit) if limit is not None and limit < 1_000_000 else None,
        batch_tokens=1024 if loaded.device.type == "cpu" else 65_536,
        tokenizer=text and _uncut(text).to_str(),
        special_tokens=not static,
        truncation_side=side,
    )


def _uncut(text: str) -> Any:
    """A tokenizer of its own, without cut and padding: a model's would be changed by that."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _counters(facts: _Facts) -> tuple[TokenCounter, Callable[[str], int]]:
    """How tokens are counted, and where a text is cut."""
    assert facts.tokenizer is not None
    special, limit = facts.special_tokens, facts.max_tokens
    whole, cut = _uncut(facts.tokenizer), _uncut(facts.tokenizer)
    if limit is not None:
        cut.enable_truncation(limit, direction=facts.truncation_side)

    def count_tokens(texts: Sequence[str]) -> NDArray[np.int64]:
        # The fast call does not track offsets, which takes a third of the time of the plain one.
        found = whole.encode_batch_fast(list(texts), add_special_tokens=special)
        return np.array([len(one) for one in found], dtype=np.int64)

    def characters_read(text: str) -> int:
        if limit is None or int(count_tokens([text])[0]) <= limit:
            return len(text)
        return max(int(end) for _, end in cut.encode(text, add_special_tokens=special).offsets)

    return count_tokens, characters_read


def _python_counter(loaded: Any) -> TokenCounter:
    """How a tokenizer that is not of the `tokenizers` library counts."""
    ask = partial(
        loaded.tokenizer,
        truncation=False,
        padding=False,
        return_attention_mask=False,
        verbose=False,
    )

    def count_tokens(texts: Sequence[str]) -> NDArray[np.int64]:
        found = ask(list(texts))["input_ids"] if len(texts) else []
        return np.array([len(some) for some in found], dtype=np.int64)

    return count_tokens
