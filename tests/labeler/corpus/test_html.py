"""HTML pages become the text that a person would read, block by block."""

import pytest

from labeler.corpus.html import read_html
from labeler.corpus.outline import Section


def test_scripts_styles_templates_and_hidden_parts_are_no_text() -> None:
    """Neither their text nor a heading inside them reaches a chunk."""
    page = read_html(
        "<title>Fees</title><style>h1{}</style><script>var s='<h1>No</h1>'</script>"
        "<template><h2>No</h2></template><body><noscript>no</noscript><svg><title>no</title></svg>"
        "<p hidden>no</p><p style='display: none'>no</p><p aria-hidden=true>no</p>"
        "<!-- no --><div class=callout><p>Fees rise.</p></div>"
    )

    assert ("Fees", (Section((), ("Fees rise.",)),)) == (page.title, page.sections)


@pytest.mark.parametrize(
    ("expected", "html"),
    [
        (["content"], "<p>banner</p><main><p>content</p></main><p>colophon</p>"),
        (["content"], "<p>x</p><div role=main>content</div>"),
        (["content"], "<main hidden>another view</main><main>content</main>"),
        (
            ["one bold two", "three", "four", "five", "six"],
            "one <b>bold</b> two<div>three</div>four<span><p>five</p></span>six",
        ),
        (
            ["a b c\nd", "  if x:\n\n      y"],
            "<p>a\n  b&nbsp; c<br> <br>d</p><pre>\n\n  if x:\n\n      y\n</pre>",
        ),
        (
            ["3. three\n  - inner\n      code\n7. seven\n  more"],
            "<ol start=3><li>three<ul><li>inner<pre>  code</pre></li></ul></li>"
            "<li value=7><p>seven</p><p>more</p></li><li></li></ol>",
        ),
        (["- a\n  - b"], "<ul><li>a</li><ul><li>b</li></ul></ul>"),
        (
            ["Days\nWho | Days\na b | "],
            "<table><caption>Days</caption><thead><tr><th>Who<th>Days</thead>"
            "<tr><td>a<br>b<td></tr><tr><td> <td></tr></table>",
        ),
        (
            ["a\n  first\nb\n  second\n  line"],
            "<dl><dt>a</dt><dd>first</dd><div><dt>b</dt><dd>second<br>line</dd></div></dl>",
        ),
        (["a\n  b"], "<table><tr><td><pre>a\n  b</pre></td></tr></table>"),
        (["x", "1 | 2"], "<table><tr><td>x<table><tr><td>1<td>2</table></table>"),
        (["a map here"], "<p>a <img alt='map' src=x><img src=y> here</p>"),
        (["a <tag> end"], "<p>a &lt;tag&gt; &nbsp; end"),
    ],
)
def test_a_page_is_the_blocks_that_a_person_would_read(expected: list[str], html: str) -> None:
    """
    What stands around the content is left out, and text outside blocks is not lost.

    Lists keep their markers, tables a line per row, definitions stand below their terms;
    a table that only arranges the page is none. Broken markup is read as a browser would.
    """
    assert expected == [block for part in read_html(html).sections for block in part.blocks]


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


def test_what_a_markdown_author_wrote_is_all_content() -> None:
    """Only the hidden and the never-text go when the whole document counts."""
    html = "<nav>menu</nav><footer>foot</footer><script>no</script>"
    assert (Section((), ("menu", "foot")),) == read_html(html, whole=True).sections


@pytest.mark.parametrize(
    ("html", "blocks"),
    [
        ("<p>2.5 × 10<sup>-3</sup> Nm, x<sup>2</sup></p>", ["2.5 × 10^-3 Nm, x2"]),
        ("<p>old <del>price 5</del> new <s>6</s> 7</p>", ["old new 7"]),
        ("<math><msup><mi>x</mi><mn>2</mn></msup></math>", ["x^2"]),
        ("<p>a<math><mi>y</mi><annotation>\\y</annotation></math></p>", ["ay"]),
        ("<div><button class='copy'>Copy</button><pre>x = 1</pre></div>", ["x = 1"]),
        (
            "<table><tr><td class='linenos'><pre>1</pre></td><td><pre>a\nb</pre></td></tr></table>",
            ["a\nb"],
        ),
        ("<ol type='a' start='2'><li>x</li><li>y</li></ol>", ["b. x\nc. y"]),
        ("<ol reversed><li>x</li><li>y</li></ol>", ["2. x\n1. y"]),
        ("<dialog><p>no</p></dialog><p>yes</p>", ["yes"]),
    ],
)
def test_what_is_read_means_what_the_page_says(html: str, blocks: list[str]) -> None:
    """Powers, struck text, formulas, line numbers, buttons, numbers of lists, closed dialogs."""
    found = read_html(f"<main>{html}</main>").sections
    assert blocks == [block for section in found for block in section.blocks]


def test_a_heading_in_a_box_of_the_page_ends_with_it() -> None:
    """Also one that is a heading by its role only."""
    html = (
        "<main><h1>A</h1><details><summary><h2>B</h2></summary><p>b</p></details><p>a</p>"
        "<section><div role=heading aria-level=2>C</div><p>c</p></section><p>d</p></main>"
    )
    found = [(part.headings, part.blocks) for part in read_html(html).sections]
    assert [("A", "B"), ("A",), ("A", "C"), ("A",)] == [path for path, _ in found]
