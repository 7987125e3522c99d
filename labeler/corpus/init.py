"""
A corpus and a few decisions -> a new workspace, whole or not at all.

The decisions cannot be changed afterwards, so they are checked before the corpus is
read: a scale of grades, which grade counts as gold, and which documents are held out.
"""

import errno
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.files.whole import is_free, made_aside
from evaluator.labelset.format import HeldOutRule, utc_text
from labeler.corpus.build import BuildReport, build_snapshot
from labeler.corpus.choices import USUAL, CorpusChoices, corpus_choices
from labeler.workspace.records import Settings
from labeler.workspace.workspace import EXPERIMENTS, LABELS, SNAPSHOT, Workspace

GradeScale = tuple[tuple[int, str], ...]
# Words for scales given as bare numbers; beyond four grades people must say what they mean.
_MEANINGS = {
    (0, 1): ("not relevant", "relevant"),
    (0, 1, 2): ("not relevant", "partly relevant", "relevant"),
    (0, 1, 2, 3): ("not relevant", "slightly relevant", "relevant", "fully relevant"),
}


@dataclass(frozen=True, slots=True)
class WorkspaceChoices:
    """
    What is decided once. `budget` and `overlap` count tokens of `tokenizer`; `reading` says
    where the corpus keeps what under names of its own.
    """

    name: str
    grades: GradeScale
    min_grade: int
    held_out_rule: HeldOutRule
    order_seed: str
    budget: int = 160
    overlap: int = 0
    tokenizer: str = "words"
    reading: CorpusChoices = USUAL
    refuse_own_headers: bool = False


def decide(
    *,
    name: str,
    grades: str,
    min_grade: int,
    salt: str | None,
    buckets: int,
    held_out: str,
    tokens: int,
    overlap: int,
    tokenizer: str,
    refuse_own_headers: bool = False,
    encoding: str | None = None,
    **reading: Sequence[str],
) -> WorkspaceChoices:
    """
    The decisions as people write them, read and checked. Raises InputError.

    `encoding` and `reading` are the arguments of `corpus_choices`.
    """
    decisions = WorkspaceChoices(
        name=name,
        grades=read_grades(grades),
        min_grade=min_grade,
        held_out_rule=HeldOutRule(
            new_salt() if salt is None else salt, buckets, read_buckets(held_out)
        ),
        order_seed=new_salt(),
        budget=tokens,
        overlap=overlap,
        tokenizer=tokenizer,
        reading=corpus_choices(encoding=encoding, **reading),
        refuse_own_headers=refuse_own_headers,
    )
    check(decisions)
    return decisions


def make_workspace(
    work: Path,
    corpus: Path,
    *,
    decisions: WorkspaceChoices,
    now: datetime,
    workers: int = 1,
    progress: Callable[..., Iterator[Any]] | None = None,
) -> tuple[Workspace, BuildReport]:
    """
    Build the snapshot of a corpus and an empty workspace around it.

    Everything is made in a sibling directory and renamed at the end, so that a failure or
    an interruption leaves nothing behind. Raises InputError for a directory that holds
    something, for decisions that contradict each other, and for what the corpus reader refuses.
    """
    check(decisions)
    if not is_free(work):
        raise InputError(_taken(work))
    if corpus.is_dir() and work.resolve().is_relative_to(corpus.resolve()):
        raise InputError(
            f"{work} lies inside its own corpus {corpus}, whose documents it would join. "
            "Choose a directory beside it."
        )
    with made_aside(work) as aside:
        report = build_snapshot(
            corpus,
            aside / SNAPSHOT,
            name=decisions.name,
            created_at=now,
            budget=decisions.budget,
            overlap=decisions.overlap,
            tokenizer=decisions.tokenizer,
            reading=decisions.reading,
            refuse_own_headers=decisions.refuse_own_headers,
            workers=workers,
            progress=progress,
        )
        Workspace.create(aside, settings=_settings(decisions, report, now)).close()
        for folder in (LABELS, EXPERIMENTS):
            (aside / folder).mkdir()
        put_in_place(aside, work)
    workspace = Workspace.open(work)
    return workspace, replace(report, snapshot=workspace.snapshot)


