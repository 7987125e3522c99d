"""
The commands on a whole set: judgements brought in, a frozen set stamped, compared, carried over,
handed to other tools, and the queries that an experiment with it won and lost.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from evaluator import InputError
from evaluator.console import FILE, printable, say, write_result
from evaluator.text.messages import counted
from labeler.cli.options import WORK, now, opened

FORMATS = ("trec", "beir", "ranx", "quepid", "quepid-book", "opensearch", "csv")


@click.command(name="import")
@WORK
@click.option(
    "--queries",
    type=FILE,
    help="JSON lines, CSV, lines of id, tab and text, or an export of Quepid or OpenSearch.",
)
@click.option(
    "--judgements",
    type=FILE,
    help="TREC qrels, BEIR, three columns, CSV, JSON lines, ranx, Quepid, OpenSearch, "
    "Label Studio or HiCAL.",
)
@click.option(
    "--origin",
    type=click.Choice(["authored", "log", "known-item"]),
    default="authored",
    show_default=True,
    help="Where the queries come from, for lines that do not say.",
)
@click.option("--skip-unknown", is_flag=True, help="Leave out judgements of unknown ids.")
@click.option("--without-models", is_flag=True, help="Leave out what a model proposed.")
@click.option(
    "--replace",
    "replace_own",
    is_flag=True,
    help="Where an assessor judged a pair here and in the file, let the later one stand.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be imported, and store nothing.")
def import_judgements(work: Path, dry_run: bool, **options: Any) -> None:
    """
    Read queries and judgements that were made elsewhere; their pairs become the pool.

    Example: labeler import work --queries queries.jsonl --judgements qrels.tsv
    """
    from labeler.exchange.imports.plan import plan_import, store_plan

    workspace = opened(work)
    plan = plan_import(workspace, now=now(), **options)
    for note in plan.notes:
        say(note)
    if dry_run and not plan.obstacles:
        known = {pair[:2] for pair in workspace.pool.entries()}
        pairs = sum(pair[:2] not in known for pair in plan.pool)
        new = _counts(len(plan.queries), pairs, len(plan.judgements))
        say(f"Would import {new}. Nothing was stored.")
        return
    imported = store_plan(workspace, plan)
    say(f"Imported {_counts(imported.queries, imported.pairs, imported.judgements)}.")


@click.command()
@click.argument("labels", type=FILE)
@click.option("--url", help="Ask this time-stamp authority, over HTTP (RFC 3161).")
@click.option("--token", type=FILE, help="Keep this token, got by other means.")
def witness(labels: Path, url: str | None, token: Path | None) -> None:
    """
    Keep a time stamp of a frozen label set beside it, as NAME.1.tsr, NAME.2.tsr and so on.

    An authority gets the digest of the manifest and nothing else. Whoever has its root
    certificates checks the stamp with `evaluator verify LABELS --authority ROOTS.pem`.

    Example: labeler witness labels/first --url https://tsa.example.org
    """
    from labeler.freezing.timestamp import ask_authority, keep_token

    if (url is None) == (token is None):
        raise click.UsageError("Give either --url or --token.")
    if url is not None:
        kept = ask_authority(labels, url, clock=now)
    else:
        assert token is not None
        kept = keep_token(labels, token)
    for note in kept.notes:
        say(f"Note: {note}")
    say(f"{kept.token.authority} states {kept.token.at.isoformat()}; the signature is not checked.")
    click.echo(str(kept.path))


@click.command()
@WORK
@click.option("--results", type=FILE, help="Results directory. Default: the newest in WORK.")
@click.option("--only", type=click.Choice(["lost", "won"]), help="Only the lost, or the won.")
@click.option("--unread", is_flag=True, help="Only what nobody has marked as read.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with ranks and all marks.")
def flips(work: Path, results: Path | None, only: str | None, unread: bool, as_json: bool) -> None:
    """
    List the queries that an experiment won and lost, and the comments on them.

    They are read and marked on the page "Flips"; held-out ones are only counted here.
    Example: labeler flips work --only lost
    """
    from labeler.results.flip_report import flip_lines, flip_report
    from labeler.results.flips import Wanted
    from labeler.results.results import find_results, read_results

    workspace = opened(work)
    found = [results] if results is not None else list(find_results(work))
    if not found:
        raise InputError(
            f"There are no results in {work}. Name a directory that evaluator run wrote: --results"
        )
    wanted = Wanted(moved=only or "", read="unread" if unread else "")
    report = flip_report(workspace, read_results(found[0]), wanted)
    write_result("\n".join(flip_lines(report)), report, as_json=as_json)


@click.command()
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def diff(old: Path, new: Path, as_json: bool) -> None:
    """
    Compare two label sets: queries, pairs, grades and by whom, gold and classes.

    Example: labeler diff labels/first labels/second
    """
    from evaluator.labelset.format import read_label_set
    from labeler.sets.differences import differences
    from labeler.sets.differences_text import differences_text

    found = differences(read_label_set(old), read_label_set(new))
    write_result(differences_text(found), asdict(found), as_json=as_json)


@click.command()
@click.argument("labels", type=FILE)
@WORK
@click.option("--snapshot", type=FILE, help="The snapshot that LABELS was judged on.")
@click.option(
    "--least-overlap",
    "least",
    type=click.FloatRange(0.5, 1),
    default=0.9,
    show_default=True,
    help="Share of a gold chunk's words that a new chunk must hold in a row to be gold too.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be carried, and store nothing.")
@click.option("--accept-losses", is_flag=True, help="Store the rest where something is lost.")
@click.option("--json", "as_json", is_flag=True, help="Print the fate of every pair as JSON.")
def carry(labels: Path, work: Path, as_json: bool, dry_run: bool, **options: Any) -> None:
    """
    Bring the judgements of a label set into a new workspace on another snapshot.

    Texts that are equal come first, then overlaps; what is lost is listed before anything is
    stored. Example: labeler carry labels/first new --dry-run
    """
    from labeler.sets.carry.carry import prepare, store
    from labeler.sets.carry.text import carry_record, carry_text

    workspace = opened(work)
    accept_losses = options.pop("accept_losses")
    prepared = prepare(workspace, labels, **options)
    write_result(carry_text(prepared), carry_record(prepared), as_json=as_json)
    if dry_run:
        say("Nothing was stored.")
        return
    store(workspace, prepared, accept_losses=accept_losses)
    say(f"Carried {len(prepared.carried.judgements)} judgements to {work}.")


@click.command()
@click.argument("labels", type=FILE)
@click.option("--to", required=True, type=click.Choice([*FORMATS, "topics"]), help="What to write.")
@click.option("-o", "--out", required=True, type=FILE, help="File or, for trec and beir, folder.")
@click.option("--snapshot", type=FILE, help="The snapshot that LABELS was judged on, for beir.")
def export(labels: Path, to: str, out: Path, snapshot: Path | None) -> None:
    """
    Write a label set for other tools, and say what their format has no room for.

    With --to topics, LABELS is a workspace, and its queries are written as JSON lines of
    query_id and text, as `evaluator ask --queries` takes them.

    Example: labeler export labels/first --to trec -o qrels
    """
    from labeler.exchange.exports.export import export, write_topics

    if to == "topics":
        count = write_topics(opened(labels).queries.all(), out)
        say(f"{counted(count, 'query', many='queries')} written.")
        click.echo(printable(str(out)))
        return
    exported = export(labels, out, to=to, snapshot=snapshot)
    for note in exported.notes:
        say(note)
    for path in exported.files:
        click.echo(printable(str(path)))


def _counts(queries: int, pairs: int, judgements: int) -> str:
    return (
        f"{counted(judgements, 'judgement')} "
        f"(new here: {counted(queries, 'query', many='queries')}, {counted(pairs, 'pair')})"
    )
