"""
The commands on frozen label sets: compare two, carry one over, hand one to other tools.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from evaluator.console import printable, say, write_json
from labeler.cli.options import FILE, WORK, opened

FORMATS = ("trec", "beir", "ranx", "quepid", "quepid-book", "opensearch", "csv")


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
    if as_json:
        write_json(asdict(found))
    else:
        click.echo(printable(differences_text(found)))


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
    if as_json:
        write_json(carry_record(prepared))
    else:
        click.echo(printable(carry_text(prepared)))
    if dry_run:
        say("Nothing was stored.")
        return
    store(workspace, prepared, accept_losses=accept_losses)
    say(f"Carried {len(prepared.carried.judgements)} judgements to {work}.")


@click.command()
@click.argument("labels", type=FILE)
@click.option("--to", required=True, type=click.Choice(FORMATS), help="What to write.")
@click.option("-o", "--out", required=True, type=FILE, help="File or, for trec and beir, folder.")
@click.option("--snapshot", type=FILE, help="The snapshot that LABELS was judged on, for beir.")
def export(labels: Path, to: str, out: Path, snapshot: Path | None) -> None:
    """
    Write a label set for other tools, and say what their format has no room for.

    Example: labeler export labels/first --to trec -o qrels
    """
    from labeler.exchange.exports.export import export

    exported = export(labels, out, to=to, snapshot=snapshot)
    for note in exported.notes:
        say(note)
    for path in exported.files:
        click.echo(printable(str(path)))