def put_in_place(aside: Path, work: Path) -> None:
    """Give a workspace made elsewhere its place, which must be free. Raises InputError."""
    try:
        if work.exists():  # empty, and not every system renames onto it
            work.rmdir()
        aside.rename(work)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise
        raise InputError(_taken(work)) from None  # somebody else made one meanwhile


def _taken(work: Path) -> str:
    return f"{work} exists and is not empty. Choose another directory."


def _settings(decisions: WorkspaceChoices, report: BuildReport, now: datetime) -> Settings:
    return Settings(
        name=decisions.name,
        created_at=utc_text(now),
        grades=decisions.grades,
        min_grade=decisions.min_grade,
        held_out_rule=decisions.held_out_rule,
        snapshot_name=report.snapshot.name,
        snapshot_digest=report.snapshot.digest,
        order_seed=decisions.order_seed,
    )


def check(decisions: WorkspaceChoices) -> None:
    """Raise InputError where the scale or the held-out rule cannot work."""
    scale = [grade for grade, _ in decisions.grades]
    if len(set(scale)) < len(scale) or len(scale) < 2 or not set(scale) <= set(range(10)):
        raise InputError(
            f"The scale {scale} does not work. Give two to ten different grades from 0 to 9, "
            "one key each."
        )
    if decisions.min_grade not in scale or decisions.min_grade == min(scale):
        raise InputError(
            f"min_grade {decisions.min_grade} must be a grade of the scale {scale} and not its "
            "lowest, or every chunk would be gold."
        )
    rule = decisions.held_out_rule
    if rule.buckets < 1:
        raise InputError(
            f"--buckets {rule.buckets}: buckets are numbered from 0, so there must be one at "
            "least. Five hold out a fifth of the documents."
        )
    outside = sorted(set(rule.held_out) - set(range(rule.buckets)))
    if outside:
        raise InputError(
            f"Held-out buckets {list(rule.held_out)} of {rule.buckets}: buckets are numbered "
            f"from 0 to {rule.buckets - 1}."
        )
    if len(set(rule.held_out)) == rule.buckets:
        raise InputError(
            f"--held-out {','.join(map(str, rule.held_out))} of {rule.buckets} buckets holds out "
            "every document, and nothing is left to tune on. Hold out fewer, or none."
        )
    if not re.fullmatch(r"[0-9a-f]{2,64}", rule.salt):
        raise InputError(
            f"The salt {rule.salt!r} is not hexadecimal: give 2 to 64 digits in lower case, like "
            "9f3c1a2b4d5e6f70."
        )


def read_grades(text: str) -> GradeScale:
    """
    A scale as people write it: `0,1`, or `0=not relevant,1=relevant`, lowest first.

    Raises InputError for what is no such list.
    """
    parts = re.split(r",(?=\s*[0-9]+\s*(?:[=,]|$))", text)
    found: list[tuple[int, str]] = []
    for part in parts:
        grade, _, meaning = part.partition("=")
        if not re.fullmatch(r"\s*[0-9]\s*", grade):
            raise InputError(
                f"{part.strip()!r} is no grade. Write --grades 0,1 or "
                '--grades "0=not relevant,1=relevant".'
            )
        if re.search(r"[;|/]\s*[0-9]\s*=", meaning):
            raise InputError(
                f"--grades {text!r}: grades are separated by commas, as in "
                '"0=not relevant,1=relevant".'
            )
        found.append((int(grade), meaning.strip()))
    found.sort()
    words = _MEANINGS.get(tuple(grade for grade, _ in found))
    return tuple(
        (grade, meaning or (words[place] if words else f"grade {grade}"))
        for place, (grade, meaning) in enumerate(found)
    )


def read_buckets(text: str) -> tuple[int, ...]:
    """Bucket numbers as people write them: `0`, `0,3`, or `none`. Raises InputError."""
    if text.strip() == "none":
        return ()
    if not re.fullmatch(r"\s*[0-9]+\s*(,\s*[0-9]+\s*)*", text):
        raise InputError(f"--held-out {text!r}: give bucket numbers like 0 or 0,3, or none.")
    return tuple(sorted({int(part) for part in text.split(",")}))


def new_salt() -> str:
    """Sixteen random hexadecimal digits."""
    return secrets.token_hex(8)
