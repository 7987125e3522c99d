"""
What git knows of a file: the earliest commit with its bytes, through the `git` command.

The repository is not trusted: no pager, hook, filter, textconv, signature program or fetch
that its configuration names is run, and its replacement objects are not followed. A date in
a commit is what its committer claimed; nothing here makes it more than that.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path

_SECONDS = 20
_SAFE = (
    "--no-pager",
    "--no-optional-locks",
    "--no-replace-objects",
    "--literal-pathspecs",
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "log.showSignature=false"),
    *("-c", "diff.external="),
    *("-c", "protocol.allow=never"),
)
_FORMAT = "--format=%H%x09%aI%x09%cI"


@dataclass(frozen=True, slots=True)
class Commit:
    """
    A commit with both of its dates, UTC, to the second, as git has them.

    Signed means that it carries a signature; it was not checked. `remotes` are the
    remote-tracking branches of this copy that hold it.
    """

    id: str
    authored_at: str
    committed_at: str
    signed: bool
    in_branch: bool
    remotes: tuple[str, ...]

    @property
    def earliest_at(self) -> str:
        """The earlier of the two dates; a rebase moves only the committer's."""
        return min(self.authored_at, self.committed_at)

    def text(self) -> str:
        """The commit in words, with what its dates are worth."""
        dates = f"committed {self.committed_at}"
        if self.authored_at != self.committed_at:
            dates += f", authored {self.authored_at}"
        branch = "in the current branch" if self.in_branch else "not in the current branch"
        kept = f"on {', '.join(self.remotes)}" if self.remotes else "on no remote branch known here"
        sign = "signed (signature not checked)" if self.signed else "not signed"
        claim = "" if self.remotes or self.signed else ": a claim of the committer"
        return f"commit {self.id[:12]}, {dates}, {branch}, {kept}, {sign}{claim}"


@dataclass(frozen=True, slots=True)
class History:
    """
    What git says of one file; `note` is why it says nothing or less than it could.

    `first` is the earliest commit that holds the file's bytes, under whatever name: as they
    are, with other line ends, or as a pointer of Git LFS. `first_of_path` is the earliest that
    holds anything under its name. `as_committed` is whether the current commit holds these
    bytes, and `shallow` whether earlier commits may be missing here.
    """

    note: str = ""
    first: Commit | None = None
    first_of_path: Commit | None = None
    as_committed: bool | None = None
    shallow: bool = False

    def text(self) -> str:
        """The finding in one line."""
        said = self.first.text() if self.first else self.note or "git does not say"
        if self.first and self.note:
            said += f" ({self.note})"
        if self.first and self.as_committed is False:
            said += "; the current commit has other bytes or none under this name"
        return said


def file_history(path: Path) -> History:
    """
    The history of a file, from the repository it lies in.

    Never an error: where there is no git, no repository or no answer, the note says so.
    Whether the file is as committed is decided from its bytes, without `git status`, which
    would run the filters that a repository names.
    """
    if shutil.which("git") is None:
        return History("git is not installed here, so no commit was looked for")
    path = path.resolve()
    try:
        return _history(path.parent, path)
    except _Silent as silent:
        return History(str(silent))


class _Silent(Exception):
    """Git gave no answer; the message says why."""


def _ask(folder: Path, *arguments: str) -> str:
    """Standard output of one read-only git command."""
    given = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    still = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", *_SAFE, "-C", str(folder), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=given | still,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _Silent(f"git did not answer within {_SECONDS} seconds") from None
    except OSError as error:
        raise _Silent(f"git could not be run: {error.strerror}") from None
    if done.returncode:
        raise _Silent(_why(done.stderr.decode(errors="replace")))
    return done.stdout.decode(errors="replace")


def _holds(folder: Path, *arguments: str) -> bool:
    """Whether a command that answers by its exit code says yes."""
    try:
        _ask(folder, *arguments)
    except _Silent:
        return False
    return True


def _history(folder: Path, path: Path) -> History:
    asked = ("--is-inside-work-tree", "--is-shallow-repository", "--show-object-format")
    inside, shallow, algorithm = _ask(folder, "rev-parse", *asked).split()
    if inside != "true":
        return History("it lies in no git work tree")
    if not _holds(folder, "rev-parse", "--verify", "--quiet", "HEAD"):
        return History("its git repository has no commit yet")
    blobs = [
        hashlib.new(algorithm, b"blob %d\0" % len(form) + form).hexdigest()
        for form in _forms(path.read_bytes())
    ]
    first, undated = _earliest(folder, *(f"--find-object={blob}" for blob in blobs))
    of_path, _ = _earliest(folder, "--", path.name)
    current = _ask(folder, "ls-tree", "HEAD", "--", path.name).split()
    notes = [
        *(["no commit holds these bytes"] if first is None and not undated else []),
        *([f"commits with these bytes and no date that can be read: {undated}"] if undated else []),
        *(["a shallow clone: earlier commits are not here"] if shallow == "true" else []),
    ]
    as_committed = not set(blobs).isdisjoint(current)
    return History("; ".join(notes), first, of_path, as_committed, shallow == "true")


def _forms(data: bytes) -> list[bytes]:
    """
    A file as git may hold it: as it lies there, with the other line end, or as a pointer.

    A checkout converts line ends, and Git LFS keeps a pointer in place of the file, whose
    text is given by the file's digest and length.
    """
    lines = data.replace(b"\r\n", b"\n")
    texts = list(dict.fromkeys([data, lines, lines.replace(b"\n", b"\r\n")]))
    return texts + [
        b"version https://git-lfs.github.com/spec/v1\n"
        + f"oid sha256:{hashlib.sha256(text).hexdigest()}\nsize {len(text)}\n".encode()
        for text in texts
    ]


def _earliest(folder: Path, *which: str) -> tuple[Commit | None, int]:
    """
    The earliest commit by its committer's date; of equal ones that with fewest before it.

    Also how many commits have a date that is none, which anybody can write into one.
    """
    lines = _ask(folder, "log", "--all", "--topo-order", "--reverse", _FORMAT, *which)
    rows = [line.split("\t") for line in lines.splitlines()]
    found = [(name, *dates) for name, *texts in rows if (dates := _dates(texts))]
    undated = len(rows) - len(found)
    if not found:
        return None, undated
    name, authored, committed = min(found, key=itemgetter(2))
    header = _ask(folder, "cat-file", "commit", name).partition("\n\n")[0]
    branches = ("for-each-ref", "--contains", name, "--format=%(refname:short)", "refs/remotes")
    commit = Commit(
        id=name,
        authored_at=authored,
        committed_at=committed,
        signed="\ngpgsig" in header,
        in_branch=_holds(folder, "merge-base", "--is-ancestor", name, "HEAD"),
        remotes=tuple(sorted(_ask(folder, *branches).split())),
    )
    return commit, undated


def _dates(texts: Sequence[str]) -> tuple[str, str] | None:
    """Both dates of a commit in UTC, unless one of them is no moment of our calendar."""
    try:
        moments = [datetime.fromisoformat(text).astimezone(UTC) for text in texts]
    except (ValueError, OverflowError):
        return None
    authored, committed = (moment.isoformat(timespec="seconds")[:-6] + "Z" for moment in moments)
    return authored, committed


def _why(message: str) -> str:
    """What git complained of, in one line."""
    if "not a git repository" in message:
        return "it lies in no git work tree"
    if "dubious ownership" in message:
        return "git refuses this repository, since it belongs to somebody else (safe.directory)"
    first = next((line for line in message.splitlines() if line.strip()), "no reason given")
    return f"git refused: {first.strip()}"
