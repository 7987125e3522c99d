"""Markdown becomes the text that its page would show."""

import pytest

from labeler.corpus.front_matter import Fields
from labeler.corpus.markdown import Markdown, read_markdown
from labeler.corpus.outline import Section


def _blocks(text: str) -> list[str]:
    return [block for part in read_markdown(text).page.sections for block in part.blocks]


def test_headings_come_from_the_parser_and_not_from_the_look_of_a_line() -> None:
    """Underlined headings count; `#` in code and in a word does not."""
    text = "Under\n-----\n\n```sh\n# comment\n```\n\n    # indented\n\n#tag\n"

    expected = (Section(("Under",), ("# comment", "# indented", "#tag")),)
    assert expected == read_markdown(text).page.sections


def test_paragraphs_lose_their_markup_and_keep_their_words() -> None:
    """Emphasis, links and pictures become text; soft breaks blanks, hard breaks lines."""
    text = "a *b* **c** ~~d~~ `e`\n[f](http://x 'no') ![g](y)  \nnext\n<http://z>\n"

    assert ["a b c d e f g\nnext http://z"] == _blocks(text)


def test_escapes_and_entities_are_resolved_outside_code_only() -> None:
    """Code is verbatim."""
    assert ["2 * 3 & <b>", r"\* &amp;"] == _blocks("2 \\* 3 &amp; \\<b>\n\n    \\* &amp;\n")


def test_lists_tables_quotes_and_code_are_one_block_each() -> None:
    """Nesting is two blanks, cells are joined, indentation stays."""
    text = (
        "1. one\n   - two\n\n     ```\n       code\n     ```\n2. three\n\n"
        "| a | b |\n|---|---|\n| *c* | |\n\n> quoted\n> on\n\n```py\nif x:\n    y\n```\n"
    )

    expected = ["1. one\n  - two\n      code\n2. three", "a | b\nc | ", "quoted on", "if x:\n    y"]
    assert expected == _blocks(text)


def test_raw_html_is_the_text_that_a_browser_shows() -> None:
    """Comments go, boxes that hold Markdown do not divide it, HTML headings count."""
    text = (
        "<!-- no -->\n<div class='box'>\n\n**x**\n\n</div>\n\n"
        "<h3>\n<button>Step</button>\n</h3>\n\n<details><summary>More</summary>\n\n- y\n\n"
        "</details>\n\na <b>b</b><!-- no --> c<br>d\n"
    )

    expected = (Section((), ("x",)), Section(("Step",), ("More", "- y", "a b c\nd")))
    assert expected == read_markdown(text).page.sections


def test_a_placeholder_in_angle_brackets_stays() -> None:
    """A tag that no browser knows and nobody closes was meant to be read."""
    assert ["orgs/<team-name>/x y z"] == _blocks("orgs/<team-name>/x <my-box>y</my-box> <b>z\n")


@pytest.mark.parametrize(
    ("expected", "paragraph"),
    [
        ("The <title> of a page", "The <title> of a page"),
        ("A <script> or <TEXTAREA>", "A <script> or <TEXTAREA>"),
        ("a video", "a <iframe src='x' /> video"),
        ("a video", "a <iframe src='x'> video"),
        ("a video", "a <iframe src='x' /> video <iframe src='y'>z</iframe>"),
    ],
)
def test_a_tag_that_would_swallow_the_page_does_not(expected: str, paragraph: str) -> None:
    """A browser reads to the end of the page where such a tag is not closed."""
    assert [expected, "body"] == _blocks(f"{paragraph}\n\n# Next\n\nbody")


@pytest.mark.parametrize("attributes", ["{#anchor .wide}", "{ #anchor }", "{: .wide #anchor }"])
def test_heading_attributes_are_no_part_of_the_heading(attributes: str) -> None:
    """What site generators write behind a heading is for them."""
    found = read_markdown(f"## A {{b}} {attributes}\n\nx").page.sections
    assert ("A {b}",) == found[0].headings


def test_a_line_of_attributes_is_no_text() -> None:
    """It says how the block above it looks, and stays where it is said of something else."""
    text = "## A\n{: .no_toc }\n\nx\n{: .note }\n\n- y\n{: #z}\n\nso {: .note }\n\n`{: .note }`\n"
    assert ["x", "- y", "so {: .note }", "{: .note }"] == _blocks(text)


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ("---\ntitle: Leave\ntags: [a]\n---\n", "Leave"),
        ("---\ntitle: 007\n---\n", "007"),
        ("---\ntitle: No\n---\n", "No"),
        ("---\ntitle: null\n---\n", "null"),
        ("---\ntitle: 2026-01-02\n---\n", "2026-01-02"),
        ("---\ntitle: >\n  two\n  lines\n---\n", "two lines"),
        (
            "---\ntitle: Before <em>your</em> first day &amp; after\n---\n",
            "Before your first day & after",
        ),
        ("---\ntitle: [a]\n---\n", ""),
        ("---\nother: x\n---\n", ""),
        ("---\n---\n", ""),
        ('+++\ntitle = "Leave"\n[menu]\nx = 1\n+++\n', "Leave"),
        ("+++\ntitle = 7\n+++\n", "7"),
    ],
)
def test_front_matter_gives_the_title_and_is_no_text(front: str, title: str) -> None:
    """YAML scalars are text, whatever they look like."""
    markdown = read_markdown(front + "\nbody\n")

    assert (title, ()) == (markdown.title, markdown.notices)
    assert (Section((), ("body",)),) == markdown.page.sections


