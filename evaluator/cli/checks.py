"""
The commands that check a claim: is a label set sound, are its chunks in the store, what does the
live index return, does a run still say what it printed, do somebody's figures add up.

They are registered in `main`, and import what is heavy inside, as everything there does.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from evaluator.console import AS_JSON, FILE, printable, progress, say, write_result

if TYPE_CHECKING:
    from evaluator.checks.live import StoreFields

_Command = TypeVar("_Command", bound=Callable[..., Any])
_STORE_OPTIONS = (
    click.option("--collection", help="The table or collection of a live store."),
    click.option("--id-field", help="Where the store keeps the chunk id, as in payload.id."),
    click.option("--text-field", help="Where the store keeps the text, as in payload.text."),
    click.option("--vector-field", help="Where the store keeps the vector."),
    click.option("--tenant", metavar="FIELD=VALUE", help="Whose chunks count, as in org=acme."),
)


def store_options(command: _Command) -> _Command:
    """Add the options that say where a store keeps what is read."""
    for option in reversed(_STORE_OPTIONS):
        command = option(command)
    return command


def store_fields(given: dict[str, str | None]) -> "StoreFields":
    """What was given with `store_options`."""
    from evaluator.checks.live import StoreFields

    tenant = (given["tenant"] or "").partition("=")
    if given["tenant"] and not (tenant[0] and tenant[2]):
        raise click.BadParameter("expected FIELD=VALUE.", param_hint="'--tenant'")
    return StoreFields(
        collection=given["collection"],
        chunk_id=given["id_field"],
        text=given["text_field"],
        vector=given["vector_field"],
        tenant=(tenant[0], tenant[2]) if given["tenant"] else None,
    )


@click.command()
@click.argument("labels", type=FILE)
@click.option("--digest", help="The SHA-256 that the label set must have.")
@click.option("--snapshot", type=FILE, help="Also compare every judged chunk with this snapshot.")
@click.option(
    "--stored",
    help="Also find every gold chunk in this export, snapshot, live store or module:function.",
)
@click.option("--authority", type=FILE, help="Root certificates (PEM) to check time stamps with.")
@click.option("--experiment", type=FILE, help="Look for its headers in the texts that were shown.")
@store_options
@AS_JSON
def verify(
    labels: Path,
    *,
    digest: str | None,
    snapshot: Path | None,
    stored: str | None,
    authority: Path | None,
    experiment: Path | None,
    as_json: bool,
    **where: str | None,
) -> None:
    """
    Check that a label set is consistent and, with --digest, untouched.

    Without --digest it is only compared with its own manifest. Every problem is listed with
    the member, what was expected and what was found.

    With --stored, every gold chunk is looked for in what a search system holds: an export
    (JSON Lines, CSV, Parquet), a snapshot, a live store (postgresql:, chroma+http:, qdrant:,
    lancedb:, read only), or one behind a function of yours, which takes a list of chunk ids and
    returns their texts. Each query passes or fails.

    Time stamps beside the set and the commit that holds it are stated as what they are;
    --authority checks the stamps' signatures, offline.

    Example: evaluator verify labels/demo-1 --snapshot snapshot --stored export.jsonl
    """
    from evaluator.checks.labels import verified_json, verified_text, verify_labels
    from evaluator.checks.store_chunks import check_store, retrievable_json, retrievable_text

    if stored is None and any(where.values()):
        raise click.UsageError("Options that say where a store keeps something go with --stored.")
    if digest is not None and not re.fullmatch("[0-9a-fA-F]{64}", digest):
        raise click.BadParameter(
            "expected the 64 hex digits that `labeler freeze` prints.", param_hint="'--digest'"
        )
    found = verify_labels(
        labels,
        now=datetime.now(UTC),
        digest=digest.lower() if digest else None,
        snapshot=snapshot,
        experiment=experiment,
        authority=authority,
    )
    answer, text = verified_json(found), verified_text(found)
    sound = not found.problems
    if stored is not None and found.sha256 is not None:
        held = check_store(labels, stored, snapshot=snapshot, fields=store_fields(where))
        answer |= {"stored": retrievable_json(held)}
        text += "\n" + retrievable_text(held)
        sound = sound and not held.findings
    write_result(text, answer, as_json=as_json)
    if not sound:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("store")
@click.option("--labels", type=FILE, help="Ask for the queries of this label set.")
@click.option("--queries", type=FILE, help="Ask for these: rows of query_id and text.")
@click.option("--depth", type=click.IntRange(1), default=50, show_default=True)
@click.option("--model", required=True, help="What encodes the queries, as in folder:PATH.")
@click.option("--revision", help="The commit of a hub model.")
@click.option("--prefix", default="", help="What stands before each query, byte for byte.")
@click.option(
    "--metric",
    type=click.Choice(["cosine", "l2", "ip"]),
    default="cosine",
    show_default=True,
    help="The index's, in pgvector and LanceDB; the others know their own.",
)
@click.option("--option", "options", multiple=True, help="As in hnsw.ef_search=100 (pgvector).")
@click.option("--snapshot", type=FILE, help="List what comes back and is not in here as it is.")
@click.option("-o", "--out", type=FILE, required=True, help="The TREC run; it must not exist.")
@store_options
def ask(
    store: str,
    *,
    labels: Path | None,
    queries: Path | None,
    depth: int,
    model: str,
    revision: str | None,
    prefix: str,
    metric: Literal["cosine", "l2", "ip"],
    options: tuple[str, ...],
    snapshot: Path | None,
    out: Path,
    **where: str | None,
) -> None:
    """
    Ask a live index for every query and write what it returns as a TREC run.

    What was asked, how and when stands beside it, in OUT.json. The run is taken by
    `labeler pool --run` and `evaluator compare`.

    Example: evaluator ask postgresql://search@db/docs --collection chunks --labels labels/demo-1
    --model folder:model -o live.run
    """
    from evaluator.checks.ask import ask_store, asked_text, read_queries
    from evaluator.checks.live import IndexSearch
    from evaluator.experiment.protocol import ModelChoice

    if (labels is None) == (queries is None):
        raise click.UsageError("Give either --labels or --queries.")
    numbers = dict(re.findall(r"^([\w.]+)=([0-9]{1,9})$", "\n".join(options), re.MULTILINE))
    if len(numbers) != len(options):
        raise click.BadParameter("expected NAME=NUMBER, each once.", param_hint="'--option'")
    asked = ask_store(
        store,
        read_queries(labels, queries),
        out=out,
        fields=store_fields(where),
        model=ModelChoice(model, revision),
        query_prefix=prefix,
        search=IndexSearch(depth, metric, {name: int(n) for name, n in numbers.items()}),
        snapshot=snapshot,
        progress=progress,
    )
    say(asked_text(asked))
    click.echo(printable(str(out)))


@click.command()
@click.argument("results", type=FILE)
@click.option("--experiment", type=FILE, help="Where the experiment file lies now.")
@AS_JSON
def reproduce(results: Path, experiment: Path | None, as_json: bool) -> None:
    """
    Compute everything that a run printed again, from its stored rankings.

    Record, tables and reports are compared with what comes out; the first difference is
    named with the stored and the recomputed value. No encoder is needed. What was timed is
    taken from the run's own notes of it.

    Example: evaluator reproduce experiments/headers.results
    """
    from evaluator.checks.reproduce import reproduce as compute_again
    from evaluator.checks.reproduce import reproduced_json, reproduced_text

    found = compute_again(results, experiment=experiment)
    write_result(reproduced_text(found), reproduced_json(found), as_json=as_json)
    if found.difference:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("figures", type=FILE, required=False)
@click.option("--template", is_flag=True, help="Print every key with its meaning, to fill in.")
@AS_JSON
def audit(figures: Path | None, *, template: bool, as_json: bool) -> None:
    """
    Check somebody else's figures: what does not add up, and what is missing.

    FIGURES is a TOML or JSON file with what a slide states: queries, rates, paired counts,
    cutoff, tokens, dates. Whatever it leaves out is asked for. Exit code 1 when something
    does not add up.

    Example: evaluator audit slide.toml
    """
    from evaluator.checks import audit as checking
    from evaluator.checks import audit_figures as stated

    if template:
        click.echo(stated.template())
        return
    if figures is None:
        raise click.UsageError("Name a file of figures, or ask for --template.")
    found = checking.audit(stated.read_figures(figures))
    write_result(checking.audit_text(found), checking.audit_json(found), as_json=as_json)
    if not found.adds_up:
        raise click.exceptions.Exit(1)
