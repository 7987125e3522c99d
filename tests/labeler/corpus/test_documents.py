"""Folders become documents: which files, which text, which title, and what is left out."""

import os
import sys
from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.snapshot.chunk import Skipped
from labeler.corpus.choices import CorpusChoices, corpus_choices
from labeler.corpus.documents import Document, find_documents, read_above, read_document
from labeler.corpus.outline import Section


def _write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def _read(
    root: Path, name: str, content: str | bytes, choices: CorpusChoices | None = None
) -> Document:
    document = read_document(_write(root, {name: content}), name, choices or corpus_choices())
    assert isinstance(document, Document)
    return document


def test_documents_are_found_by_suffix_and_sorted_by_path(tmp_path: Path) -> None:
    """Ids are paths below the root; other files are listed; a root is a folder."""
    names = ("b/x.md", "a.HTM", "b.markdown", "c.txt", "d.html", "e.png")
    found, skipped = find_documents(_write(tmp_path, dict.fromkeys(names, "")))

    assert ("a.HTM", "b.markdown", "b/x.md", "c.txt", "d.html") == found
    assert (Skipped("e.png", "not a document (.png)"),) == skipped
    with pytest.raises(InputError, match="is not a folder"):
        find_documents(tmp_path / "nothing")


def test_folder_traps_are_left_out_with_a_reason(tmp_path: Path) -> None:
    """Links, pipes, loops and hidden entries are never opened."""
    root = _write(tmp_path / "root", {"a.md": "x", ".git/b.md": "x", ".c.md": "x", "sub/d.md": "x"})
    _write(tmp_path, {"outside/e.md": "x"})
    os.mkfifo(root / "pipe.md")
    inside = "a link inside the corpus; what it names is read at its own place"
    outside, lost = "a link that leads out of the corpus", "a link that leads nowhere"
    links = {
        "out.md": ("../outside/e.md", outside),
        "outdir": ("../outside", outside),
        "loop": (".", inside),
        "twin.md": ("a.md", inside),
        "lost.md": ("nowhere.md", lost),
        "self.md": ("self.md", lost),
    }
    for name, (target, _) in links.items():
        (root / name).symlink_to(target)
    found, skipped = find_documents(root)

    assert ("a.md", "sub/d.md") == found
    expected = {".c.md": "hidden", ".git": "hidden", "pipe.md": "not a regular file"}
    expected |= {name: reason for name, (_, reason) in links.items()}
    assert expected == {entry.path: entry.reason for entry in skipped}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_not_utf8_is_left_out_and_can_be_printed(tmp_path: Path) -> None:
    """It could not be stored as an id."""
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).write_text("x", encoding="utf-8")

    assert ((), (Skipped("\\xff.md", "its name is not UTF-8"),)) == find_documents(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("a.md", "---\ntitle: Front\n---\n# Head\nx", "Front"),
        ("a.md", "## Two\nx\n# Head\ny\n# Other", "Head"),
        ("a.md", "---\ntitle: ''\n---\n## Two\nx", "a"),
        ("parental-leave.v2.md", "x", "parental-leave.v2"),
        ("leave/index.md", "x", "leave"),
        ("leave/README.md", "x", "leave"),
        ("index.html", "<p>x", "index"),
        ("a.html", "<title> Head |\n Site</title><h1>Head</h1>x", "Head"),
        ("a.html", "<title> A\n title </title><p>x", "A title"),
        ("a.txt", "# Head", "a"),
    ],
)
def test_titles_follow_the_stated_order(
    tmp_path: Path, name: str, content: str, title: str
) -> None:
    """Front matter, first level-one heading, <title>, file name."""
    assert title == _read(tmp_path, name, content).title


def test_plain_text_has_no_headings_and_keeps_its_lines(tmp_path: Path) -> None:
    """Blank lines divide blocks; a `#` is a character."""
    expected = (Section((), ("# no heading\nline", "  indented\n---")),)
    text = "# no heading\nline\n \n\n  indented\n---\n"
    assert expected == _read(tmp_path, "a.txt", text).sections


SWEDISH = "Förväntad återbetalning sker månaden därpå, även för tjänstlediga. " * 5


