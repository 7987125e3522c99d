"""What git says of a file, from repositories that are not trusted."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from evaluator.order.git_commits import file_history

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
FIRST, LATER = "2026-12-01T10:00:00+02:00", "2026-12-03T12:00:00+00:00"


def git(folder: Path, *words: str, at: str = FIRST, authored: str | None = None) -> str:
    given = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    dates = {"GIT_COMMITTER_DATE": at, "GIT_AUTHOR_DATE": authored or at}
    safe = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    done = subprocess.run(
        ["git", *who, "-C", str(folder), *words],
        env=given | dates | safe,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def commit(folder: Path, message: str = "One", **dates: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--no-verify", "-m", message, **dates)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit that holds `set/manifest.json`."""
    folder = tmp_path / "repository"
    (folder / "set").mkdir(parents=True)
    git(folder.parent, "init", "-q", "-b", "main", str(folder))
    (folder / "set/manifest.json").write_text("{}\n")
    commit(folder)
    return folder


def test_the_earliest_commit_with_these_bytes_is_found(repository: Path) -> None:
    """With both dates in UTC, though later commits hold the file too, and under other names."""
    git(repository, "mv", "set", "moved")
    (repository / "other.txt").write_text("x")
    commit(repository, "Two", at=LATER)
    found = file_history(repository / "moved/manifest.json")
    assert found.first is not None
    assert "2026-12-01T08:00:00Z" == found.first.committed_at == found.first.authored_at
    assert (True, False, ()) == (found.first.in_branch, found.first.signed, found.first.remotes)
    assert found.as_committed
    assert "a claim of the committer" in found.text()


@pytest.mark.parametrize("at", ["99999999999999 +0000", "-5 +0000", "1 +9999", "never"])
def test_a_date_that_is_none_is_counted_and_not_believed(repository: Path, at: str) -> None:
    """Whoever writes a commit writes its date, in numbers that are no moment too."""
    whole = git(repository, "cat-file", "commit", "HEAD")
    lines = [
        f"{line.partition('>')[0]}> {at}" if line.startswith("committer ") else line
        for line in whole.split("\n")
    ]
    (repository.parent / "commit").write_text("\n".join(lines) + "\n")
    words = ("hash-object", "-t", "commit", "-w", "--literally", str(repository.parent / "commit"))
    git(repository, "update-ref", "refs/heads/main", git(repository, *words))
    found = file_history(repository / "set/manifest.json")
    assert (None, True) == (found.first, found.as_committed)
    assert "commits with these bytes and no date that can be read: 1" in found.text()


def test_a_rebase_moves_only_one_of_the_dates(repository: Path) -> None:
    """Both are stated."""
    (repository / "new.txt").write_text("new")
    commit(repository, "Two", at=LATER, authored=FIRST)
    found = file_history(repository / "new.txt").first
    assert found is not None
    assert "2026-12-01T08:00:00Z" == found.earliest_at
    assert "committed 2026-12-03T12:00:00Z, authored 2026-12-01T08:00:00Z" in found.text()


def test_other_bytes_have_another_first_commit(repository: Path) -> None:
    """The file's name is older than its bytes; what is not committed is said to be so."""
    path = repository / "set/manifest.json"
    path.write_text('{"a": 1}\n')
    found = file_history(path)
    assert (None, False) == (found.first, found.as_committed)
    assert "no commit holds these bytes" == found.text()
    commit(repository, "Two", at=LATER)
    found = file_history(path)
    assert found.first is not None
    assert found.first_of_path is not None
    assert ("2026-12-03", "2026-12-01") == (
        found.first.committed_at[:10],
        found.first_of_path.committed_at[:10],
    )


@pytest.mark.parametrize("held", ["other line ends", "a pointer", "a pointer to other line ends"])
def test_a_file_is_found_in_the_form_that_git_holds(repository: Path, held: str) -> None:
    """As text that a checkout converted, or under Git LFS; it is the file all the same."""
    path, text = repository / "h.jsonl", b"one\ntwo\n"
    other = text.replace(b"\n", b"\r\n")
    stored = other if "line ends" in held else text
    if "pointer" in held:
        digest, size = hashlib.sha256(stored).hexdigest(), len(stored)
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {size}\n"
        stored = pointer.encode()
    path.write_bytes(stored)
    commit(repository, "Two", at=LATER)
    path.write_bytes(text)
    found = file_history(path)
    assert found.first is not None
    assert ("2026-12-03T12:00:00Z", True) == (found.first.committed_at, found.as_committed)
    assert found.first == found.first_of_path


