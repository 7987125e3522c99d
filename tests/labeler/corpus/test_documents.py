"""Folders become documents: which files, which text, which title, and what is left out."""

import os
import sys
from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.snapshot.chunk import Skipped
from labeler.corpus.choices import corpus_choices
from labeler.corpus.documents import Document, find_documents, read_above, read_document
from labeler.corpus.outline import Section


def _write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def _read(root: Path, name: str, content: str | bytes) -> Document:
    document = read_document(_write(root, {name: content}), name)
    assert isinstance(document, Document)
    return document


def test_documents_are_found_by_suffix_and_sorted_by_path(tmp_path: Path) -> None:
    """Ids are paths below the root; other files are listed."""
    root = _write(
        tmp_path,
        {"b/x.md": "", "a.HTM": "", "b.markdown": "", "c.txt": "", "d.html": "", "e.png": ""},
    )
    found, skipped = find_documents(root)

    assert ("a.HTM", "b.markdown", "b/x.md", "c.txt", "d.html") == found
    assert (Skipped("e.png", "not a document (.png)"),) == skipped


def test_folder_traps_are_left_out_with_a_reason(tmp_path: Path) -> None:
    """Links, pipes, loops and hidden entries are never opened."""
    root = _write(tmp_path / "root", {"a.md": "x", ".git/b.md": "x", ".c.md": "x", "sub/d.md": "x"})
    _write(tmp_path, {"outside/e.md": "x"})
    os.mkfifo(root / "pipe.md")
    for name, target in {
        "out.md": "../outside/e.md",
        "outdir": "../outside",
        "loop": ".",
        "twin.md": "a.md",
        "lost.md": "nowhere.md",
        "self.md": "self.md",
    }.items():
        (root / name).symlink_to(target)
    found, skipped = find_documents(root)

    assert ("a.md", "sub/d.md") == found
    inside = "a link inside the corpus; what it names is read at its own place"
    expected = {
        ".c.md": "hidden",
        ".git": "hidden",
        "loop": inside,
        "lost.md": "a link that leads nowhere",
        "out.md": "a link that leads out of the corpus",
        "outdir": "a link that leads out of the corpus",
        "pipe.md": "not a regular file",
        "self.md": "a link that leads nowhere",
        "twin.md": inside,
    }
    assert expected == {entry.path: entry.reason for entry in skipped}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_not_utf8_is_left_out_and_can_be_printed(tmp_path: Path) -> None:
    """It could not be stored as an id."""
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).write_text("x", encoding="utf-8")

    assert ((), (Skipped("\\xff.md", "its name is not UTF-8"),)) == find_documents(tmp_path)


def test_a_root_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    """The message says what to name instead."""
    with pytest.raises(InputError, match="is not a folder"):
        find_documents(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("a.md", "---\ntitle: Front\n---\n# Head\nx", "Front"),
        ("a.md", "## Two\nx\n# Head\ny\n# Other", "Head"),
        ("a.md", "## Two\nx", "a"),
        ("a.md", "---\ntitle: ''\n---\nx", "a"),
        ("parental-leave.v2.md", "x", "parental-leave.v2"),
        ("leave/index.md", "x", "leave"),
        ("leave/README.md", "x", "leave"),
        ("index.html", "x", "index"),
        ("a.html", "<title>Head | Site</title><h1>Head</h1>x", "Head"),
        ("a.html", "<title> A\n title </title><p>x", "A title"),
        ("a.html", "<p>x", "a"),
        ("a.txt", "# Head", "a"),
    ],
)
def test_titles_follow_the_stated_order(
    tmp_path: Path, name: str, content: str, title: str
) -> None:
    """Front matter, first level-one heading, <title>, file name."""
    assert title == _read(tmp_path, name, content).title


def test_the_source_is_the_first_folder(tmp_path: Path) -> None:
    """A document at the root has none."""
    assert "handbook" == _read(tmp_path, "handbook/hr/a.md", "x").source
    assert "" == _read(tmp_path, "a.md", "x").source


def test_plain_text_has_no_headings_and_keeps_its_lines(tmp_path: Path) -> None:
    """Blank lines divide blocks; a `#` is a character."""
    text = "# no heading\nline\n \n\n  indented\n---\n"

    expected = (Section((), ("# no heading\nline", "  indented\n---")),)
    assert expected == _read(tmp_path, "a.txt", text).sections


