"""
A folder of Markdown, HTML and plain text files -> documents.

Owns which files are documents and the rule for titles. It opens regular files below the
root and nothing else, and it lists whatever it left out with the reason. Knows nothing of
chunks or tokens.
"""

import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePosixPath

from evaluator import InputError
from evaluator.files.encodings import decoded
from evaluator.snapshot.chunk import Skipped
from evaluator.text.words import is_blank
from labeler.corpus.choices import USUAL, CorpusChoices
from labeler.corpus.front_matter import Fields, FrontMatter, split_front_matter
from labeler.corpus.html import Page, read_html
from labeler.corpus.markdown import read_markdown
from labeler.corpus.outline import Section
from labeler.corpus.parents import FOLDER_PAGES, Above, paths_above

MARKDOWN = frozenset({".md", ".markdown"})
HTML = frozenset({".html", ".htm"})
TEXT = frozenset({".txt"})
SUFFIXES = MARKDOWN | HTML | TEXT


@dataclass(frozen=True, slots=True)
class Document:
    """One page: where it is, what it is called, and its text by section."""

    doc_id: str
    title: str
    source: str
    sections: tuple[Section, ...]
    bare_headings: int
    lost_headings: tuple[str, ...]
    template_tags: Mapping[str, int]
    notices: tuple[str, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)


def find_documents(root: Path) -> tuple[tuple[str, ...], tuple[Skipped, ...]]:
    """
    The ids of all documents below the root, sorted, and what was left out.

    An id is the path from the root with `/`. Links are never followed: one that leads out
    of the root is not the user's corpus, one that stays inside would bring a document in
    twice or never end. Pipes and devices are not opened. Hidden files and folders and files
    with other suffixes are left out. Raises InputError when the root cannot be read.
    """
    if not root.is_dir():
        raise InputError(f"{root} is not a folder. Name the folder that holds the documents.")
    found: list[str] = []
    skipped: list[Skipped] = []
    for path, reason in _entries(root.resolve(), root.resolve(), ""):
        if reason is None:
            found.append(path)
        else:
            skipped.append(Skipped(path, reason))
    return tuple(sorted(found)), tuple(sorted(skipped, key=lambda entry: entry.path))


def read_above(root: Path, doc_ids: Iterable[str], reading: CorpusChoices) -> Above:
    """The path above every document whose front matter names parents, as `parents` finds it."""
    fronts = {doc_id: _front_matter(root, doc_id, reading) for doc_id in doc_ids}

    @cache
    def title(doc_id: str) -> str:
        return fronts[doc_id].title or _title(root, doc_id, reading)

    return paths_above(fronts, title)


def _front_matter(root: Path, doc_id: str, reading: CorpusChoices) -> FrontMatter:
    path = root / doc_id
    if path.suffix.lower() not in MARKDOWN:
        return FrontMatter()
    try:
        found = decoded(path.read_bytes(), html=False, named=reading.encoding)
        return split_front_matter(found[0], reading.front_matter)[0] if found else FrontMatter()
    except (OSError, RecursionError):  # read_document says so
        return FrontMatter()


def _title(root: Path, doc_id: str, reading: CorpusChoices) -> str:
    document = read_document(root, doc_id, reading)
    return document.title if isinstance(document, Document) else _file_title(doc_id)


def read_document(
    root: Path,
    doc_id: str,
    reading: CorpusChoices = USUAL,
    *,
    path_by_document: Mapping[str, tuple[str, ...]] | None = None,
) -> Document | Skipped:
    """
    The document, or why it cannot be read.

    Title, by the first that is not empty: `title` in the front matter; the first level-one
    heading; `<title>`; the file's name without suffix (of its folder, for index and README
    files). The heading comes before `<title>` because a site's `<title>` mostly carries the
    site's name too, and then every header would.

    `.txt` is plain text without headings, its blocks parted by blank lines and its line
    breaks kept. The source is the first folder of the path, or empty at the root, unless a
    rule says otherwise.

    Where front matter names the pages above, they and the page's title come before every
    heading path, since the path of a place in such a site begins above the page.
    `path_by_document` (of `read_above`) has more than the page itself knows of that.
    """
    path = root / doc_id
    try:
        data = path.read_bytes()
    except OSError as error:
        return Skipped(doc_id, f"cannot be read: {error.strerror}")
    suffix = path.suffix.lower()
    found = decoded(data, html=suffix in HTML, named=reading.encoding)
    if found is None:
        named = reading.encoding
        known = f"another encoding than UTF-8 and {named}" if named else "an unknown encoding"
        return Skipped(doc_id, f"binary, or in {known}")
    text, notices = found
    try:
        document = _parsed(
            doc_id,
            text,
            suffix,
            notices,
            path_by_document=path_by_document or {},
            fields=reading.front_matter,
        )
    except RecursionError:
        return Skipped(doc_id, "nested too deeply to read")
    return replace(document, source=reading.source(doc_id, document.source))


