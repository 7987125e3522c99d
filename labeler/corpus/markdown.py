"""
Markdown -> title and parents of the front matter and sections of plain text.

CommonMark with tables, definition lists, strikethrough and footnotes (markdown-it-py), what
`front_matter` and `dialects` know, and the template tags of static site generators. The text is
rendered to HTML and read by `html`, as a browser would show it. Knows nothing of files.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.common.html_blocks import block_names
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from labeler.corpus.dialects import plain_markdown
from labeler.corpus.front_matter import TITLE_ONLY, Fields, split_front_matter
from labeler.corpus.html import NEVER_TEXT, Page, read_html

_HEADING_ATTRIBUTES = re.compile(r"\s*\{:?\s*[#.][^{}]*\}\s*$")
_LINE_OF_ATTRIBUTES = re.compile(r"^\{:[^{}]*\}$")
_RAW_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)[^<>]*>")
# The elements that a browser knows and that markdown-it does not list as blocks.
_INLINE_NAMES = (
    "a abbr acronym audio b bdi bdo big br button canvas cite code data datalist del dfn em embed "
    "font i img input ins kbd label map mark math meter object output picture pre progress q rp "
    "rt ruby s samp script select slot small span strike strong style sub sup svg template "
    "textarea time tt u var video wbr"
)
_ELEMENTS = frozenset(_INLINE_NAMES.split()) | frozenset(block_names)
# What a browser takes for their content, to the end of the page where they are not closed.
_SWALLOWING = NEVER_TEXT | {"noembed", "noframes", "plaintext", "textarea", "xmp"}
# markdown-it drops, without a word, what is nested deeper; its own default for CommonMark is 20.
_MAX_NESTING = 100


@dataclass(frozen=True, slots=True)
class Markdown:
    """What a Markdown document says, and what was made of it on the way."""

    title: str
    parents: tuple[str, ...]
    page: Page
    template_tags: Mapping[str, int]
    notices: tuple[str, ...]


def read_markdown(text: str, fields: Fields = TITLE_ONLY) -> Markdown:
    """
    The front matter's title and parents, and the sections of plain text.

    Soft breaks are blanks, hard breaks line breaks, links their text, images their
    alternative text, code verbatim, raw HTML the text that a browser would show; headings
    lose the attributes that site generators write behind them (`{#anchor}`), and blocks those
    in the line below (`{: .note}`). A reference to a footnote is its label in brackets; the
    footnote begins with that and stays where it is written.

    A raw tag that no browser knows and that is never closed, as in
    `teams/<team-name>/members`, was meant to be read, so it stays; a browser would drop it.
    So does one as in "the <title> of a page", where a browser would lose the rest of the
    page; with attributes, or closed in itself as in `<iframe src="x" />`, it goes alone.

    Template tags (`{% name "argument" %}`, `{{< name >}}`) outside code are no text. Where
    one stands in a sentence it is replaced by its words: the first quoted argument that
    is no path (the last, behind the path of a picture: its alternative text), else nothing.
    Leaving them out altogether would make holes where a tag prints a name. Comment blocks
    go; between `{% raw %}` and `{% endraw %}` tags stay as written. `{{ variable }}` stays
    too, since nobody here knows its value.
    """
    front, body = split_front_matter(text, fields)
    body, met = plain_markdown(body)
    tags = _Tags()
    parser = _parser()
    tokens = parser.parse(tags.hide(body))
    tokens = _with_footnotes(tokens)
    for token in _all_tokens(tokens):
        if token.type in ("fence", "code_block", "code_inline"):
            token.content = tags.restore(token.content)
    _drop_attributes(tokens)
    _keep_unknown_tags(tokens)
    rendered = tags.spell_out(parser.renderer.render(tokens, parser.options, {}))
    page = read_html(rendered, whole=True)
    page = replace(page, left_out=page.left_out + met)
    return Markdown(front.title, front.parents, page, tags.used(), front.notices)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable(
        ["table", "strikethrough"]
    )
    return parser.use(deflist_plugin).use(footnote_plugin, inline=False, move_to_end=False)


def _all_tokens(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens with those inside them, in reading order."""
    for token in tokens:
        yield token
        yield from _all_tokens(token.children or ())


def _with_footnotes(tokens: Sequence[Token]) -> list[Token]:
    """
    The tokens with references and footnotes marked by labels.

    The plugin's own rendering would number them anew and drop those that nothing refers to.
    """
    kept: list[Token] = []
    mark = ""
    for token in tokens:
        if token.type == "footnote_reference_open":
            mark = f"[{token.meta['label']}] "
        elif token.type != "footnote_reference_close":
            if mark and token.type == "inline":
                token.children = [Token("text", "", 0, content=mark), *(token.children or ())]
                mark = ""
            kept.append(token)
    for token in _all_tokens(kept):
        if token.type == "footnote_ref":
            token.type, token.content = "text", f"[{token.meta['label']}]"
    return kept


def _drop_attributes(tokens: Sequence[Token]) -> None:
    for opening, inline in pairwise(tokens):
        *before, last = inline.children or [inline]
        if last.type != "text":
            continue
        if opening.type == "heading_open":
            last.content = _HEADING_ATTRIBUTES.sub("", last.content)
        elif not before or before[-1].type == "softbreak":
            last.content = _LINE_OF_ATTRIBUTES.sub("", last.content)


