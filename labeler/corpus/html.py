"""
HTML -> title and sections of plain text.

The one reader of markup: Markdown is rendered to HTML and comes here too, so that a table
is the same text in both. What a person would read stays, block by block; scripts, styles,
hidden parts and what surrounds a page's main content go. Knows nothing of files.
"""

import re
from collections import Counter
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
_ENCLOSING = frozenset(
    {"article", "aside", "blockquote", "details", "dialog", "dl", "figure", "li", "section", "tr"}
)
_STRUCK = frozenset({"del", "s", "strike"})
# Classes of what stands beside code and pictures for the hand and not for the reader.
_LINE_NUMBERS = re.compile(r"(?:^|[\s_-])(?:linenos?|linenum(?:ber)?s?|line-numbers?|gutter|ln-n)")
_ICONS = re.compile(r"(?:^|\s)(?:material-(?:icons|symbols)|icon(?:-\w+)?|fa[brs]?)(?:$|[\s-])")
_COPY = re.compile(r"(?:^|[\s_-])(?:copy|clipboard)", re.IGNORECASE)
STRUCK, HIDDEN, HANDLES = "struck text", "hidden parts", "line numbers and copy buttons"
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
    left_out: Counter[str]


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
    left_out: Counter[str] = Counter()
    root = tree.body if whole else tree.css_first(_MAIN) or tree.body
    if root is not None:
        walker = _Walker(outline, left_out, whole=whole)
        walker.read(root)
    return Page(
        title=_line(title.text()) if title is not None else "",
        first_heading=outline.first_heading(1),
        sections=outline.sections(),
        bare_headings=outline.bare_headings(),
        lost_headings=outline.lost_headings(),
        left_out=left_out,
    )


class _Flat(Outline):
    """The blocks of one list item, cell or heading: there is no outline inside these."""

    def heading(self, _level: int, text: str) -> None:
        self.add(text)

    def blocks(self) -> list[str]:
        return [block for section in self.sections() for block in section.blocks]


class _Walker:
    """One walk over a tree in document order, telling a sink of headings and blocks."""

    def __init__(
        self, sink: Outline, met: Counter[str], *, whole: bool, in_heading: bool = False
    ) -> None:
        self._sink = sink
        self._met = met
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
        if not node.is_element_node:
            self._met["comments"] += node.tag == "-comment"
            return
        if self._left_out(node, tag):
            return
        if tag == "br":
            self._line.append("\n")
        elif tag == "img" and not (self._in_heading and node.parent and node.parent.text().strip()):
            self._line.append(_BLANKS.sub(" ", node.attributes.get("alt") or ""))
        elif tag in ("sup", "msup"):
            self._raised(node)
        elif tag == "mfrac":
            above, below = [" ".join(self._flat(each)) for each in _elements(node)[:2]] or ("", "")
            self._line.append(f"({above})/({below})")
        elif level := _heading_level(node, tag):
            self._end_block()
            text = " ".join(self._flat(node, in_heading=True))
            self._sink.heading(level, _line(text))
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

    def _raised(self, node: LexborNode) -> None:
        """What stands higher: behind a digit with a sign, since 10 to the 6 is not 106."""
        if node.tag == "msup":
            base, *exponents = _elements(node)
            self._visit(base)
            text = " ".join(line for each in exponents for line in self._flat(each))
        else:
            text = " ".join(self._flat(node))
        before = "".join(self._line[-2:])[-1:]
        is_power = text and (before.isdigit() or before in ")]" or node.tag == "msup")
        simple = text.lstrip("+-−").isalnum()
        self._line.append(f"^{text}" if is_power and simple else f"^({text})" if is_power else text)

    def _end_block(self) -> None:
        lines = "".join(self._line).split("\n")
        self._line.clear()
        stripped = [_BLANKS.sub(" ", line).strip(" ") for line in lines]
        self._sink.add("\n".join(line for line in stripped if line))

    def _left_out(self, node: LexborNode, tag: str) -> bool:
        if tag in NEVER_TEXT or tag in ("annotation", "annotation-xml"):
            return True
        attributes = node.attributes
        classes = attributes.get("class") or ""
        if kind := _unseen(node, tag, classes):
            self._met[kind] += 1
            return True
        if self._in_heading and tag in ("i", "span") and _ICONS.search(classes):
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
        heading = in_heading or self._in_heading
        inner = _Walker(flat, self._met, whole=self._whole, in_heading=heading)
        inner._sectioning = self._sectioning
        inner.read(node, itself=itself)
        return flat.blocks()

    def _list(self, node: LexborNode) -> str:
        """One line per item, `- ` or `1. `, with what more the item holds indented below."""
        lines: list[str] = []
        items = sum(child.tag == "li" for child in _children(node))
        first = items if "reversed" in node.attributes else 1
        number = _integer(node.attributes.get("start"), first)
        for child in _children(node):
            if child.tag == "li":
                number = _integer(child.attributes.get("value"), number)
            if not child.is_element_node or self._left_out(child, child.tag or ""):
                continue
            if child.tag != "li":  # a list right inside a list belongs to the item before it
                lines += _indented("\n".join(self._flat(child, itself=True)))
                continue
            marker = _marker(number, node.attributes.get("type")) if node.tag == "ol" else "-"
            number += -1 if "reversed" in node.attributes else 1
            said, *rest = "\n".join(self._flat(child)).split("\n")
            if said:
                lines += [f"{marker} {said}", *_indented("\n".join(rest))]
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


def _elements(node: LexborNode) -> list[LexborNode]:
    return [child for child in _children(node) if child.is_element_node]


def _heading_level(node: LexborNode, tag: str) -> int:
    """The level of a heading by its tag or by its role; 0 for what is none."""
    if tag in HEADINGS:
        return int(tag[1])
    if node.attributes.get("role") != "heading":
        return 0
    return min(max(_integer(node.attributes.get("aria-level"), 2), 1), 6)


def _unseen(node: LexborNode, tag: str, classes: str) -> str | None:
    """As what an element is left out that the page strikes out, hides, or has for the hand."""
    attributes = node.attributes
    if tag in _STRUCK:
        return STRUCK
    if _LINE_NUMBERS.search(classes) or (tag == "button" and _is_copy(node, classes)):
        return HANDLES
    hidden = (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _UNSEEN.search(attributes.get("style") or "")
        or (tag == "dialog" and "open" not in attributes)
    )
    return HIDDEN if hidden else None


def _is_copy(button: LexborNode, classes: str) -> bool:
    label = button.attributes.get("aria-label") or button.attributes.get("title") or button.text()
    return bool(_COPY.search(classes) or _COPY.match(label.strip()))


def _marker(number: int, kind: str | None) -> str:
    """The number of a list's item as the page shows it: 3., c., C., iii. or III."""
    if kind in ("a", "A") and 1 <= number <= 26:
        letter = chr(ord("a") + number - 1)
        return f"{letter if kind == 'a' else letter.upper()}."
    if kind in ("i", "I") and 1 <= number < 40:
        roman = "x" * (number // 10)
        roman += ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")[number % 10]
        return f"{roman if kind == 'i' else roman.upper()}."
    return f"{number}."


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
