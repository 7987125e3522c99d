"""
The components of the pages: their HTML, CSS and JavaScript, read from files.

They are handed to Streamlit as text, not as an asset folder, so that they work from a
clone, a wheel and an editable install alike. Files are put one after the other into
one module. Texts that are not ours reach a component as data only, never as markup.
"""

from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

import streamlit as st

from evaluator.text.messages import counted

Payload = dict[str, Any]
SheetBlock = dict[str, Any]
_ASSETS = files("labeler.app") / "assets"


def _text(*names: str) -> str:
    return "\n".join((_ASSETS / name).read_text(encoding="utf-8") for name in names)


def _script(*names: str) -> str:
    """Several scripts as one module, without indentation and comments: they travel often."""
    lines = [line.strip() for line in _text(*names).splitlines()]
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _ignore() -> None:
    """A state is only sent if something listens to it; what it says is read in the page."""


_desk = st.components.v2.component(
    "onecause_desk",
    html=_text("desk/desk.html"),
    css=_text(
        "tokens.css",
        *(f"desk/{name}.css" for name in ("bar", "cards", "guide", "narrow", "finder")),
    ),
    js=_script(
        "plain.js",
        *(f"desk/{name}.js" for name in ("line", "clock", "marking", "outbox", "parts", "guide")),
        *(f"desk/{name}.js" for name in ("desk", "paint", "finder", "input", "mount")),
    ),
)
_wire = st.components.v2.component("onecause_wire", js=_script("desk/wire.js"))
_line = st.components.v2.component("onecause_search", js=_script("desk/wire.js"))
_target = st.components.v2.component("onecause_target", js=_script("plain.js", "target.js"))


def _box(name: str, *, tag: str = "div", css: Sequence[str] = (), js: Sequence[str] = ()) -> Any:
    """A component that fills one element of its own name, with its own CSS and JavaScript."""
    return st.components.v2.component(
        f"onecause_{name}",
        html=f'<{tag} class="{name}" lang="en"></{tag}>',
        css=_text("tokens.css", *css, f"{name}.css"),
        js=_script("plain.js", *js, f"{name}.js"),
    )


_sheet = _box("sheet")
_boxes = {
    "agenda": _box("agenda"),
    "chooser": _box("chooser"),
    "who": _box("who", tag="p"),
    "decide": _box("decide", css=("desk/cards.css", "desk/narrow.css"), js=("desk/parts.js",)),
    "flips": _box("flips", js=("desk/parts.js",)),
}


def desk(data: Payload, *, key: str) -> None:
    """The judging desk. What happens on it comes in through the wire."""
    _desk(key=key, data=data)


def sent(key: str) -> tuple[Any, Any]:
    """What came over a wire with this run: the desk's open events, and its wish to go on."""
    state = st.session_state.get(key) or {}
    return state.get("outbox"), state.get("next")


def wire(answer: Payload, *, key: str) -> tuple[Any, Any]:
    """Bring an answer to the desk. Gives what `sent` gives, and knows it a run earlier."""
    result = _wire(
        key=key,
        data=answer,
        default={"outbox": None, "next": None},
        on_outbox_change=_ignore,
        on_next_change=_ignore,
    )
    return result.outbox, result.next


def search_line(answer: Payload, *, key: str) -> Any:
    """Bring an answer to the desk's search box. Gives its open message."""
    result = _line(key=key, data=answer, default={"search": None}, on_search_change=_ignore)
    return result.search


def show(name: str, data: Payload) -> Any:
    """One of the boxes. Gives the last act on it, which stays after it was acted upon."""
    return _boxes[name](key=name, data=data, default={"act": None}, on_act_change=_ignore).act


def ask(name: str, data: Payload) -> Payload | None:
    """One of the boxes, and what is done on it: each act once."""
    return _once(name, show(name, data))


def asked(name: str) -> Payload | None:
    """The same before the page is made: the act that came from a box with this run, once."""
    return _once(name, (st.session_state.get(name) or {}).get("act"))


def remember_target() -> None:
    """Keep the address through a sign-in, which leads to the first page; the queue goes on."""
    _target(key="target")


def sheet(*blocks: SheetBlock, key: str) -> None:
    """Facts, tables and checks, one below the other."""
    _sheet(key=key, data=list(blocks))


def numbers(*rows: tuple[str, str]) -> SheetBlock:
    """Rows of (what is counted, the number), in large figures side by side."""
    return {"kind": "numbers", "rows": [list(row) for row in rows]}


def tally(number: int, noun: str, *, many: str | None = None) -> tuple[str, str]:
    """A row of `numbers` for so many of a thing: what is counted stands as its number wants it."""
    figure, counts = counted(number, noun, many=many).split(" ", 1)
    return counts, figure


def facts(*rows: tuple[str, str]) -> SheetBlock:
    return {"kind": "facts", "rows": [list(row) for row in rows]}


def notes(*texts: str) -> SheetBlock:
    """Sentences on how numbers were made, in small print."""
    return {"kind": "notes", "rows": list(texts)}


def written(text: str) -> SheetBlock:
    """A text of the owner in plain Markdown: its headings, lists and paragraphs, nothing else."""
    return {"kind": "written", "text": text}


def table(label: str, columns: Sequence[str], rows: Iterable[Iterable[str]]) -> SheetBlock:
    """A table. A column whose name ends in ">" holds numbers and is set to the right."""
    named = [{"name": name.rstrip(">"), "numeric": name.endswith(">")} for name in columns]
    return {"kind": "table", "label": label, "columns": named, "rows": [list(r) for r in rows]}


def checks(rows: Sequence[tuple[str, str, str]]) -> SheetBlock:
    """Rows of (good, care or stop; what was found; more about it)."""
    return {
        "kind": "checks",
        "rows": [{"mark": mark, "text": text, "detail": detail} for mark, text, detail in rows],
    }


def _once(name: str, act: Any) -> Payload | None:
    """The act, unless the number of its press says that it was acted upon."""
    if not isinstance(act, dict) or st.session_state.get(f"pressed-{name}") == act.get("press"):
        return None
    st.session_state[f"pressed-{name}"] = act.get("press")
    return act
