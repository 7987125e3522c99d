"""
How a corpus is to be read where it keeps things under names of its own.

Choices of a person, made once at `labeler init` and kept in the snapshot's manifest: fields of
front matter, source types by path, columns of ready chunks. It reads no file.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from evaluator import InputError
from evaluator.files.encodings import named_encoding
from evaluator.files.form import meant
from labeler.corpus.front_matter import TITLE_ONLY, Fields

OURS = ("chunk_id", "doc_id", "text", "title", "headings", "source", "attributes")
_ATTRIBUTE = "attributes."


@dataclass(frozen=True, slots=True)
class CorpusChoices:
    """
    `source_rules` are pairs of a pattern of document ids and a source type, the first that
    fits deciding; `columns` gives the name in the file by our own name; `encoding` is that
    of documents which are not UTF-8.
    """

    front_matter: Fields = TITLE_ONLY
    source_rules: tuple[tuple[str, str], ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None

    def source(self, doc_id: str, otherwise: str) -> str:
        """The source type of a document; `*` in a pattern stands for `/` too."""
        fitting = (name for glob, name in self.source_rules if fnmatchcase(doc_id, glob))
        return next(fitting, otherwise)

    def chosen(self) -> dict[str, Any]:
        """Only what differs from the usual, as the manifest keeps it."""
        found: dict[str, Any] = {}
        if self.front_matter.titles != TITLE_ONLY.titles:
            found["title_fields"] = list(self.front_matter.titles)
        if self.front_matter.parents:
            found["parent_fields"] = list(self.front_matter.parents)
        if self.source_rules:
            found["source_rules"] = [list(rule) for rule in self.source_rules]
        if self.columns:
            found["columns"] = dict(self.columns)
        if self.encoding is not None:
            found["encoding"] = self.encoding
        return found


USUAL = CorpusChoices()


def corpus_choices(
    *,
    title_fields: Iterable[str] = (),
    parent_fields: Iterable[str] = (),
    source_rules: Iterable[str] = (),
    columns: Iterable[str] = (),
    encoding: str | None = None,
) -> CorpusChoices:
    """
    The choices as people write them: `GLOB=SOURCE` and `text=body,doc_id=page`.

    Raises InputError for what is not written like that, for a name that we do not have, and
    for an encoding that is none.
    """
    return CorpusChoices(
        front_matter=Fields(tuple(title_fields) or TITLE_ONLY.titles, tuple(parent_fields)),
        source_rules=tuple(_pair(rule, "--source-rule", "GLOB=SOURCE") for rule in source_rules),
        columns=_columns(part for each in columns for part in each.split(",")),
        encoding=None if encoding is None else named_encoding(encoding),
    )


def _columns(pairs: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        ours, theirs = _pair(pair, "--columns", "text=body,doc_id=page")
        if ours not in OURS and not ours.startswith(_ATTRIBUTE):
            raise InputError(
                f"--columns {pair}: there is no field {ours!r}.{meant(ours, OURS)} A chunk has "
                f"{', '.join(OURS)}, and attributes.NAME for one attribute."
            )
        if ours in found:
            raise InputError(f"--columns names {ours} twice: {found[ours]} and {theirs}.")
        found[ours] = theirs
    return found


def _pair(text: str, option: str, example: str) -> tuple[str, str]:
    left, sign, right = text.rpartition("=") if option == "--source-rule" else text.partition("=")
    if not sign or not left.strip() or not right.strip():
        raise InputError(f"{option} {text!r}: expected {example}.")
    return left.strip(), right.strip()