def test_broken_front_matter_is_dropped_with_a_notice_and_its_title_kept() -> None:
    """A second colon in a title is the usual reason."""
    yaml = read_markdown("---\ntitle: Leave: types\nx: 1\n---\nbody\n")
    toml = read_markdown("+++\ntitle = \n+++\nbody\n")

    assert ("Leave: types", 1) == (yaml.title, len(yaml.notices))
    assert ("", 1) == (toml.title, len(toml.notices))
    assert ["body"] == _blocks("---\ntitle: Leave: types\n---\nbody\n")


def test_text_between_two_rules_is_no_front_matter() -> None:
    """Only a mapping is."""
    assert ["A first line.", "body"] == _blocks("---\n\nA first line.\n\n---\n\nbody\n")


def test_links_made_by_a_template_tag_are_links() -> None:
    """The tag's blanks would otherwise leave the brackets in the text."""
    text = 'See [the page]({% page "leave/types" %}), [here][1].\n\n[1]: {% page "x" %}\n'
    markdown = read_markdown(text)

    assert ["See the page, here."] == _blocks(text)
    assert {"page": 2} == markdown.template_tags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Ask in {% channel "people-ops" %} now.', ["Ask in people-ops now."]),
        ('Ask {% channel "vets" "Vets" %}.', ["Ask vets."]),
        ('{% image "img/a.png" "wide" "a map" %}', ["a map"]),
        ('{{< figure src="a.png" alt="a map" >}}', ["a map"]),
        ('{% include "box.html" %}\n\nx', ["x"]),
        ('{% alert "", "warning" %}\nx\n{% endalert %}', ["x"]),
        ('{% alert "Mind!" %}\nx\n{% endalert %}', ["Mind!\nx"]),
        ("a {% comment %}b\n\nc{% endcomment %} d", ["a d"]),
        ('{% raw %}x {% page "y" %}{% endraw %}', ['x {% page "y" %}']),
        ("{{ name }} stays", ["{{ name }} stays"]),
        ('`{% page "x" %}`', ['{% page "x" %}']),
        ('```\n{% a\n  "b" %}\n```', ['{% a\n  "b" %}']),
        ("<p title='{% t \"q\" %}'>x</p>", ["x"]),
        ('{% say "<b> & c" %}', ["<b> & c"]),
    ],
)
def test_template_tags_become_their_words(text: str, expected: list[str]) -> None:
    """Outside code a tag is replaced by what it would print, as far as it says so."""
    assert expected == _blocks(text)


def test_deep_nesting_loses_no_text() -> None:
    """The parser's own limit of twenty levels would drop the innermost without a word."""
    assert "innermost" in _blocks("> " * 40 + "innermost\n")[0]


def test_an_empty_page_is_an_empty_page() -> None:
    """No text, no section, no error."""
    empty: Markdown = read_markdown("")

    assert ("", ()) == (empty.title, empty.page.sections)


def test_a_footnote_stays_where_it_is_written_and_begins_with_its_label() -> None:
    """A reference is the label in brackets; nothing is lost, also where nothing refers to it."""
    text = (
        "# A\n\none[^1] two[^x]\n\n[^x]: <http://x> and[^1]\n\n"
        "## B\n\n- three[^1]\n- four[^gone]\n\n"
        "[^1]:\n    First.\n\n    More `code`.\n\n[^never]: Nobody refers to this.\n"
    )

    notes = ("[1] First.", "More code.", "[never] Nobody refers to this.")
    expected = (
        Section(("A",), ("one[1] two[x]", "[x] http://x and[1]")),
        Section(("A", "B"), ("- three[1]\n- four[^gone]", *notes)),
    )
    assert expected == read_markdown(text).page.sections


@pytest.mark.parametrize("mark", ["---", "+++"])
def test_title_and_parents_come_from_the_fields_that_are_named(mark: str) -> None:
    """The first title that is not empty; all parents, in the order of their fields."""
    colon = ":" if mark == "---" else " ="
    lines = (("short", '""'), ("name", '"Sick &amp; well"'), ("up", '["A", "B"]'), ("top", '"T"'))
    front = "\n".join(f"{name}{colon} {value}" for name, value in lines)
    fields = Fields(titles=("short", "name"), parents=("top", "up", "gone"))
    found = read_markdown(f"{mark}\n{front}\n{mark}\nbody\n", fields)

    assert ("Sick & well", ("T", "A", "B")) == (found.title, found.parents)


def test_parents_that_are_no_texts_are_noticed() -> None:
    """A map may mean anything."""
    found = read_markdown("---\nup:\n  url: /x\n---\nbody\n", Fields(parents=("up",)))

    expected = "up in the front matter is neither a text nor a list of texts"
    assert ((), (expected,)) == (found.parents, found.notices)
