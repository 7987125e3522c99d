"""The app's pages, opened without a browser."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from labeler.workspace.workspace import Workspace
from tests.browser.materials import NOW

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest


@pytest.fixture
def on_this_machine() -> Iterator[None]:
    """What the configuration beside the app sets; without a server nobody reads it."""
    from streamlit import config

    config.set_option("server.address", "localhost")
    yield
    config.set_option("server.address", None)


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch) -> Callable[..., "AppTest"]:
    """Opens a page of a workspace as somebody whose name is known."""
    from tests.labeler.app_pages import opened

    def open_page(
        workspace: Workspace, page: str = "", *, assessor: str | None = "Ana", **query: str
    ) -> "AppTest":
        monkeypatch.setenv("ONECAUSE_WORK", str(workspace.path))
        if assessor:
            workspace.people.add_assessor(assessor, now=NOW)
        return opened(page, assessor=assessor, query=query)

    return open_page