def test_a_commit_on_another_branch_is_found_and_marked(repository: Path) -> None:
    """It holds the bytes all the same."""
    git(repository, "checkout", "-q", "-b", "side")
    (repository / "side.txt").write_text("side")
    commit(repository, "Side")
    git(repository, "checkout", "-q", "main")
    (repository / "side.txt").write_text("side")
    found = file_history(repository / "side.txt")
    assert found.first is not None
    assert (False, False) == (found.first.in_branch, found.as_committed)
    assert "not in the current branch" in found.text()


def test_a_pushed_commit_names_the_branch_that_holds_it(repository: Path, tmp_path: Path) -> None:
    """As far as this copy knows."""
    git(tmp_path, "clone", "-q", str(repository), "clone")
    found = file_history(tmp_path / "clone/set/manifest.json").first
    assert found is not None
    assert "origin/main" in found.remotes
    assert "a claim" not in found.text()


def sign(repository: Path) -> None:
    """Put a commit that carries a made-up signature in the place of the current one."""
    tree = git(repository, "rev-parse", "HEAD^{tree}")
    raw = (
        f"tree {tree}\nauthor A <a> 1764500000 +0000\ncommitter A <a> 1764500000 +0000\n"
        "gpgsig -----BEGIN PGP SIGNATURE-----\n made up\n -----END PGP SIGNATURE-----\n\nOne\n"
    )
    made = subprocess.run(
        ["git", "-C", str(repository), "hash-object", "-t", "commit", "-w", "--stdin"],
        input=raw.encode(),
        capture_output=True,
        check=True,
    )
    git(repository, "reset", "-q", "--hard", made.stdout.decode().strip())


def test_a_signature_is_seen_and_not_checked(repository: Path) -> None:
    """No signature program is run."""
    sign(repository)
    found = file_history(repository / "set/manifest.json").first
    assert found is not None
    assert found.signed
    assert "signed (signature not checked)" in found.text()


def test_a_shallow_clone_says_that_it_is_one(repository: Path, tmp_path: Path) -> None:
    """Its first commit need not be the first."""
    (repository / "other.txt").write_text("x")
    commit(repository, "Two", at=LATER)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", "clone")
    found = file_history(tmp_path / "clone/set/manifest.json")
    assert "a shallow clone: earlier commits are not here" in found.text()


def test_where_there_is_no_repository_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor a first commit, nor git itself: none of it is an error."""
    (tmp_path / "a.txt").write_text("a")
    assert "it lies in no git work tree" == file_history(tmp_path / "a.txt").text()
    git(tmp_path, "init", "-q", str(tmp_path))
    assert "its git repository has no commit yet" == file_history(tmp_path / "a.txt").text()
    monkeypatch.setenv("PATH", "")
    assert "git is not installed here" in file_history(tmp_path / "a.txt").text()


def test_nothing_that_a_repository_names_is_run(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither hooks, pager, filters, textconv, monitors, signature programs nor aliases."""
    sign(repository)
    ran = repository.parent / "ran"
    trap = repository.parent / "trap.sh"
    trap.write_text(f"#!/bin/sh\necho $0 $@ >> {ran}\ncat\n")
    trap.chmod(0o755)
    for key in (
        *("core.pager", "core.fsmonitor", "core.editor", "core.sshCommand", "core.askPass"),
        *("diff.external", "diff.x.textconv", "diff.x.command", "gpg.program", "gpg.ssh.program"),
        *("filter.x.clean", "filter.x.smudge", "filter.x.process", "alias.log", "pager.log"),
        *("credential.helper", "core.alternateRefsCommand"),
    ):
        git(repository, "config", key, str(trap))
    git(repository, "config", "log.showSignature", "true")
    git(repository, "config", "core.hooksPath", str(repository.parent))
    (repository / ".git/info/attributes").write_text("* filter=x diff=x\n")
    (repository / "set/manifest.json").touch()
    monkeypatch.setenv("GIT_DIR", str(repository.parent / "nowhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(trap))
    monkeypatch.setenv("GIT_PAGER", str(trap))
    found = file_history(repository / "set/manifest.json")
    assert found.first is not None
    assert not ran.exists(), ran.read_text()


@pytest.mark.parametrize("name", ["-n.txt", "a b.txt", ":(top)x", "*.json", "é\n.txt"])
def test_names_are_names(repository: Path, name: str) -> None:
    """Not options, patterns or path magic."""
    (repository / name).write_text(f"of {name}")
    commit(repository, "Names", at=LATER)
    found = file_history(repository / name)
    assert found.first is not None
    assert found.first == found.first_of_path
    assert found.as_committed


def test_a_damaged_repository_is_no_error(repository: Path) -> None:
    """Git's own words are passed on, in one line."""
    (repository / ".git/HEAD").write_text("nonsense")
    assert "\n" not in file_history(repository / "set/manifest.json").text()
    shutil.rmtree(repository / ".git/objects")
    assert file_history(repository / "set/manifest.json").first is None
