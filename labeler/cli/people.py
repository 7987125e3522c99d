"""
The commands on people: who may judge and freeze, and who judges what.
"""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.console import AS_JSON, printable, say, write_json
from evaluator.text.messages import counted
from labeler.cli.options import WORK, now, opened

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
