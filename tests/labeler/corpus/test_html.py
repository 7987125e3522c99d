"""HTML pages become the text that a person would read, block by block."""

import pytest

from labeler.corpus.html import read_html
from labeler.corpus.outline import Section


def _blocks(html: str, *, whole: bool = False) -> list[str]:
    return [block for part in read_html(html, whole=whole).sections for block in part.blocks]


def test_scripts_styles_templates_and_hidden_parts_are_no_text() -> None:
    """Neither their text nor a heading inside them reaches a chunk."""
    page = read_html(
        "<title>Fees</title><style>h1{}</style><script>var s='<h1>No</h1>'</script>"
        "<template><h2>No</h2></template><body><noscript>no</noscript><svg><title>no</title></svg>"
        "<p hidden>no</p><p style='display: none'>no</p><p aria-hidden=true>no</p>"
        "<!-- no --><div class=callout><p>Fees rise.</p></div>"
    )

    assert ("Fees", (Section((), ("Fees rise.",)),)) == (page.title, page.sections)


def test_only_the_main_content_is_read() -> None:
    """With a main element, what stands around it is left out."""
    html = "<p>banner</p><main><p>content</p></main><p>colophon</p>"

    assert ["content"] == _blocks(html)
    assert ["content"] == _blocks("<p>x</p><div role=main>content</div>")
    assert ["content"] == _blocks("<main hidden>another view</main><main>content</main>")


def test_navigation_and_the_header_and_footer_of_the_page_are_left_out() -> None:
    """A menu is never the parent of what follows; an article keeps its own header."""
    html = (
        "<header><h1>Site</h1></header><h2>Start</h2><nav><h3>Menu</h3></nav>"
        "<article><header><p>By Ann</p></header><h3>Deep</h3><p>text</p></article>"
        "<div role=navigation>crumbs</div><footer>imprint</footer>"
    )
    sections = read_html(html).sections

    assert (Section(("Start",), ("By Ann",)), Section(("Start", "Deep"), ("text",))) == sections


def test_headings_are_one_line_of_text() -> None:
    """Tags and entities are resolved, blanks collapse, permanent links go."""
    html = "<h2>  A\n <em>b</em> &amp; c&nbsp;d <a href='#x'>¶</a></h2><p>x</p>"

    assert ("A b & c d",) == read_html(html).sections[0].headings


def test_text_outside_block_elements_is_not_lost() -> None:
    """Text between blocks is a block of its own, and inline elements do not divide it."""
    html = "one <b>bold</b> two<div>three</div>four<span><p>five</p></span>six"

    assert ["one bold two", "three", "four", "five", "six"] == _blocks(html)


def test_white_space_collapses_except_in_pre() -> None:
    """`&nbsp;` is a blank, `<br>` a line break, code keeps its indentation."""
    html = "<p>a\n  b&nbsp; c<br> <br>d</p><pre>\n\n  if x:\n\n      y\n</pre>"

    assert ["a b c\nd", "  if x:\n\n      y"] == _blocks(html)


def test_lists_keep_their_markers_numbers_and_nesting() -> None:
    """One list is one block; what an item holds beyond its first line is indented by two."""
    html = (
        "<ol start=3><li>three<ul><li>inner<pre>  code</pre></li></ul></li>"
        "<li value=7><p>seven</p><p>more</p></li><li></li></ol>"
    )

    assert ["3. three\n  - inner\n      code\n7. seven\n  more"] == _blocks(html)


def test_a_list_right_inside_a_list_is_not_lost() -> None:
    """Many editors write it, and browsers show it."""
    assert ["- a\n  - b"] == _blocks("<ul><li>a</li><ul><li>b</li></ul></ul>")


def test_a_table_is_one_block_with_a_line_per_row() -> None:
    """Empty cells keep their place, empty rows go, the caption comes first."""
    html = (
        "<table><caption>Days</caption><thead><tr><th>Who<th>Days</thead>"
        "<tr><td>a<br>b<td></tr><tr><td> <td></tr></table>"
    )

    assert ["Days\nWho | Days\na b | "] == _blocks(html)


def test_definitions_are_indented_below_their_terms() -> None:
    """A definition list is one block."""
    html = "<dl><dt>a</dt><dd>first</dd><div><dt>b</dt><dd>second<br>line</dd></div></dl>"

    assert ["a\n  first\nb\n  second\n  line"] == _blocks(html)


@pytest.mark.parametrize(
    "html",
    [
        "<h1>A</h1><ul><li><h3>B</h3>x</li><li>y</li></ul>",
        "<h1>A</h1><table><tr><th><h3>B</h3><td>x<tr><td>y</table>",
        "<h1>A</h1><dl><dt><h3>B</h3><dd>x</dl><p>y</p>",
        "<h1>A</h1><blockquote><h1>B</h1><p>x</p></blockquote><p>y</p>",
    ],
)
def test_no_heading_ends_up_in_a_text(html: str) -> None:
    """A heading in an item, row, term or quotation opens a section that ends there."""
    headings = {part.blocks: part.headings for part in read_html(html).sections}

    assert ("A",) == headings[("y",)]
    assert ("A",) == headings[("x",)][:1]
    assert "B" not in "".join(block for blocks in headings for block in blocks)


def test_tables_that_only_arrange_the_page_are_laid_out() -> None:
    """Code in a cell keeps its lines, and a table in a table its rows."""
    html = "<table><tr><td><pre>a\n  b</pre></td></tr></table>"
    nested = "<table><tr><td>x<table><tr><td>1<td>2</table></table>"

    assert ["a\n  b"] == _blocks(html)
    assert ["x", "1 | 2"] == _blocks(nested)


def test_pictures_are_their_alternative_text() -> None:
    """A picture without one is nothing."""
    assert ["a map here"] == _blocks("<p>a <img alt='map' src=x><img src=y> here</p>")


def test_fragments_and_broken_markup_are_read_as_a_browser_would() -> None:
    """No html or body element is needed, and entities become characters."""
    assert ["a <tag> end"] == _blocks("<p>a &lt;tag&gt; &nbsp; end")


def test_what_a_markdown_author_wrote_is_all_content() -> None:
    """Only the hidden and the never-text go when the whole document counts."""
    html = "<nav>menu</nav><footer>foot</footer><script>no</script>"

    assert ["menu", "foot"] == _blocks(html, whole=True)
