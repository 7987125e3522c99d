"""
HTML -> title and sections of plain text.

The one reader of markup: Markdown is rendered to HTML and comes here too, so that a table
is the same text in both. What a person would read stays, block by block; scripts, styles,
hidden parts and what surrounds a page's main content go. Knows nothing of files.
"""

import re
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from labeler.corpus.outline import Outline, Section

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_NEVER_TEXT_NAMES = (
    "script style template noscript head title svg iframe object canvas audio video select datalist"
)
_BLOCK_NAMES = (
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset "
    "figcaption figure footer form header hgroup html legend li main menu nav ol p search "
    "section summary table tbody td tfoot th thead tr ul"
)
NEVER_TEXT = frozenset(_NEVER_TEXT_NAMES.split())
_BLOCKS = frozenset(_BLOCK_NAMES.split())
# A heading in a term or in the first cell speaks for what is beside it, and for no more.
_ENCLOSING = frozenset({"blockquote", "dl", "li", "tr"})
_MAIN = "main:not([hidden]), [role=main]:not([hidden])"
_SECTIONING = frozenset({"article", "aside", "main", "nav", "section"})
_PAGE_ROLES = frozenset({"banner", "contentinfo", "navigation", "search"})
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
# What a browser collapses, and the no-break space that &nbsp; stands for.
_BLANKS = re.compile("[ \t\n\r\f\xa0]+")


@dataclass(frozen=True, slots=True)
class Page:
    """What a reader of markup found in one document."""

    title: str
    first_heading: str
    sections: tuple[Section, ...]
    bare_headings: int
    lost_headings: tuple[str, ...]


def read_html(html: str, *, whole: bool = False) -> Page:
    """
    The page's title and its sections of plain text.

    Main content is the first `<main>` or `role="main"` without `hidden`, else the body. Left
    out are `nav` and the roles navigation, banner, contentinfo and search; a `header` or
    `footer` that is the page's own (not inside article, aside, main, nav or section); elements
    that are hidden (`hidden`, `aria-hidden="true"`, `display: none`, `visibility: hidden`); and
    what is never text. `whole=True` is for Markdown, whose author wrote all of it as content:
    only the hidden and the never-text go.

    One block is one paragraph, list, table, definition list or `pre`. White space
    collapses as in a browser except in `pre`; `&nbsp;` is a blank; `<br>` is a line break.
    A list, table or definition list that holds a heading is laid out as if it were a
    division, so that no heading ends up in a text. Raises RecursionError for documents
    nested some hundred levels deep.
    """
    tree = LexborHTMLParser(html)
    title = tree.css_first("head title")
    outline = Outline()
    root = tree.body if whole else tree.css_first(_MAIN) or tree.body
    if root is not None:
        walker = _Walker(outline, whole=whole)
        walker.read(root)
    return Page(
        title=_line(title.text()) if title is not None else "",
        first_heading=outline.first_heading(1),
        sections=outline.sections(),
        bare_headings=outline.bare_headings(),
        lost_headings=outline.lost_headings(),
    )


class _Flat(Outline):
    """The blocks of one list item, cell or heading: there is no outline inside these."""

    def heading(self, _level: int, text: str) -> None:
        self.add(text)

    def blocks(self) -> list[str]:
        return [block for section in self.sections() for block in section.blocks]


