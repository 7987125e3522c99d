"""
What site generators write into Markdown that Markdown does not know -> Markdown.

Boxes, tabs, directives, components' imports, comments, attributes and definitions of MkDocs,
Docusaurus, MyST, kramdown, GitHub and MDX. What a reader of the site sees stays, with a heading
in a box ending with its box; what no reader sees goes and is counted. Code stays as it is.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})(?P<info>.*)")
_DIRECTIVE = re.compile(r"\{(?P<name>[\w:.-]+)\}\s*(?P<title>.*)")
_CODE_NAMES = (
    "code code-block code-cell sourcecode literalinclude mermaid math raw eval-rst csv-table "
    "graphviz plantuml prompt highlight doctest testcode parsed-literal"
)
_CODE = frozenset(_CODE_NAMES.split())
_NO_TEXT = frozenset({"toctree", "contents", "index", "include", "tableofcontents", "only"})
_BOX = re.compile(r'(?P<indent> *)(?:!!!|\?\?\?\+?)\s+[\w -]+?(?:\s+"(?P<title>[^"]*)")?\s*')
_TAB = re.compile(r'(?P<indent> *)===[+!]*\s+"(?P<title>[^"]*)"\s*')
_COLONS = re.compile(
    r" {0,3}:{3,}\s*(?:\{(?P<directive>[\w:.-]+)\}|(?P<name>[A-Za-z][\w-]*))"
    r"\s*(?:\[(?P<label>[^\]]*)\])?\s*(?P<title>[^{]*?)\s*(?:\{.*\})?\s*"
)
_COLONS_END = re.compile(r" {0,3}:{3,}\s*")
_OPTION = re.compile(r":[\w-]+:.*")
_IMPORT = re.compile(r"import\s.*(?:from\s+)?['\"][^'\"]+['\"];?\s*|import\s*\{\s*")
_EXPORT = re.compile(r"export\s+(?:default|const|let|var|function|class|async|\{|\*).*")
_SNIPPET = re.compile(r"\s*-{2,}8<-{2,}.*|\s*;-{2,}8<-{2,}.*")
_LABEL = re.compile(r"\([\w:.-]+\)=\s*")
_ABBREVIATION = re.compile(r"\*\[[^\]]+\]:.*")
_PERCENT = re.compile(r"%(?:\s.*)?")
_ALERT = re.compile(r"(?P<quote>\s{0,3}>\s*)\[!\w+\][+-]?\s*")
# A span of code, which stays as it is, or what no reader sees.
_CODE_SPAN = r"(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))|"
_COMMENTS = re.compile(_CODE_SPAN + r"\{/\*.*?\*/\}|\{::comment\}.*?\{:/(?:comment)?\}", re.DOTALL)
_TAGS_OF_KRAMDOWN = re.compile(_CODE_SPAN + r"\{::[a-z_]+[^{}]*/?\}|\{:/[a-z]*\}", re.DOTALL)
_ROLE = re.compile(r"(?<![`\w])\{[\w:.+-]+\}(?=`[^`])")
_CELLS = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?")
_TITLED = re.compile(r"<(?:Tab|TabItem|Card|Accordion|Step|Expandable)\b[^<>]*?/?>")
_TITLE = re.compile(r"\b(?:label|title)=(?:\"([^\"]*)\"|'([^']*)'|\{[\"'`]([^\"'`]*)[\"'`]\})")
BOXES, TABS, SCRIPTS = "boxes", "tabs", "lines of imports and exports"
COMMENTS, DIRECTIVES = "comments", "directives without text"


def plain_markdown(text: str) -> tuple[str, Counter[str]]:
    """The same page without what Markdown does not know, and how often each kind was met."""
    met: Counter[str] = Counter()
    is_myst = bool(re.search(r"^(?:`{3,}|:{3,})\{|^\([\w:.-]+\)=\s*$", text, re.MULTILINE))
    lines = _outside_code(
        text.split("\n"), lambda part: _without_comments(part, met, is_myst=is_myst)
    )
    return "\n".join(_Reader(lines, met, is_myst=is_myst).read()), met


def _outside_code(lines: Sequence[str], change: Callable[[str], str]) -> list[str]:
    """The lines, those between fences as they are and the others changed a run at a time."""
    kept: list[str] = []
    at = 0
    while at < len(lines):
        opening = next((n for n in range(at, len(lines)) if _FENCE.match(lines[n])), len(lines))
        if opening > at:
            kept += change("\n".join(lines[at:opening])).split("\n")
        found = _FENCE.match(lines[opening]) if opening < len(lines) else None
        at = _fence_end(lines, opening, found["marks"]) + 1 if found else opening
        kept += lines[opening:at]
    return kept


def _without_comments(text: str, met: Counter[str], *, is_myst: bool) -> str:
    def nothing(found: re.Match[str]) -> str:
        met[COMMENTS] += found["code"] is None
        return found["code"] or ""

    text = _COMMENTS.sub(nothing, text)
    text = _TAGS_OF_KRAMDOWN.sub(lambda found: found["code"] or "", text)
    text = _TITLED.sub(_with_title, text)
    return _ROLE.sub("", text) if is_myst else text


def _with_title(tag: re.Match[str]) -> str:
    """A component's tag, with the title that the site prints for it behind it."""
    title = _TITLE.search(tag[0])
    words = next(filter(None, title.groups()), "") if title else ""
    return f"{tag[0]}\n\n{words}\n\n" if words else tag[0]


