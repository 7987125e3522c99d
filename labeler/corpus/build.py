"""
A corpus of any kind -> a snapshot, and what was noticed on the way.

Tells a folder of documents from a file of ready chunks and runs the right reader. How a
snapshot lies on disk is not known here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.console import Progress
from evaluator.files import records as rows
from evaluator.snapshot.chunk import Chunk, Skipped
from evaluator.snapshot.snapshot import Snapshot, require_absent, write_snapshot
from evaluator.text.messages import counted, first_few
from evaluator.vectors.tokens import Tokenizer, load_tokenizer
from labeler.corpus import documents
from labeler.corpus.choices import USUAL, CorpusChoices
from labeler.corpus.chunker import check_budget
from labeler.corpus.documents import Document, find_documents, read_above
from labeler.corpus.parents import Above
from labeler.corpus.ready import BEIR, Notes, read_ready
from labeler.corpus.warnings import Scan
from labeler.corpus.workers import Splitter, splits, worth_workers

GIVEN: Mapping[str, Any] = {"name": "given"}
# Raise this whenever the same documents would give other chunks; labels depend on it.
CHUNKER_VERSION = "6"
_LIBRARIES = ("markdown-it-py", "mdit-py-plugins", "selectolax", "semantic-text-splitter")


@dataclass(frozen=True, slots=True)
class BuildReport:
    """A new snapshot and everything about its making that a person should be told."""

    snapshot: Snapshot
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...]
    documents: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Corpus:
    """Chunks to be taken once, how they were cut, and the notes that are complete afterwards."""

    chunks: Iterator[Chunk]
    chunker: Mapping[str, Any]
    notes: Notes


def build_snapshot(
    corpus: Path,
    directory: Path,
    *,
    name: str,
    created_at: datetime,
    budget: int = 160,
    overlap: int = 0,
    tokenizer: str = "words",
    reading: CorpusChoices = USUAL,
    refuse_own_headers: bool = False,
    workers: int = 1,
    progress: Progress | None = None,
) -> BuildReport:
    """
    Read a corpus, cut it where it is not cut yet, and write the snapshot.

    `corpus` is a folder of documents or a file (or BEIR folder) of ready chunks; `budget`
    and `overlap` count tokens of `tokenizer` and are not used for ready chunks. The same
    input gives the same ids and the same digest on any machine, and with any number of
    `workers`: processes that read documents, 0 for as many as seem fit. Raises InputError before
    anything is written; with `refuse_own_headers` also where many texts start with their
    own title or heading path.
    """
    require_absent(directory)
    source = read_corpus(
        corpus,
        budget=budget,
        overlap=overlap,
        tokenizer=tokenizer,
        reading=reading,
        workers=workers,
        progress=progress,
    )
    scan = Scan(refuse_own_headers=refuse_own_headers)
    snapshot = write_snapshot(
        directory,
        scan.watch(source.chunks),
        name=name,
        chunker=source.chunker,
        corpus=corpus.resolve().name,
        created_at=created_at,
        set_aside=source.notes.skipped,
    )
    return BuildReport(
        snapshot=snapshot,
        skipped=tuple(source.notes.skipped),
        warnings=(*source.notes.warnings, *scan.warnings()),
        documents=snapshot.manifest["documents"],
        chunks=len(snapshot),
    )


def read_corpus(
    corpus: Path,
    *,
    budget: int,
    overlap: int,
    tokenizer: str,
    reading: CorpusChoices = USUAL,
    workers: int = 1,
    progress: Progress | None = None,
) -> Corpus:
    """
    The chunks of a corpus.

    A folder with `corpus.jsonl` in it, and a file with a suffix of `rows`, hold
    ready chunks, which are never cut again. Any other folder, or one file, holds
    documents, which `workers` processes read (0: as many as seem fit). Raises InputError
    for what is neither, and while the chunks are taken for what cannot be used or has no
    text at all.
    """
    notes = Notes()
    ready = corpus / BEIR if corpus.is_dir() else corpus
    if ready.is_file() and ready.suffix.lower() in rows.SUFFIXES:
        if reading.encoding:
            raise InputError(
                f"{ready} holds ready chunks, which are read as UTF-8. Save the file so, and "
                "leave --encoding out."
            )
        chunks = read_ready(ready, notes, reading)
        if progress is not None:
            chunks = progress(chunks, label="Reading chunks", total=None)
        return Corpus(chunks, {**GIVEN, **reading.chosen()}, notes)
    check_budget(budget, overlap)
    root, doc_ids, skipped = _documents(corpus)
    notes.skipped.extend(skipped)
    counter = load_tokenizer(tokenizer)
    if reading.columns:
        raise InputError(
            f"{corpus} holds documents, which have no columns. Name a file of ready chunks "
            f"({', '.join(rows.SUFFIXES)}), or leave --columns out."
        )
    met = _Met(notes)
    above = Above()
    if reading.front_matter.parents:
        fronts: Iterable[str] = doc_ids
        if progress is not None:
            fronts = progress(doc_ids, label="Reading front matter", total=len(doc_ids))
        above = read_above(root, fronts, reading)
    notes.warnings.extend(above.warnings)
    splitter = Splitter(root, reading, above.path_by_document, budget, overlap, tokenizer)
    processes = workers or worth_workers(len(doc_ids))

    def split() -> Iterator[Chunk]:
        with splits(doc_ids, splitter, workers=processes) as split_up:
            shown = split_up
            if progress is not None:
                shown = progress(split_up, label="Reading documents", total=len(doc_ids))
            for each in shown:
                met.take(each.document)
                yield from each.chunks
        met.finish(corpus)

    chunker = {**_chunker(counter, budget, overlap), **reading.chosen()}
    return Corpus(split(), chunker, notes)


def _chunker(counter: Tokenizer, budget: int, overlap: int) -> dict[str, Any]:
    """How documents are cut, as far as it decides which chunks there are."""
    return {
        "name": "blocks",
        "version": CHUNKER_VERSION,
        "libraries": {name: version(name) for name in _LIBRARIES},
        "tokenizer": counter.name,
        "tokenizer_sha256": counter.sha256,
        "budget": budget,
        "overlap": overlap,
    }


def _documents(corpus: Path) -> tuple[Path, tuple[str, ...], tuple[Skipped, ...]]:
    if corpus.is_dir():
        return (corpus.resolve(), *find_documents(corpus))
    suffixes = ", ".join(sorted(documents.SUFFIXES)) + ", " + ", ".join(rows.SUFFIXES)
    if not corpus.exists():
        raise InputError(f"There is no {corpus}. Name a folder of documents or a file of chunks.")
    if not corpus.is_file() or corpus.suffix.lower() not in documents.SUFFIXES:
        raise InputError(
            f"{corpus} is neither a folder nor a file that can be read. Expected one of {suffixes}."
        )
    return corpus.parent, (corpus.name,), ()


@dataclass(slots=True)
class _Met:
    """What the documents of one corpus add up to."""

    notes: Notes
    with_text: int = 0
    without_text: list[str] = field(default_factory=list)
    bare: int = 0
    lost: list[str] = field(default_factory=list)
    tags: Counter[str] = field(default_factory=Counter)
    noticed: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    documents_with: Counter[str] = field(default_factory=Counter)

    def take(self, document: Document | Skipped) -> None:
        if isinstance(document, Skipped):
            self.notes.skipped.append(document)
            return
        self.with_text += bool(document.sections)
        if not document.sections:
            self.without_text.append(document.doc_id)
        self.bare += document.bare_headings
        self.lost += [f"{document.doc_id}: {heading}" for heading in document.lost_headings]
        self.tags.update(document.template_tags)
        self.left_out.update(document.left_out)
        self.documents_with.update(kind for kind, count in document.left_out.items() if count)
        self.noticed += [f"{document.doc_id}: {notice}" for notice in document.notices]

    def finish(self, corpus: Path) -> None:
        if not self.with_text:
            raise InputError(_no_text(corpus, self.without_text, self.notes.skipped))
        self.notes.warnings.extend(self._warnings())

    def _warnings(self) -> Iterator[str]:
        if self.without_text:
            documents = counted(len(self.without_text), "document")
            yield (
                f"{documents} with no text outside headings, so with no chunk: "
                f"{first_few(self.without_text)}"
            )
        if self.bare:
            yield (
                f"{counted(self.bare, 'heading')} without text of their own, as where a "
                "sub-heading follows at once"
            )
        if self.lost:
            yield (
                f"{counted(len(self.lost), 'heading')} with no text below either, so in no chunk: "
                f"{first_few(self.lost)}"
            )
        if self.tags:
            counts = [f"{name} {count}" for name, count in self.tags.most_common()]
            yield (
                f"{counted(self.tags.total(), 'template tag')} replaced by words or left out: "
                f"{first_few(counts)}"
            )
        kinds = [
            f"{kind} {self.left_out[kind]:,} in {counted(documents, 'document')}"
            for kind, documents in self.documents_with.most_common()
        ]
        if kinds:
            yield f"Read or left out as the pages show it: {', '.join(kinds)}"
        if self.noticed:
            documents = counted(len(self.noticed), "document")
            yield f"{documents} not read as written: {first_few(self.noticed)}"


def _no_text(corpus: Path, without_text: Sequence[str], skipped: Sequence[Skipped]) -> str:
    lines = [f"{corpus} holds no document with text. Nothing was written."]
    if without_text:
        lines.append(f"Only headings, or nothing, in {first_few(without_text)}.")
    if skipped:
        reasons = [f"{entry.path} ({entry.reason})" for entry in skipped]
        lines.append(f"Left out: {first_few(reasons)}.")
    files = [entry.path for entry in skipped if entry.path.lower().endswith(rows.SUFFIXES)]
    if files:
        lines.append(f"For ready chunks, name the file itself: {first_few(files)}.")
    else:
        lines.append(f"Expected files ending in {', '.join(sorted(documents.SUFFIXES))}.")
    return "\n".join(lines)
