"""
The commands on a workspace itself: how it is made, what is relevant, who is there and judges what.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.console import AS_JSON, FILE, printable, progress, say, write_json
from evaluator.labelset.format import utc_text
from evaluator.text.messages import counted, first_few
from labeler.cli.options import WORK, now, opened

_LISTED = 20


@click.command()
@WORK
@click.option("--corpus", type=FILE, required=True, help="Folder of documents, or ready chunks.")
@click.option("--name", help="Name of the workspace and its snapshot. Default: that of WORK.")
@click.option("--grades", default="0,1", show_default=True, help='"0=not relevant,1=relevant,...".')
@click.option("--min-grade", default=1, show_default=True, help="Lowest grade that counts as gold.")
@click.option("--salt", help="Hex digits that decide which documents are held out. Default: new.")
@click.option("--buckets", default=5, show_default=True, help="Parts the documents fall into.")
@click.option("--held-out", default="0", show_default=True, help="Parts held out: 0, 0,3 or none.")
@click.option("--tokens", default=160, show_default=True, help="Most tokens a chunk may have.")
@click.option("--overlap", default=0, show_default=True, help="Tokens shared with the last chunk.")
@click.option(
    "--tokenizer",
    default="words",
    show_default=True,
    help="Counts the tokens: words, package:NAME/PATH or folder:PATH.",
)
@click.option(
    "--title-field", "title_fields", multiple=True, help="Front matter that holds the title."
)
@click.option(
    "--parent-field",
    "parent_fields",
    multiple=True,
    help="Front matter that names a page above, by title, slug or address; the outermost first.",
)
@click.option(
    "--source-rule",
    "source_rules",
    multiple=True,
    metavar="GLOB=SOURCE",
    help="Source type of documents whose path fits; the first that fits. Default: first folder.",
)
@click.option(
    "--encoding",
    help="Of documents that are not UTF-8, such as cp1251. Default: what a page declares, or a "
    "guess that is said.",
)
@click.option("--columns", multiple=True, metavar="OURS=THEIRS,...", help="Fields of ready chunks.")
@click.option(
    "--refuse-own-headers", is_flag=True, help="Refuse texts that start with their own title."
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Processes that read documents; they change no chunk. Default: by their number.",
)
def init(work: Path, corpus: Path, workers: int | None, **options: Any) -> None:
    """
    Read a corpus into a new workspace and print the digest of its snapshot.

    Example: labeler init work --corpus docs --grades "0=not relevant,1=relevant"

    Chunks cut elsewhere: labeler init work --corpus chunks.csv --columns text=body,doc_id=page
    """
    from labeler.corpus.init import decide, make_workspace

    decisions = decide(name=options.pop("name") or work.resolve().name, **options)
    workspace, report = make_workspace(
        work, corpus, decisions=decisions, now=now(), workers=workers or 0, progress=progress
    )
    for line in _skipped_lines((skipped.path, skipped.reason) for skipped in report.skipped):
        say(line)
    for warning in report.warnings:
        say(f"Warning: {warning}")
    read = f"{counted(report.chunks, 'chunk')} of {counted(report.documents, 'document')}"
    say(f"{read} in {workspace.path}")
    click.echo(report.snapshot.digest)


@click.command()
@WORK
@click.argument("file", type=FILE, required=False)
def guidelines(work: Path, file: Path | None) -> None:
    """
    Say what "relevant" means, as every assessor reads it, or print what is said now.

    FILE is a short text: paragraphs, headings (#) and lists (-). A change after judging began is
    told to all and recorded in the label set. Example: labeler guidelines work guidelines.md
    """
    from evaluator.files.records import read_text

    workspace = opened(work)
    if file is None:
        click.echo(workspace.guidelines()[-1].text, nl=False)
        return
    if not workspace.set_guidelines(read_text(file), now=utc_text(now())):
        say("These are the guidelines already; nothing was changed.")
        return
    last = workspace.guidelines()[-1]
    say("Kept. Every assessor reads them at the next query.")
    if last.judgements_before:
        made = counted(last.judgements_before, "judgement")
        say(f"{made} had been made before. The change is recorded in the next label set.")
    click.echo(last.sha256)


def _skipped_lines(skipped: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Each path with its reason; of thousands with one reason, such as pictures, the first few."""
    paths_by_reason: dict[str, list[str]] = defaultdict(list)
    for path, reason in skipped:
        paths_by_reason[reason].append(path)
    for reason, paths in paths_by_reason.items():
        if len(paths) <= _LISTED:
            yield from (f"Skipped {path}: {reason}" for path in paths)
        else:
            yield f"Skipped {len(paths):,}, {reason}: {first_few(paths)}"


if TYPE_CHECKING:
    from labeler.workspace.records import Role
    from labeler.workspace.workspace import Workspace


@click.command()
@WORK
@click.option("--add", "name", help="Put somebody on the list, or change what they may do.")
@click.option(
    "--may",
    type=click.Choice(["judge", "freeze", "both"]),
    default="judge",
    show_default=True,
    help="What the person may do.",
)
@click.option("--email", help="Address that the person signs in with.")
@click.option("--remove", help="Take somebody off the list; what they judged stays.")
@AS_JSON
def assessors(work: Path, name: str | None, remove: str | None, as_json: bool, **may: Any) -> None:
    """
    Say who may judge and who may freeze where people sign in, and print the list.

    Example: labeler assessors work --add Ada --may both --email ada@example.org
    """
    workspace = opened(work)
    if remove is not None:
        workspace.people.remove_role(remove)
    if name is not None:
        _put(workspace, name, **may)
    roles = workspace.people.roles()
    if as_json:
        write_json([asdict(role) for role in roles])
        return
    for role in roles:
        click.echo(printable(_said(role)))
    if not roles:
        say("Nobody is on the list yet. On this machine anybody may judge.")


def _put(workspace: "Workspace", name: str, *, may: str, email: str | None) -> None:
    from evaluator.labelset.format import utc_text
    from labeler.judging.assign import person_name
    from labeler.workspace.records import Role

    role = Role(person_name(name), may != "freeze", may != "judge", email)
    workspace.people.set_role(role, now=utc_text(now()))


def _said(role: "Role") -> str:
    may = [*(["judge"] if role.may_judge else []), *(["freeze"] if role.may_freeze else [])]
    address = f" ({role.email})" if role.email else ""
    return f"{role.assessor}{address}: may {' and '.join(may)}"


@click.command()
@WORK
@click.option("--assessors", "names", help="Names with commas between them. Default: as before.")
@click.option("--overlap", type=float, help="Share of queries that two judge. Default: as before.")
@click.option("--seed", type=int, help="Decides who gets what. Default: as before, or 13.")
@AS_JSON
def assign(
    work: Path, names: str | None, overlap: float | None, seed: int | None, as_json: bool
) -> None:
    """
    Assign queries to assessors in equal parts; a share of them goes to two.

    Again after more queries or people have come, it moves no more than it must. Example:
    labeler assign work --assessors Ada,Bob,Cy --overlap 0.2
    """
    from labeler.judging.assign import assign_queries

    workspace = opened(work)
    given = [name for name in (names or "").split(",") if name.strip()]
    done = assign_queries(workspace, assessors=given, overlap=overlap, seed=seed, now=now())
    if as_json:
        write_json(workspace.people.assessors_by_query())
    else:
        for name, count in done.queries_by_assessor.items():
            click.echo(printable(f"{name}: {counted(count, 'query', many='queries')}"))
    say(
        f"{counted(done.queries, 'query', many='queries')}, {done.shared} of them for two; "
        f"{counted(done.given, 'place is', many='places are')} new, {done.taken} were taken away."
    )
    sizes = workspace.pool.sizes()
    if sizes and (empty := done.queries - len(sizes)):
        have = counted(empty, "query has", many="queries have")
        say(f"{have} no chunk to judge yet, and may be among those for two: pool before assigning.")