class _Reader:
    """Reads the lines of one page, or of one box in it, a construct at a time."""

    def __init__(self, lines: Sequence[str], met: Counter[str], *, is_myst: bool) -> None:
        self._lines, self._met, self._is_myst = lines, met, is_myst

    def read(self) -> Iterator[str]:
        at = 0
        while at < len(self._lines):
            for construct in (self._fence, self._box, self._colons, self._unseen):
                if found := construct(at):
                    at, lines = found
                    yield from lines
                    break
            else:
                yield _whole_row(self._lines, at)
                at += 1

    def _inside(self, title: str, lines: Sequence[str]) -> list[str]:
        """A box as an element that ends what begins in it, with its title as a paragraph."""
        inner = _Reader(lines, self._met, is_myst=self._is_myst).read()
        return ["", "<aside>", "", title, "", *inner, "", "</aside>", ""]

    def _fence(self, at: int) -> tuple[int, list[str]] | None:
        """Code as it is, and a directive that holds text as a box."""
        found = _FENCE.match(self._lines[at])
        if found is None:
            return None
        end = _fence_end(self._lines, at, found["marks"])
        inside, closing = list(self._lines[at + 1 : end]), self._lines[end : end + 1]
        directive = _DIRECTIVE.fullmatch(found["info"].strip())
        if directive is None:
            return end + 1, [self._lines[at], *inside, *closing]
        if directive["name"] in _CODE:
            return end + 1, [self._lines[at], *_without_options(inside), *closing]
        if directive["name"] in _NO_TEXT:
            self._met[DIRECTIVES] += 1
            return end + 1, []
        self._met[BOXES] += 1
        return end + 1, self._inside(directive["title"], _without_options(inside))

    def _box(self, at: int) -> tuple[int, list[str]] | None:
        """A box or tab whose text is indented below its line."""
        line = self._lines[at]
        found = _BOX.fullmatch(line) or _TAB.fullmatch(line)
        if found is None:
            return None
        end, inside = _indented(self._lines, at + 1, len(found["indent"]) + 4)
        if not any(each.strip() for each in inside):
            return None
        self._met[TABS if "===" in line else BOXES] += 1
        return end, self._inside(found["title"] or "", inside)

    def _colons(self, at: int) -> tuple[int, list[str]] | None:
        """A box between lines of colons."""
        found = _COLONS.fullmatch(self._lines[at])
        end = _colons_end(self._lines, at) if found else 0
        if found is None or not end:
            return None
        self._met[BOXES] += 1
        inside = _without_options(self._lines[at + 1 : end])
        return end + 1, self._inside(found["label"] or found["title"] or "", inside)

    def _unseen(self, at: int) -> tuple[int, list[str]] | None:
        """Lines that no reader of the site sees."""
        line, end = self._lines[at], at
        if (_IMPORT.fullmatch(line) or _EXPORT.fullmatch(line)) and (
            at == 0 or not self._lines[at - 1].strip()
        ):
            while end < len(self._lines) and self._lines[end].strip():
                end += 1
            self._met[SCRIPTS] += end - at
            return end, []
        if self._is_myst and (_PERCENT.fullmatch(line) or _LABEL.fullmatch(line)):
            self._met[COMMENTS] += line.startswith("%")
            return at + 1, []
        if _SNIPPET.fullmatch(line) or _ABBREVIATION.fullmatch(line):
            self._met[DIRECTIVES] += 1
            return at + 1, []
        if found := _ALERT.fullmatch(line):
            self._met[BOXES] += 1
            return at + 1, [found["quote"].rstrip()]
        return None


def _fence_end(lines: Sequence[str], at: int, marks: str) -> int:
    """The line of the fence's end, or the number of lines where it is never closed."""
    for end in range(at + 1, len(lines)):
        found = _FENCE.match(lines[end])
        if found and found["marks"].startswith(marks) and not found["info"].strip():
            return end
    return len(lines)


def _colons_end(lines: Sequence[str], at: int) -> int:
    """The line that closes a box of colons, 0 where none does; boxes may hold others."""
    depth = 0
    for end in range(at, len(lines)):
        if _COLONS_END.fullmatch(lines[end]):
            depth -= 1
            if not depth:
                return end
        elif _COLONS.fullmatch(lines[end]):
            depth += 1
    return 0


def _indented(lines: Sequence[str], at: int, width: int) -> tuple[int, list[str]]:
    """The lines from there that are indented so far, without that, and where they end."""
    end = at
    while end < len(lines) and (not lines[end].strip() or lines[end][:width].isspace()):
        end += 1
    return end, [line[width:] for line in lines[at:end]]


def _without_options(lines: Sequence[str]) -> list[str]:
    """The lines of a directive without the options above its text."""
    kept = list(lines)
    while kept and (_OPTION.fullmatch(kept[0]) or not kept[0].strip()):
        kept.pop(0)
    return kept


def _whole_row(lines: Sequence[str], at: int) -> str:
    """The line; the delimiter row of a table with the cells that its header has more."""
    line = lines[at]
    if not at or "|" not in lines[at - 1] or not _CELLS.fullmatch(line):
        return line
    wanted, there = (each.strip().strip("|").count("|") for each in (lines[at - 1], line))
    row = re.sub("-+", "---", line.strip())  # "- | -" would begin a list
    return row.rstrip("|") + "|---" * (wanted - there) if there < wanted else row