def _keep_unknown_tags(tokens: Sequence[Token]) -> None:
    raw = [token for token in _all_tokens(tokens) if token.type in ("html_inline", "html_block")]
    closed = {
        match.group(2).lower()
        for token in raw
        for match in _RAW_TAG.finditer(token.content)
        if match.group(1)
    }

    def keep(match: re.Match[str]) -> str:
        tag, name = match.group(), match.group(2).lower()
        swallows = name in _SWALLOWING and not match.group(1)
        if swallows and tag.endswith("/>"):
            return ""
        if match.group(1) or name in closed or (name in _ELEMENTS and not swallows):
            return tag
        is_bare = tag.strip("<> ").lower() == name
        return html.escape(tag, quote=False) if is_bare or not swallows else ""

    for token in raw:
        if not token.content.startswith("<!--"):
            token.content = _RAW_TAG.sub(keep, token.content)


class _Tags:
    """
    The template tags of one document, hidden from the Markdown parser behind marks.

    A tag holds blanks and quotes, so a link to one (`[text]({% page "name" %})`) is no
    link to a Markdown parser. A mark has none; afterwards code gets its tags back
    as written and text gets their words.
    """

    _SOURCE = re.compile(
        r"(?P<comment>\{%-?\s*comment\b.*?\bendcomment\s*-?%\})"
        r"|(?P<open>\{%-?\s*raw\s*-?%\})(?P<raw>.*?)(?P<close>\{%-?\s*endraw\s*-?%\})"
        r"|(?P<tag>\{%(?:(?!\n[ \t]*\n).)*?%\}|\{\{[<%](?:(?!\n[ \t]*\n).)*?[>%]\}\})",
        re.S,
    )
    _BOX_END = re.compile(r"\{%-?\s*end(\w+)")
    _NAME = re.compile(r"(?:\{%-?|\{\{[<%])\s*/?\s*([\w.-]+)")
    _ARGUMENT = re.compile(r"""(?:([\w-]+)\s*=\s*)?(?:"([^"]*)"|'([^']*)')""")
    _WORDY = frozenset({"alt", "title", "caption", "text", "label"})
    _PATH = re.compile(r"/|\.\w{2,5}$")
    _PICTURE = re.compile(r"\.(?:avif|gif|jpe?g|png|svg|webp)$", re.I)
    # Two characters of the last private plane, which no font or text uses.
    _MARK = re.compile("\U0010fffc([0-9]+)\U0010fffd")

    def __init__(self) -> None:
        self._sources: list[str] = []
        self._words: list[str] = []
        self._names: Counter[str] = Counter()
        self._boxes: frozenset[str] = frozenset()

    def hide(self, text: str) -> str:
        self._boxes = frozenset(self._BOX_END.findall(text))
        return self._SOURCE.sub(self._hidden, text)

    def restore(self, text: str) -> str:
        return self._MARK.sub(lambda match: self._entry(self._sources, match), text)

    def spell_out(self, rendered: str) -> str:
        return self._MARK.sub(lambda match: self._entry(self._words, match), rendered)

    def used(self) -> dict[str, int]:
        return dict(self._names)

    def _hidden(self, match: re.Match[str]) -> str:
        if match["comment"] is not None:
            return self._mark(match["comment"], "")
        if match["raw"] is not None:
            return self._mark(match["open"], "") + match["raw"] + self._mark(match["close"], "")
        source = match["tag"]
        name = self._NAME.match(source)
        self._names[name.group(1) if name else source] += 1
        words = html.escape(self._words_of(source))
        if words and self._is_set_apart(source, match):
            words = f"<br>{words}<br>"
        return self._mark(source, words)

    def _is_set_apart(self, source: str, match: re.Match[str]) -> bool:
        """Whether a picture or the opening of a box has a line to itself, so that its words do."""
        text, start, end = match.string, match.start(), match.end()
        line_end = text.find("\n", end)
        before = text[text.rfind("\n", 0, start) + 1 : start]
        after = text[end : line_end if line_end >= 0 else len(text)]
        name = self._NAME.match(source)
        is_box = name is not None and name.group(1) in self._boxes
        return (is_box or self._is_picture(source)) and not before.strip() and not after.strip()

    def _mark(self, source: str, words: str) -> str:
        self._sources.append(source)
        self._words.append(words)
        return f"\U0010fffc{len(self._sources) - 1}\U0010fffd"

    def _words_of(self, source: str) -> str:
        words: list[str] = [
            double or single
            for key, double, single in self._ARGUMENT.findall(source)
            if (key in self._WORDY or not key) and not self._PATH.search(double or single)
        ]
        if not words:
            return ""
        return words[-1 if self._is_picture(source) else 0]

    def _is_picture(self, source: str) -> bool:
        return any(
            self._PICTURE.search(double or single)
            for _key, double, single in self._ARGUMENT.findall(source)
        )

    @staticmethod
    def _entry(entries: Sequence[str], match: re.Match[str]) -> str:
        index = int(match.group(1))
        return entries[index] if index < len(entries) else match.group()
