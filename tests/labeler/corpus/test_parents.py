"""Pages named above in front matter, and what stands above those in turn."""

from pathlib import Path

from labeler.corpus.build import read_corpus
from labeler.corpus.choices import corpus_choices
from labeler.corpus.front_matter import FrontMatter
from labeler.corpus.parents import Above, paths_above


def _above(**fronts: FrontMatter) -> Above:
    pages = {f"{name}.md": front for name, front in fronts.items()}
    return paths_above(pages, lambda doc_id: pages[doc_id].title or f"title of {doc_id}")


def _page(title: str, *parents: str, addresses: tuple[str, ...] = ()) -> FrontMatter:
    return FrontMatter(title, parents=parents, names=(title,), addresses=addresses)


def test_the_parents_of_a_parent_stand_above_it() -> None:
    """Each page names only the one right above."""
    found = _above(a=_page("A"), b=_page("B", "A"), c=_page("C", "b"), d=_page("D", "C"))

    expected = {"b.md": ("A",), "c.md": ("A", "B"), "d.md": ("A", "B", "C")}
    assert Above(expected) == found


def test_of_several_pages_with_a_title_the_grandparent_decides() -> None:
    """Without one it stays a word, with nothing above it."""
    pages = {"one": _page("Setup", "X"), "two": _page("Setup", "Y")}
    pages |= {"deep": _page("Deep", "X", "Setup"), "lost": _page("Lost", "Setup")}
    found = _above(top=_page("Top"), x=_page("X", "Top"), **pages)

    assert ("Top", "X", "Setup") == found.path_by_document["deep.md"]
    assert ("Setup",) == found.path_by_document["lost.md"]
    assert (
        "1 parent in front matter that no page is called, so only words: 'Y' (1)",
        "1 document with a parent that several pages are called, so with no path above that: "
        "lost.md: 'Setup' (one.md; two.md)",
    ) == found.warnings


def test_what_the_parent_says_of_itself_goes_before_what_its_child_says() -> None:
    """A child may name an ancestor further up, only to tell pages with one title apart."""
    pages = [_page(first) for first in "XY"]
    pages += [_page("S", "X"), _page("S", "Y"), _page("T", "X", "S"), _page("T", "Y", "S")]
    found = _above(**dict(zip("abcdef", pages, strict=True)), last=_page("U", "X", "T"))
    assert ("X", "S", "T") == found.path_by_document["last.md"]
    assert () == found.warnings


def test_an_address_becomes_the_title_of_the_page_there() -> None:
    """By file as the site builds it, from the page itself, by permalink, by slug and by name."""
    manual, deploy = ("Home", "The manual"), ("Home", "The manual", "Deploy")
    cases = {
        "source/manual.html.md": (_page("The manual", "Home"), ("Home",)),
        "source/manual/deploy.html.md": (_page("Deploy", "/manual.html"), manual),
        "source/manual/roll.md": (_page("Rolling", "deploy.html"), deploy),
        "source/manual/back.md": (_page("Back", "../manual/"), manual),
        "docs/index.md": (_page("Docs", addresses=("/guide/",)), None),
        "docs/x.md": (_page("X", "/guide"), ("Docs",)),
        "docs/y.md": (_page("Y", "./index.md"), ("Docs",)),
        "docs/z.md": (_page("Z", "roll"), (*deploy, "Rolling")),
    }
    pages = {doc_id: page for doc_id, (page, _) in cases.items()}
    found = paths_above(pages, lambda doc_id: pages[doc_id].title)
    expected = {doc_id: path for doc_id, (_, path) in cases.items() if path is not None}
    assert expected == found.path_by_document


def test_an_address_without_a_page_is_no_word() -> None:
    """It is left out and listed; another parent of the same page stays."""
    found = _above(a=_page("A", "/gone.html", "Section"))

    assert {"a.md": ("Section",)} == found.path_by_document
    assert (
        "1 parent in front matter that no page is called, so only words: 'Section' (1)",
        "1 document with a parent at an address without a page: a.md: /gone.html",
    ) == found.warnings


def test_pages_above_each_other_in_a_circle_are_followed_once() -> None:
    """Also a page that names itself; each circle is listed once."""
    found = _above(a=_page("A", "B"), b=_page("B", "A"), d=_page("D", "A"), e=_page("E", "E"))

    paths = {"a.md": ("B",), "b.md": ("A",), "d.md": ("B", "A"), "e.md": ()}
    assert paths == found.path_by_document
    assert (
        "2 circles of pages that stand above themselves, ended: a.md > b.md > a.md; e.md > e.md",
    ) == found.warnings


def test_a_corpus_is_read_with_the_whole_path_above_each_page(tmp_path: Path) -> None:
    """In YAML and TOML, in a field of a field, and with a title that only a heading states."""
    files = {
        "top.md": "# Top page\n\nx\n",
        "mid.md": "---\nnav:\n  key: Middle\n  parent: top\n---\nx\n",
        "low.md": "+++\ntitle = 'Low'\n[nav]\nparent = 'Middle'\n+++\n# Low\n\nx\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    reading = corpus_choices(title_fields=["title", "nav.key"], parent_fields=["nav.parent"])
    corpus = read_corpus(
        tmp_path, budget=50, overlap=0, tokenizer="words", reading=reading, workers=1
    )

    paths = [("Top page", "Middle", "Low"), ("Top page", "Middle"), ("Top page",)]
    assert paths == [chunk.headings for chunk in corpus.chunks]