def _parsed(
    doc_id: str,
    text: str,
    suffix: str,
    notices: tuple[str, ...],
    *,
    path_by_document: Mapping[str, tuple[str, ...]],
    fields: Fields,
) -> Document:
    front, tags = "", {}
    parents: tuple[str, ...] = ()
    if suffix in TEXT:
        page = Page("", "", _plain(text), 0, (), Counter())
    elif suffix in MARKDOWN:
        markdown = read_markdown(text, fields)
        front, page, tags = markdown.title, markdown.page, dict(markdown.template_tags)
        parents = path_by_document.get(doc_id, markdown.parents)
        notices += markdown.notices
    else:
        page = read_html(text)
    title = front or page.first_heading or page.title or _file_title(doc_id)
    return Document(
        doc_id=doc_id,
        title=title,
        source=doc_id.split("/", maxsplit=1)[0] if "/" in doc_id else "",
        sections=tuple(_below(parents, title, section) for section in page.sections),
        bare_headings=page.bare_headings,
        lost_headings=page.lost_headings,
        template_tags=tags,
        notices=notices,
        left_out=page.left_out,
    )


def _plain(text: str) -> tuple[Section, ...]:
    """One section. Its lines may be wrapped sentences or drawn tables: nobody knows."""
    blocks = [block for block in re.split(r"\n(?:[ \t]*\n)+", text) if not is_blank(block)]
    return (Section((), tuple(block.strip("\n") for block in blocks)),) if blocks else ()


def _below(parents: tuple[str, ...], title: str, section: Section) -> Section:
    """The section with the pages above it, and its own, in its path."""
    if not parents:
        return section
    own = () if section.headings[:1] == (title,) else (title,)
    return replace(section, headings=(*parents, *own, *section.headings))


def _file_title(doc_id: str) -> str:
    path = PurePosixPath(doc_id)
    folder = path.parent.name
    return folder if folder and path.stem.lower() in FOLDER_PAGES else path.stem


def _entries(root: Path, folder: Path, prefix: str) -> Iterator[tuple[str, str | None]]:
    """Every path below the folder, with the reason for leaving it out or None."""
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        yield prefix.rstrip("/") or str(folder), f"cannot be listed: {error.strerror}"
        return
    for entry in entries:
        path = prefix + entry.name
        reason = _reason(root, entry)
        if reason is None and entry.is_dir(follow_symlinks=False):
            yield from _entries(root, folder / entry.name, path + "/")
        else:
            yield _readable(path), reason


def _reason(root: Path, entry: os.DirEntry[str]) -> str | None:
    if entry.name != _readable(entry.name):
        return "its name is not UTF-8"
    if entry.name.startswith("."):
        return "hidden"
    if entry.is_symlink():
        return _link_reason(root, Path(entry.path))
    mode = entry.stat(follow_symlinks=False).st_mode
    if stat.S_ISDIR(mode):
        return None
    if not stat.S_ISREG(mode):
        return "not a regular file"
    suffix = os.path.splitext(entry.name)[1].lower()
    return None if suffix in SUFFIXES else f"not a document ({suffix or 'no suffix'})"


def _link_reason(root: Path, link: Path) -> str:
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):
        return "a link that leads nowhere"
    if target.is_relative_to(root):
        return "a link inside the corpus; what it names is read at its own place"
    return "a link that leads out of the corpus"


def _readable(name: str) -> str:
    """The name with undecodable bytes spelled out, so that it can be printed and stored."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
