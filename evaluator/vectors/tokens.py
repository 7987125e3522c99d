"""
How long a text is, in the tokens of a named tokenizer.

Owns the names under which a tokenizer can be asked for; everything that has a budget
counts through here. Loads no encoder and no network resource.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evaluator import InputError
from evaluator.text.words import count_words
from evaluator.vectors.weights import package_folder

WORDS = "words"


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A way to count tokens; `sha256` is the digest of its file, None for `words`."""

    name: str
    sha256: str | None
    count: Callable[[str], int]


def load_tokenizer(name: str) -> Tokenizer:
    """
    The tokenizer of that name.

    `words` counts words and punctuation marks. It needs no file and never changes.

    `package:NAME/PATH` and `folder:PATH` name a folder with a `tokenizer.json`, or that file,
    inside an installed package or on disk. Special tokens are not counted, and the file's own
    truncation and padding are switched off: a truncating tokenizer would call every
    long text short. Raises InputError for other names and for files that are not there.
    """
    if name == WORDS:
        return Tokenizer(WORDS, None, count_words)
    path = _tokenizer_file(name)
    data = path.read_bytes()
    return Tokenizer(name, hashlib.sha256(data).hexdigest(), _counter(path, data))


def _tokenizer_file(name: str) -> Path:
    kind, _, rest = name.partition(":")
    if kind == "folder" and rest:
        place = Path(rest).expanduser()
    elif kind == "package" and rest:
        package, _, inside = rest.partition("/")
        folder = package_folder(package)
        if folder is None:
            raise InputError(f"The package {package!r} is not installed here. Install it with pip.")
        place = folder / inside
    else:
        raise InputError(
            f"Unknown tokenizer {name!r}. Expected 'words', 'package:NAME/PATH' or 'folder:PATH'."
        )
    path = place / "tokenizer.json" if place.is_dir() else place
    if not path.is_file():
        raise InputError(f"Tokenizer {name!r}: there is no file {path}.")
    return path


def _counter(path: Path, data: bytes) -> Callable[[str], int]:
    from tokenizers import Tokenizer as FastTokenizer

    try:
        fast = FastTokenizer.from_buffer(data)
    except Exception as error:  # the library raises bare Exception for a broken file
        raise InputError(f"{path} is not a tokenizer file: {error}") from error
    fast.no_truncation()
    fast.no_padding()
    # The batch call does not track offsets, which takes a third of the time of the plain one.
    return lambda text: len(fast.encode_batch_fast([text], add_special_tokens=False)[0])
