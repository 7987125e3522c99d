"""
The edge to sentence-transformers, and the one place where the strings that an encoder
receives are put together.

A source string goes in, a `Model` with plain functions comes out; nobody else touches
the library. The model's own prompts are switched off for good, so what a caller passes is
what the tokenizer gets. torch is imported only when a model is loaded.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator import InputError
from evaluator.vectors.model import Model, TokenCounter
from evaluator.vectors.weights import identity_sha256, model_folder, split_source
from evaluator.vectors.weights import weights_sha256 as find_weights_sha256


def document_input(doc_prefix: str, header: str, text: str) -> str:
    """What the encoder receives for a chunk, byte for byte; nothing is added or trimmed."""
    return doc_prefix + header + text


def query_input(query_prefix: str, text: str) -> str:
    """What the encoder receives for a query, byte for byte; nothing is added or trimmed."""
    return query_prefix + text


def load_model(
    source: str, *, revision: str | None = None, weights_sha256: str | None = None
) -> Model:
    """
    A sentence-transformers model, in fp32 and with its own prompts switched off.

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
        return _model(source, f"{source}@{revision}", _load(source, rest, revision=revision))
    folder = model_folder(source)
    check_weights(source, weights_sha256)
    loaded = _load(source, str(folder), local_files_only=True)
    return _model(source, f"sha256:{identity_sha256(folder)}", loaded)


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


def _model(source: str, identity: str, loaded: Any) -> Model:
    prompts = {name: text for name, text in loaded.prompts.items() if text}
    # Both, since a default prompt is added even to a call with prompt=None.
    loaded.prompts, loaded.default_prompt_name = {}, None
    count_tokens, max_tokens, characters_read = _tokenizer(loaded)

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        if not len(texts):
            return np.zeros((0, dimension), dtype=np.float32)
        vectors = loaded.encode(
            list(texts),
            prompt="",
            # a batch cut by `token_batches` goes through whole, anything larger in the usual 32
            batch_size=len(texts) if len(texts) <= 1024 else 32,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32)

    dimension = int(loaded.get_embedding_dimension() or loaded.encode([""], prompt="").shape[1])
    return Model(
        source=source,
        identity=identity,
        encode=encode,
        count_tokens=count_tokens,
        max_tokens=max_tokens,
        dimension=dimension,
        precision="fp32",
        prompts=prompts,
        engine=_engine(loaded),
        characters_read=characters_read,
        batch_tokens=1024 if loaded.device.type == "cpu" else 65_536,
    )


def _engine(loaded: Any) -> str:
    import sentence_transformers
    import torch

    versions = f"sentence-transformers {sentence_transformers.__version__}, torch "
    return f"{versions}{torch.__version__}, {loaded.device.type}"


def _tokenizer(
    loaded: Any,
) -> tuple[TokenCounter, int | None, Callable[[str], int] | None]:
    """How a loaded model counts tokens, how many it reads, and where it cuts a text."""
    from tokenizers import Tokenizer

    tokenizer = loaded.tokenizer
    if isinstance(tokenizer, Tokenizer):
        return _static_tokenizer(tokenizer)
    limit = loaded.max_seq_length
    max_tokens = int(limit) if limit is not None and limit < 1_000_000 else None

    def count_tokens(texts: Sequence[str]) -> NDArray[np.int64]:
        if not len(texts):
            return np.zeros(0, dtype=np.int64)
        ids = tokenizer(
            list(texts), truncation=False, padding=False, return_attention_mask=False, verbose=False
        )["input_ids"]
        return np.array([len(some) for some in ids], dtype=np.int64)

    def characters_read(text: str) -> int:
        if max_tokens is None or int(count_tokens([text])[0]) <= max_tokens:
            return len(text)
        spans = tokenizer(
            text, truncation=True, max_length=max_tokens, return_offsets_mapping=True
        )["offset_mapping"]
        return max(int(end) for _, end in spans)

    return count_tokens, max_tokens, characters_read if tokenizer.is_fast else None


def _static_tokenizer(
    tokenizer: Any,
) -> tuple[TokenCounter, int | None, Callable[[str], int] | None]:
    """A static model's tokenizer; counted with a copy, since switching its cut off changes it."""
    from tokenizers import Tokenizer

    cut = tokenizer.truncation
    whole = Tokenizer.from_str(tokenizer.to_str())
    whole.no_truncation()
    whole.no_padding()

    def count_tokens(texts: Sequence[str]) -> NDArray[np.int64]:
        found = whole.encode_batch(list(texts), add_special_tokens=False)
        return np.array([len(one.ids) for one in found], dtype=np.int64)

    def characters_read(text: str) -> int:
        spans = tokenizer.encode(text, add_special_tokens=False).offsets
        return max((int(end) for _, end in spans), default=0) if cut else len(text)

    return count_tokens, int(cut["max_length"]) if cut else None, characters_read
