"""
The `labeler` command: parse, call one function, write what came of it.

Data goes to standard output, everything said to people to standard error. Each command
imports what it needs, so that `--help` answers at once.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from evaluator import __version__
from evaluator.console import AS_JSON, FILE, Commands, progress, say, write_result
from evaluator.labelset.format import RULES
from evaluator.text.messages import counted, first_few
from labeler.cli.logs import logs
from labeler.cli.options import WORK, now, opened
from labeler.cli.sampling import age, plan, sample, wording
from labeler.cli.sets import carry, diff, export, flips, import_judgements, witness
from labeler.cli.workspace import assessors, assign, guidelines, init

if TYPE_CHECKING:
    from labeler.app.serving.serve import SignIn

_HOST = click.option("--host", default="localhost", show_default=True, help="Address to listen on.")
_PORT = click.option("--port", type=int, help="Port to listen on. Default: 8501 or the next free.")
_DEMO_TODO = (
    "Type a name, open a query in the queue and grade its texts with the digit keys.\n"
    "Two people were there before you: see Agreement and Decide, then Flips for a finished run."
)
_NEW_STUDY = "There is no workspace yet: the page makes one from your documents."
_OPEN = click.option("--open/--headless", "open_browser", help="Open a browser, or do not.")


@click.group(cls=Commands)
@click.version_option(__version__, prog_name="labeler")
def main() -> None:
    """
    From a query log to a frozen label set.

    Example: labeler init work --corpus docs
    """


@click.command()
@click.argument("work", type=FILE, default="onecause-demo")
@click.option("--only-make", is_flag=True, help="Make the workspace and do not start the app.")
@_HOST
@_PORT
@_OPEN
def demo(work: Path, only_make: bool, host: str, port: int | None, open_browser: bool) -> None:
    """
    Make a workspace from the documents and searches of a made-up company, and open the app.

    A second start finds the workspace and opens the app at once. Example: labeler demo
    """
    from labeler.app.serving.serve import check_address
    from labeler.demo.demo import make_demo

    free = 0 if only_make else check_address(host, port)
    for line in make_demo(work, clock=now, progress=progress):
        say(line)
    if not only_make:
        _run(work, host, free, open_browser, todo=_DEMO_TODO)


@click.command()
@WORK
@click.argument("file", type=FILE)
@click.option(
    "--origin",
    type=click.Choice(["known-item", "authored"]),
    default="known-item",
    show_default=True,
    help="Queries with a known answer, or written by somebody, with or without one.",
)
@click.option(
    "--seen",
    type=click.Choice(["none", "documents", "headings", "chunks"]),
    help="What the authors declare to have seen; frozen with the queries.",
)
def add(work: Path, file: Path, origin: Any, seen: str | None) -> None:
    """
    Add queries whose answer is known from elsewhere, or that somebody wrote.

    FILE is CSV or JSON lines with query, need (optional), and chunk_id or doc_id and
    quotation. Example: labeler add work known-answers.csv
    """
    from labeler.queries.answers import add_known

    if seen is not None and origin != "authored":
        raise click.UsageError("--seen goes with --origin authored.")
    added = add_known(opened(work), file, origin=origin, seen=seen, now=now())
    queries = counted(added.queries, "query", many="queries")
    for note in added.notes:
        say(f"{file.name}: {note}.")
    say(f"{queries} added, with {counted(added.answers, 'answer')}.")
    if origin == "authored" and seen is None:
        say("Not declared: what their authors had seen (--seen none|documents|headings|chunks).")


@click.command()
@WORK
@click.argument("file", type=FILE)
def needs(work: Path, file: Path) -> None:
    """
    State what queries ask for, as the assessors will read it.

    FILE is CSV or JSON lines with query and need. Example: labeler needs work needs.csv
    """
    from labeler.exchange.imports.queries import needs_by_id, read_needs

    workspace = opened(work)
    queries = workspace.queries.all()
    need_by_name = read_needs(file)
    stated = needs_by_id(queries, need_by_name)
    workspace.queries.set_needs(stated)
    asked = counted(len(queries), "query", many="queries")
    say(f"Needs stated for {len(stated):,} of {asked}.")
    known = {
        name for q in queries for name in (q.query_id, q.text, *(text for text, _ in q.variants))
    }
    if others := [name for name in need_by_name if name not in known]:
        say(f"{file.name}: {counted(len(others), 'need')} for no query here: {first_few(others)}")


@click.command()
@WORK
@click.option("--depth", default=50, show_default=True, help="Chunks per query and source.")
@click.option("--model", help="Encoder: package:NAME/FOLDER, hub:owner/name or folder:PATH.")
@click.option("--revision", help="Commit of a hub model, 40 hex digits.")
@click.option("--run", "runs", type=FILE, multiple=True, help="TREC run file; may be repeated.")
@click.option("--pairs", type=FILE, multiple=True, help="Of `evaluator unjudged`; all are added.")
@click.option("--bm25", is_flag=True, help="Full-text search, alone or with the others.")
@click.option(
    "--ranking",
    type=click.Choice(["exact", "hnsw"]),
    default="exact",
    show_default=True,
    help="How the encoder's vectors are searched: all of them, or by a graph.",
)
@click.option("--query-prefix", default="", help="What the model wants before a query.")
@click.option("--doc-prefix", default="", help="What the model wants before a chunk.")
def pool(
    work: Path,
    *,
    depth: int,
    runs: tuple[Path, ...],
    pairs: tuple[Path, ...],
    bm25: bool,
    **options: Any,
) -> None:
    """
    Find the chunks to judge: with an encoder, with full-text search, with files.

    Without --model, --bm25, --run and --pairs, the model that the demo extra carries is used.
    Example: labeler pool work --depth 50 --run production.run
    """
    from labeler.pool.fill import chosen_system, fill_pool

    system = chosen_system(runs=(*runs, *pairs), bm25=bm25, **options)
    filled = fill_pool(
        opened(work),
        depth=depth,
        runs=runs,
        pairs=pairs,
        system=system,
        bm25=bm25,
        progress=progress,
    )
    for each in filled:
        say(f"{each.source}: {counted(each.pairs, 'pair')}, {each.new:,} of them new")
        if each.note:
            say(f"  {each.note}")


@click.command()
@WORK
@_HOST
@_PORT
@click.option("--secrets", type=FILE, help="TOML file with the [auth] of an OpenID provider.")
@click.option("--trusted-header", metavar="NAME", help="Header in which a proxy states an e-mail.")
@_OPEN
def serve(work: Path, host: str, port: int | None, open_browser: bool, **sign_in: Any) -> None:
    """
    Open the app on a workspace: on this machine, or on another host with a sign-in.

    Where WORK is a new or empty folder, the app makes the workspace from your documents.
    A file WORK/secrets.toml counts as --secrets. Example: labeler serve work --port 8600
    """
    from evaluator.files.whole import is_free
    from labeler.app.serving.serve import THIS_MACHINE, check_address, find_sign_in

    found = find_sign_in(work, **sign_in)
    if is_free(work) and found is None and host in THIS_MACHINE:
        _run(work, host, check_address(host, port), open_browser, todo=_NEW_STUDY)
    workspace = opened(work)
    roles = workspace.people.roles()
    workspace.close()
    free = check_address(host, port, sign_in=found)
    if found and not roles:
        say(f"Nobody may enter yet: labeler assessors {work} --add NAME --may both --email ADDRESS")
    _run(work, host, free, open_browser, sign_in=found)


@click.command()
@WORK
@AS_JSON
def status(work: Path, as_json: bool) -> None:
    """
    Say what a workspace holds and what stands in the way of freezing it.

    Example: labeler status work --json
    """
    from labeler.freezing.status import status, status_text

    found = status(opened(work))
    write_result(status_text(found), found, as_json=as_json)


@click.command()
@WORK
@click.option("--name", required=True, help="Name of the label set.")
@click.option(
    "--header-work",
    required=True,
    metavar="none|DATE",
    help="Whether work on headers has begun, and when. There is no default.",
)
@click.option(
    "--header-work-on",
    "on",
    multiple=True,
    metavar="RULE|FILE",
    help="A header that was begun, so that others are not meant; may be repeated.",
)
@click.option("--declared-by", required=True, help="Who says so: it stands in the label set.")
@click.option(
    "--rule",
    type=click.Choice(RULES),
    default="majority",
    show_default=True,
    help="Decides between assessors who differ.",
)
@click.option("--supersedes", type=FILE, help="Directory of the label set that this one corrects.")
@click.option("-o", "--out", type=FILE, help="Directory to write. Default: WORK/labels/NAME.")
def freeze(work: Path, header_work: str, on: tuple[str, ...], **options: Any) -> None:
    """
    Freeze the judgements as a label set that nobody can change unseen, and print its digest.

    Example: labeler freeze work --name handbook-1 --header-work none --declared-by Ada
    """
    from evaluator.files.whole import require_writable
    from labeler.freezing.freeze import freeze
    from labeler.freezing.header_work import declared

    if options["out"] is not None:
        require_writable(options["out"])
    workspace = opened(work)
    frozen = freeze(
        workspace,
        header_work=declared(header_work, now=now(), on=on, chunks=workspace.snapshot.chunks()),
        clock=now,
        **options,
    )
    for note in frozen.notes:
        say(f"Note: {note}")
    say(f"Frozen in {frozen.path}. What measures a header on it:\n\n{frozen.command}\n")
    say(f"A line for Git:\n\n{frozen.git}\n")
    click.echo(frozen.sha256)


def _run(
    work: Path,
    host: str,
    port: int,
    open_browser: bool,
    *,
    sign_in: "SignIn | None" = None,
    todo: str = "",
) -> NoReturn:
    from labeler.app.serving.serve import run_app

    say(f"The app is at http://{host}:{port} (stop it with Ctrl-C)")
    if todo:
        say(todo)
    raise SystemExit(
        run_app(work, host=host, port=port, open_browser=open_browser, sign_in=sign_in)
    )


main.add("Documents", demo, init)
main.add("Queries", logs, plan, sample, needs, add, import_judgements, wording)
main.add("Judging", pool, guidelines, serve, assessors, assign, status)
main.add("Freezing", freeze, witness)
main.add("Later", flips, export, diff, carry, age)
