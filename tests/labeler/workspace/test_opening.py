"""Files under the name of a workspace file that are none, or not one for this version."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from evaluator import InputError
from labeler.workspace.connection import FILE
from labeler.workspace.workspace import Workspace
from tests.labeler.small import small_workspace


def changed(*statements: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as db, db:
            for statement in statements:
                db.execute(statement)

    return change


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def replaced(path: Path) -> None:
    path.unlink()
    changed("CREATE TABLE bookmarks (address TEXT)")(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (emptied, "holds no workspace: it is empty. Restore it from a copy."),
        (replaced, "holds no workspace: it is of another program. Restore it from a copy."),
        (
            changed("INSERT INTO _sqlite_migrations VALUES (99, 'onecause', 'later', '2030')"),
            "was made by a newer version of onecause. Update this one; nothing was changed.",
        ),
        (
            changed("DROP VIEW standing", "DROP TABLE decisions"),
            "is damaged: it has no decisions, standing. Restore it from a copy.",
        ),
    ],
)
def test_what_is_no_workspace_for_this_version_is_told_and_left_as_it_is(
    change: Callable[[Path], None], said: str, tmp_path: Path
) -> None:
    """It is refused before a single table is made in it."""
    workspace = small_workspace(tmp_path)
    workspace.close()
    file = workspace.path / FILE
    change(file)
    before = file.read_bytes()
    with pytest.raises(InputError) as refused:
        Workspace.open(workspace.path)
    assert f"{file} {said}" == str(refused.value)
    assert before == file.read_bytes()


def test_a_workspace_that_one_may_not_write_to_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite writes beside the file even to read it."""

    def closed(_: Path) -> None:
        error = sqlite3.OperationalError("attempt to write a readonly database")
        error.sqlite_errorcode = sqlite3.SQLITE_READONLY_DIRECTORY
        raise error

    small_workspace(tmp_path).close()
    monkeypatch.setattr("labeler.workspace.connection.connect", closed)
    with pytest.raises(InputError, match=r"cannot be used: attempt .*\. You must be allowed"):
        Workspace.open(tmp_path)
