"""Small workspaces, and the app's pages, opened without a browser."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from labeler.workspace.records import Role
from labeler.workspace.workspace import Workspace
from tests.browser.materials import NOW
from tests.labeler.small import pooled_workspace, small_workspace

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest


@pytest.fixture
def empty(tmp_path: Path) -> Workspace:
    return small_workspace(tmp_path)


@pytest.fixture
def pooled(tmp_path: Path) -> Workspace:
    return pooled_workspace(tmp_path)


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., "AppTest"]]:
    """
    Opens a page of a workspace as somebody whose name is known.

    With an address, it is somebody signed in: Ana may judge, and Olga may freeze.
    """
    from streamlit import config

    from tests.labeler.app_pages import opened

    def open_page(
        workspace: Workspace,
        page: str = "",
        *,
        assessor: str | None = "Ana",
        user: Mapping[str, Any] | None = None,
        way: str = "proxy",
        **query: str,
    ) -> "AppTest":
        monkeypatch.setenv("ONECAUSE_WORK", str(workspace.path))
        if user is not None:
            monkeypatch.setenv("ONECAUSE_SIGN_IN", way)
            workspace.people.set_role(Role("Ana", True, False, "ana@example.org"), now=NOW)
            workspace.people.set_role(Role("Olga", False, True, "Olga@example.org"), now=NOW)
            return opened(page, user=user, query=query)
        if assessor:
            workspace.people.add_assessor(assessor, now=NOW)
        return opened(page, assessor=assessor, query=query)

    # What the configuration beside the app sets; without a server nobody reads it.
    config.set_option("server.address", "localhost")
    yield open_page
    config.set_option("server.address", None)
