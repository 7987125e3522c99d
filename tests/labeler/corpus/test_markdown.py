"""Markdown becomes the text that its page would show."""

import pytest

from labeler.corpus.front_matter import Fields
from labeler.corpus.markdown import read_markdown
from labeler.corpus.outline import Section


def _blocks(text: str) -> list[str]:
    return [block for part in read_markdown(text).page.sections for block in part.blocks]


def test_headings_come_from_the_parser_and_not_from_the_look_of_a_line() -> None:
    """Underlined headings count; `#` in code and in a word does not."""
    text = "Under\n-----\n\n```sh\n# comment\n```\n\n    # indented\n\n#tag\n"
    expected = (Section(("Under",), ("# comment", "# indented", "#tag")),)
    assert expected == read_markdown(text).page.sections


LAYOUT = """1. one
   - two

     ```
       code
     ```
2. three

| a | b |
|---|---|
| *c* | |

> quoted
> on
"""
ATTRIBUTES = "## A\n{: .no_toc }\n\nx\n{: .note }\n\n- y\n{: #z}\n\nso {: .note }\n\n`{: .note }`\n"


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (
            ["a b c e f g\nnext http://z"],
            "a *b* **c** ~~d~~ `e`\n[f](http://x 'no') ![g](y)  \nnext\n<http://z>\n",
        ),
        (["2 * 3 & <b>", r"\* &amp;"], "2 \\* 3 &amp; \\<b>\n\n    \\* &amp;\n"),
        (["1. one\n  - two\n      code\n2. three", "a | b\nc | ", "quoted on"], LAYOUT),
        (["orgs/<team-name>/x y z"], "orgs/<team-name>/x <my-box>y</my-box> <b>z\n"),
        (["x", "- y", "so {: .note }", "{: .note }"], ATTRIBUTES),
        (["A first line.", "body"], "---\n\nA first line.\n\n---\n\nbody\n"),
        ([], ""),
    ],
)
def test_paragraphs_lose_their_markup_and_keep_their_words(expected: list[str], text: str) -> None:
    """Links and pictures become text; a list, a table, a quotation and code are a block each."""
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


@pytest.mark.parametrize(
    ("expected", "paragraph"),
    [
        ("The <title> of a page", "The <title> of a page"),
        ("a video", "a <iframe src='x' /> video"),
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


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ("---\ntitle: 007\ntags: [a]\n---\n", "007"),
        ("---\ntitle: null\n---\n", "null"),
        ("---\ntitle: 2026-01-02\n---\n", "2026-01-02"),
        ("---\ntitle: >\n  two\n  lines\n---\n", "two lines"),
        ("---\ntitle: Your <em>first</em> day &amp; after\n---\n", "Your first day & after"),
        ("---\ntitle: [a]\n---\n", ""),
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


@pytest.mark.parametrize(
    ("title", "front"),
    [("Leave: types", "---\ntitle: Leave: types\nx: 1\n---\n"), ("", "+++\ntitle = \n+++\n")],
)
def test_broken_front_matter_is_dropped_with_a_notice_and_its_title_kept(
    title: str, front: str
) -> None:
    """A second colon in a title is the usual reason."""
    found = read_markdown(front + "body\n")
    assert (title, 1) == (found.title, len(found.notices))
    assert (Section((), ("body",)),) == found.page.sections


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


SITE = (
    (
        '!!! note "Cells"\n\n    Red *label*.\n\n    ## Inside\n\n    More.\n\nAfter.',
        ["Cells", "Red label.", "More.", "After."],
    ),
    ('=== "Day"\n\n    Ext 21.\n\n    ```sh\n    # print\n    ```', ["Day", "Ext 21.", "# print"]),
    (":::tip[Rates]\n\nTwo a day.\n\n:::\n\nEnd.", ["Rates", "Two a day.", "End."]),
    (
        "```{note} Read\nHold it.\n```\n\n```{code-block} py\n:linenos:\nx = 1\n```",
        ["Read", "Hold it.", "x = 1"],
    ),
    ("```{toctree}\nintro\n```\n\n% unseen\n\nSee {ref}`a`.", ["See a."]),
    ("import A from 'a';\n\nexport const x = 1;\n\nText {/* no */}here.", ["Text here."]),
    ('<Tabs>\n<TabItem label="Go">\n\nStub.\n\n</TabItem>\n</Tabs>', ["Go", "Stub."]),
    ("> [!WARNING]\n> Hot.", ["Hot."]),
    ("Term\n: Meaning.", ["Term\n  Meaning."]),
    ("a | b\n- | -\n1 | 2", ["a | b\n1 | 2"]),
    ("| a | b |\n|---|\n| 1 | 2 |", ["a | b\n1 | 2"]),
    ("`{/* kept */}` and `{ref}`", ["{/* kept */} and {ref}"]),
    ("10<sup>6</sup> of m<sup>3</sup>, ~~never~~ H<sub>2</sub>O", ["10^6 of m3, H2O"]),
)


@pytest.mark.parametrize(("text", "expected"), SITE)
def test_what_site_generators_write_is_read_as_the_site_shows_it(
    text: str, expected: list[str]
) -> None:
    """Boxes, tabs and directives keep their text, comments and imports go, code stays."""
    assert expected == [b for part in read_markdown(text).page.sections for b in part.blocks]


def test_a_heading_in_a_box_ends_with_the_box() -> None:
    """And an empty heading ends the section before it."""
    text = "# A\n\n!!! note\n    ## B\n\n    in\n\nout\n\n## C\n\nc\n\n##\n\nlast"
    parts = read_markdown(text).page.sections
    assert [("A", "B"), ("A",), ("A", "C"), ("A",)] == [part.headings for part in parts]


@pytest.mark.parametrize(
    "above",
    [
        "---\ntitle: Name\nauthor:\n  email: a@b.no\n",
        "---\ntitle: Name\nemail: a@b.no\n\n--- abstract\n",
        '{"title": "Name", "email": "a@b.no"}\n',
        "Title: Name\nEmail: a@b.no\n",
        "---\ntitle: Name\nemail: a@b.no\n---\n",
    ],
)
def test_front_matter_is_never_text(above: str) -> None:
    """However it is written, and also where it is never closed."""
    found = read_markdown(f"{above}\nText.")
    assert "Name" == found.title
    assert [("Text.",)] == [part.blocks for part in found.page.sections]