class _Walker:
    """One walk over a tree in document order, telling a sink of headings and blocks."""

    def __init__(self, sink: Outline, *, whole: bool, in_heading: bool = False) -> None:
        self._sink = sink
        self._whole = whole
        self._in_heading = in_heading
        self._sectioning = 0
        self._line: list[str] = []

    def read(self, root: LexborNode, *, itself: bool = False) -> None:
        self._sectioning += root.tag in _SECTIONING
        if itself:
            self._visit(root)
        else:
            self._children(root)
        self._end_block()

    def _children(self, node: LexborNode) -> None:
        for child in _children(node):
            self._visit(child)

    def _visit(self, node: LexborNode) -> None:
        if node.is_text_node:
            self._line.append(_BLANKS.sub(" ", node.text_content or ""))
            return
        tag = node.tag or ""
        if not node.is_element_node or self._left_out(node, tag):
            return
        if tag == "br":
            self._line.append("\n")
        elif tag == "img":
            self._line.append(_BLANKS.sub(" ", node.attributes.get("alt") or ""))
        elif tag in HEADINGS:
            self._end_block()
            text = " ".join(self._flat(node, in_heading=True))
            self._sink.heading(int(tag[1]), _line(text))
        elif tag in _WHOLE_BLOCKS and not _is_layout(node, tag):
            self._end_block()
            self._sink.add(_WHOLE_BLOCKS[tag](self, node))
        elif tag in _BLOCKS:
            self._container(node, tag)
        else:
            self._children(node)

    def _container(self, node: LexborNode, tag: str) -> None:
        self._end_block()
        self._sectioning += tag in _SECTIONING
        with self._sink.enclosed() if tag in _ENCLOSING else nullcontext():
            self._children(node)
            self._end_block()
        self._sectioning -= tag in _SECTIONING

    def _end_block(self) -> None:
        lines = "".join(self._line).split("\n")
        self._line.clear()
        stripped = [_BLANKS.sub(" ", line).strip(" ") for line in lines]
        self._sink.add("\n".join(line for line in stripped if line))

    def _left_out(self, node: LexborNode, tag: str) -> bool:
        if tag in NEVER_TEXT:
            return True
        attributes = node.attributes
        if (
            "hidden" in attributes
            or attributes.get("aria-hidden") == "true"
            or _UNSEEN.search(attributes.get("style") or "")
        ):
            return True
        if self._in_heading and tag == "a":
            # The permanent link that documentation tools hang on a heading: "¶", "#".
            return not any(character.isalnum() for character in node.text()) and not node.css("img")
        if self._whole:
            return False
        return (
            tag == "nav"
            or attributes.get("role") in _PAGE_ROLES
            or (tag in ("header", "footer") and not self._sectioning)
        )

    def _flat(
        self, node: LexborNode, *, itself: bool = False, in_heading: bool = False
    ) -> list[str]:
        """The blocks that the node holds, or (`itself`) those that it is."""
        flat = _Flat()
        inner = _Walker(flat, whole=self._whole, in_heading=in_heading or self._in_heading)
        inner._sectioning = self._sectioning
        inner.read(node, itself=itself)
        return flat.blocks()

    def _list(self, node: LexborNode) -> str:
        """One line per item, `- ` or `1. `, with what more the item holds indented below."""
        lines: list[str] = []
        number = _integer(node.attributes.get("start"), 1)
        for child in _children(node):
            if child.tag == "li":
                number = _integer(child.attributes.get("value"), number)
            if not child.is_element_node or self._left_out(child, child.tag or ""):
                continue
            if child.tag != "li":  # a list right inside a list belongs to the item before it
                lines += _indented("\n".join(self._flat(child, itself=True)))
                continue
            marker = f"{number}." if node.tag == "ol" else "-"
            number += 1
            first, *rest = "\n".join(self._flat(child)).split("\n")
            if first:
                lines += [f"{marker} {first}", *_indented("\n".join(rest))]
        return "\n".join(lines)

    def _table(self, node: LexborNode) -> str:
        """One line per row, cells joined by ` | `; a caption is the first line."""
        lines: list[str] = []
        for row in self._rows(node):
            if row.tag == "caption":
                lines.append(self._cell(row))
                continue
            cells = [
                self._cell(cell)
                for cell in _children(row)
                if cell.tag in ("td", "th") and not self._left_out(cell, cell.tag or "")
            ]
            lines.append(" | ".join(cells) if any(cells) else "")
        return "\n".join(line for line in lines if line)

    def _rows(self, node: LexborNode) -> Iterator[LexborNode]:
        for child in _children(node):
            if not child.is_element_node or self._left_out(child, child.tag or ""):
                continue
            if child.tag in ("tr", "caption"):
                yield child
            else:
                yield from self._rows(child)

    def _cell(self, node: LexborNode) -> str:
        return _line(" ".join(self._flat(node)))

    def _definitions(self, node: LexborNode) -> str:
        """Terms as lines, what they mean indented below them."""
        lines: list[str] = []
        for child in _children(node):
            if not child.is_element_node or self._left_out(child, child.tag or ""):
                continue
            if child.tag == "div":
                lines.append(self._definitions(child))
            elif child.tag == "dd":
                lines += _indented("\n".join(self._flat(child)))
            else:
                lines += self._flat(child)
        return "\n".join(line for line in lines if line)

    def _verbatim(self, node: LexborNode) -> str:
        """The text with its line breaks and indentation as they are."""
        return "".join(_verbatim_parts(node)).strip("\n")


_WHOLE_BLOCKS = {
    "ul": _Walker._list,
    "ol": _Walker._list,
    "menu": _Walker._list,
    "table": _Walker._table,
    "dl": _Walker._definitions,
    "pre": _Walker._verbatim,
}


def _is_layout(node: LexborNode, tag: str) -> bool:
    """Whether the element only arranges a part of the page, and is no list or table of its own."""
    if tag == "pre":
        return False
    selector = "h1, h2, h3, h4, h5, h6" + (", table, pre" if tag == "table" else "")
    # The search begins at the node itself, so a table finds at least one table.
    return any(found.mem_id != node.mem_id for found in node.css(selector))


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def _verbatim_parts(node: LexborNode) -> Iterator[str]:
    for child in _children(node):
        if child.is_text_node:
            yield child.text_content or ""
        elif child.tag == "br":
            yield "\n"
        elif child.tag not in NEVER_TEXT:
            yield from _verbatim_parts(child)


def _indented(text: str) -> list[str]:
    return [f"  {line}" if line else line for line in text.split("\n")] if text else []


def _line(text: str) -> str:
    return _BLANKS.sub(" ", text).strip(" ")


def _integer(text: str | None, default: int) -> int:
    try:
        return int(text or "")
    except ValueError:
        return default
