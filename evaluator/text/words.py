"""
How long a text is, in the tokens of a named tokenizer, and what its words are.

Owns the names under which a tokenizer can be asked for; everything that has a budget
counts through here. Loads no encoder and no network resource.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evaluator import InputError
from evaluator.vectors.weights import package_folder

WORDS = "words"
# Scripts that put no blanks between words: Thai to Khmer, kana, Han, Hangul.
UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
# Marks of the other scripts, soft hyphens and joiners: parts of words, though `re` knows them as
# none. Without them Hindi, pointed Hebrew and decomposed letters fall apart.
_WITHIN = (
    r"\xad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    r"\u06d6-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u0900-\u0963\u0971-\u0dff"
    r"\u0f71-\u0f84\u0f8d-\u0fbc\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d"
)
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}](?:[^\W{UNSPACED}]|[{_WITHIN}]){{,15}}|[^\w\s]")
_WHOLE_WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}](?:[^\W_{UNSPACED}]|[{_WITHIN}])*")
# Controls, formats such as the zero-width space, and separators of lines and words.
_UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A way to count tokens; `sha256` is the digest of its file, None for `words`."""

    name: str
    sha256: str | None
    count: Callable[[str], int]


def words(text: str) -> list[str]:
    """
    The words without case; a character of a script without blanks is one by itself.

    Composed and decomposed letters are the same, and a soft hyphen is none.
    """
    folded = unicodedata.normalize("NFC", text.casefold().replace("\xad", ""))
    return _WHOLE_WORD.findall(folded)


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in a text; editors leave zero-width characters behind."""
    return all(unicodedata.category(character) in _UNSEEN for character in text)


def load_tokenizer(name: str) -> Tokenizer:
    """
    The tokenizer of that name.

    `words` counts words and punctuation marks; a word of more than 16 characters counts
    once per 16 begun, and each character of a script without blanks counts, so that a long
    line without a blank is not one token. It needs no file and never changes.

    `package:NAME/PATH` and `folder:PATH` name a folder with a `tokenizer.json`, or that file,
    inside an installed package or on disk. Special tokens are not counted, and the file's own
    truncation and padding are switched off: a truncating tokenizer would call every
    long text short. Raises InputError for other names and for files that are not there.
    """
    if name == WORDS:
        return Tokenizer(WORDS, None, _count_words)
    path = _tokenizer_file(name)
    data = path.read_bytes()
    return Tokenizer(name, hashlib.sha256(data).hexdigest(), _counter(path, data))


def _count_words(text: str) -> int:
    return len(_WORD.findall(text))


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
