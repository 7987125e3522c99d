"""A page of the app, run without a browser: opening it, and what it sent to one."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

MAIN = Path(__file__).parents[2] / "labeler" / "app" / "main.py"


def opened(
    page: str = "",
    *,
    assessor: str | None = None,
    user: Mapping[str, Any] | None = None,
    query: Mapping[str, str] | None = None,
) -> AppTest:
    """The page, or the first one, under a name that was given or for somebody signed in."""
    at = AppTest.from_file(str(MAIN), default_timeout=30)
    if assessor:
        at.session_state["assessor"] = assessor
    if user is not None:
        at.user = dict(user)
    for key, value in (query or {}).items():
        at.query_params[key] = value
    at.run()
    return at.switch_page(f"views/{page}.py").run() if page else at


def sent_all(at: AppTest, name: str) -> list[Any]:
    """The data that each component of a kind was given on the page."""
    protos = [element.proto for element in at.get("bidi_component")]
    return [
        json.loads(p.json or p.mixed.json) for p in protos if p.component_name == f"onecause_{name}"
    ]


def press(at: AppTest, name: str, number: str, /, **act: Any) -> Any:
    """Send an act as the browser does, and give what the component shows then."""
    at.session_state[name] = {"act": {**act, "press": number}}
    at.run()
    assert not at.exception
    return sent_all(at, name)[0]