@pytest.mark.parametrize(
    ("name", "content", "text", "notice"),
    [
        ("a.txt", "é".encode("utf-8-sig"), "é", ""),
        ("a.txt", "é".encode("utf-16"), "é", "read as utf-16"),
        ("a.txt", SWEDISH.encode("cp1252"), SWEDISH.strip(), "which is a guess"),
        (
            "a.html",
            b"<meta charset='iso-8859-1'><p>caf\xe9",
            "café",
            "read as cp1252, as browsers read iso-8859-1",
        ),
    ],
)
def test_other_encodings_are_guessed_and_said(
    tmp_path: Path, name: str, content: bytes, text: str, notice: str
) -> None:
    """A mark is no text; a page's own declaration comes before a guess."""
    document = _read(tmp_path, name, content)
    assert text == document.sections[0].blocks[0].strip()
    assert bool(notice) == bool(document.notices)
    assert notice in "".join(document.notices)


def test_line_ends_of_other_systems_are_line_ends(tmp_path: Path) -> None:
    """Code keeps its lines whatever system wrote it."""
    for end in ("\r\n", "\r"):
        document = _read(tmp_path, "a.md", f"# H{end}{end}```{end}a{end}  b{end}```{end}")
        assert (Section(("H",), ("a\n  b",)),) == document.sections


BINARY = "binary, or in an unknown encoding"
NESTED = "nested too deeply to read"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.md", b"\x89PNG\0\0", BINARY),
        ("a.md", "a\0b".encode("utf-16"), BINARY),
        ("a.html", "<div>" * 5000 + "x", NESTED),
        ("a.md", "+++\ntitle = " + "[" * 5000 + "]" * 5000 + "\n+++\nx", NESTED),
        ("a.md", None, "cannot be read: No such file or directory"),
    ],
    ids=["binary", "binary UTF-16", "nested page", "nested front matter", "vanished"],
)
def test_a_page_that_cannot_be_read_is_left_out(
    tmp_path: Path, name: str, content: str | bytes | None, reason: str
) -> None:
    """One hostile file does not end the reading of a corpus."""
    _write(tmp_path, {} if content is None else {name: content})
    assert Skipped(name, reason) == read_document(tmp_path, name)
    above = read_above(tmp_path, [name], corpus_choices(parent_fields=["up"]))
    assert {} == above.path_by_document


@pytest.mark.parametrize(
    ("expected", "body"),
    [
        (("Staff", "Leave", "Sick leave"), "## Sick leave\n\nx"),
        (("Staff", "Leave", "Sick leave"), "# Leave\n\n## Sick leave\n\nx"),
        (("Staff", "Leave", "Time off"), "# Time off\n\nx"),
        (("Staff", "Leave"), "x"),
    ],
)
def test_pages_named_above_come_before_the_path(
    tmp_path: Path, expected: tuple[str, ...], body: str
) -> None:
    """And so does the page itself, once."""
    content = f"---\ntitle: Leave\nparent: Staff\n---\n{body}\n"
    found = _read(tmp_path, "a.md", content, corpus_choices(parent_fields=["parent"]))
    assert [expected] == [section.headings for section in found.sections]


@pytest.mark.parametrize(
    ("expected", "name"),
    [
        ("legal", "handbook/hr/lawyers.md"),
        ("handbook", "handbook/hr/leave.md"),
        ("web", "handbook/x.html"),
        ("web", "x.html"),
        ("", "x.md"),
    ],
)
def test_a_source_rule_goes_before_the_folder(tmp_path: Path, expected: str, name: str) -> None:
    """The first pattern that fits; else the first folder, and none at the root."""
    choices = corpus_choices(source_rules=["handbook/*/law*=legal", "*.html=web"])
    assert expected == _read(tmp_path, name, "x", choices).source


@pytest.mark.parametrize(
    ("said", "choices"),
    [
        ("'no-sign': expected GLOB=SOURCE", {"source_rules": ["no-sign"]}),
        ("'=x': expected GLOB=SOURCE", {"source_rules": ["=x"]}),
        ("expected text=body,doc_id=page", {"columns": ["text"]}),
        ("no field 'txt'. Did you mean \"text\"?", {"columns": ["txt=body"]}),
        ("names text twice: a and b", {"columns": ["text=a,text=b"]}),
    ],
)
def test_what_is_no_choice_is_refused(said: str, choices: dict[str, list[str]]) -> None:
    """With what was expected."""
    with pytest.raises(InputError) as refused:
        corpus_choices(**choices)
    assert said in str(refused.value)


def test_only_what_is_unusual_is_recorded() -> None:
    """A manifest says what was chosen, and nothing of what nobody chose."""
    assert {} == corpus_choices().chosen()
    assert {"columns": {"text": "body", "doc_id": "page"}} == (
        corpus_choices(columns=["text=body,doc_id=page"]).chosen()
    )