@pytest.mark.parametrize(
    ("content", "notice"),
    [
        ("é".encode(), None),
        ("\ufeffé".encode(), None),
        ("é".encode("utf-16"), "read as utf-16"),
        ("é".encode("utf-32"), "read as utf-32"),
    ],
)
def test_byte_order_marks_are_obeyed_and_dropped(
    tmp_path: Path, content: bytes, notice: str | None
) -> None:
    """A mark is no text, and anything but UTF-8 is said."""
    document = _read(tmp_path, "a.txt", content)

    assert ((), ("é",)) == (document.sections[0].headings, document.sections[0].blocks)
    assert ((notice,) if notice else ()) == document.notices


def test_other_encodings_are_guessed_and_said(tmp_path: Path) -> None:
    """A page's own declaration comes before a guess."""
    text = "Förväntad återbetalning sker månaden därpå, även för tjänstlediga. " * 5
    guessed = _read(tmp_path, "a.txt", text.encode("cp1252"))
    declared = _read(tmp_path, "a.html", b"<meta charset='iso-8859-1'><p>caf\xe9")

    assert text.strip() == guessed.sections[0].blocks[0].strip()
    assert "which is a guess" in guessed.notices[0]
    assert ("café",) == declared.sections[0].blocks
    assert "read as cp1252, as browsers read iso-8859-1" in declared.notices[0]


def test_binary_data_is_left_out(tmp_path: Path) -> None:
    """A suffix does not make a text."""
    root = _write(tmp_path, {"a.md": b"\x89PNG\0\0", "b.md": "a\0b".encode("utf-16")})

    for name in ("a.md", "b.md"):
        assert Skipped(name, "binary, or in an unknown encoding") == read_document(root, name)


def test_a_file_that_vanished_is_left_out(tmp_path: Path) -> None:
    """Something else may be writing there."""
    assert Skipped("a.md", "cannot be read: No such file or directory") == read_document(
        tmp_path, "a.md"
    )


def test_line_ends_of_other_systems_are_line_ends(tmp_path: Path) -> None:
    """Code keeps its lines whatever system wrote it."""
    for end in ("\r\n", "\r"):
        document = _read(tmp_path, "a.md", f"# H{end}{end}```{end}a{end}  b{end}```{end}")
        assert (Section(("H",), ("a\n  b",)),) == document.sections


def test_a_page_that_is_nested_too_deeply_is_left_out(tmp_path: Path) -> None:
    """One hostile file does not end the reading of a corpus."""
    nested = "+++\ntitle = " + "[" * 5000 + "]" * 5000 + "\n+++\nx"
    root = _write(tmp_path, {"a.html": "<div>" * 5000 + "x", "a.md": nested})

    for name in ("a.html", "a.md"):
        assert Skipped(name, "nested too deeply to read") == read_document(root, name)
    assert {} == read_above(root, ["a.md"], corpus_choices(parent_fields=["up"])).path_by_document


def test_headings_without_text_are_told(tmp_path: Path) -> None:
    """They are no chunk, but somebody may miss them."""
    document = _read(tmp_path, "a.md", "# A\n## B\n## C\nx")

    assert (2, ("B",)) == (document.bare_headings, document.lost_headings)


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
    _write(tmp_path, {"a.md": f"---\ntitle: Leave\nparent: Staff\n---\n{body}\n"})
    found = read_document(tmp_path, "a.md", corpus_choices(parent_fields=["parent"]))

    assert isinstance(found, Document)
    assert [expected] == [section.headings for section in found.sections]


def test_a_source_rule_goes_before_the_folder(tmp_path: Path) -> None:
    """The first pattern that fits; `*` stands for folders too."""
    rules = ["handbook/*/law*=legal", "*.html=web"]
    reading = corpus_choices(source_rules=rules)
    names = ("handbook/hr/lawyers.md", "handbook/hr/leave.md", "handbook/x.html", "x.html")
    _write(tmp_path, dict.fromkeys(names, "x"))
    found = [read_document(tmp_path, name, reading) for name in names]

    assert ["legal", "handbook", "web", "web"] == [
        document.source for document in found if isinstance(document, Document)
    ]


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
