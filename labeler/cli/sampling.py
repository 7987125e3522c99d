"""
The commands on which queries are judged: how many, which ones, and whether they still fit.
"""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.console import AS_JSON, FILE, printable, progress, say, write_json, write_result
from evaluator.text.messages import counted
from labeler.cli.options import WORK, log_options, opened, removed

if TYPE_CHECKING:
    from labeler.freezing.plan import Present, Question

_DESIGNS = ("proportional", "permanent", "uniform", "top")


@click.command()
@WORK
@click.option("--size", default=480, show_default=True, help="How many queries to draw.")
@click.option("--seed", default=13, show_default=True, help="Where the drawing starts.")
@click.option(
    "--design",
    type=click.Choice(_DESIGNS),
    default="proportional",
    show_default=True,
    help="How to draw; each says what it cannot say.",
)
@click.option("--by", multiple=True, metavar="RULE", help="type, length, file, column:NAME.")
@click.option(
    "--log",
    "files",
    type=FILE,
    multiple=True,
    help="A log file again, for file and column.",
)
@click.option("--refresh", type=FILE, metavar="LABELS", help="Draw a successor of this label set.")
@removed("--former", "A successor takes the log of a set no more, but permanent numbers.")
@click.option("--keep-symbols", is_flag=True, help="Draw queries without letter or digit, too.")
@click.option("--look", is_flag=True, help="Only look: print the design and keep nothing.")
@AS_JSON
def sample(work: Path, look: bool, as_json: bool, **options: Any) -> None:
    """
    Draw queries in proportion to how often they were asked, and print the design.

    --by cuts the log into strata and may be repeated; --refresh keeps as many queries of a
    frozen set, drawn with --design permanent, as the new log allows.
    Example: labeler sample work --size 480 --by type
    """
    from labeler.sampling.design_text import design_text
    from labeler.sampling.successor import draw, successor_text

    workspace = opened(work)
    drawn, before = draw(workspace, **options), workspace.queries.sample()
    if not look:
        workspace.queries.save_sample(drawn.design, drawn.queries)
    if as_json:
        write_json(drawn.design.to_json())
        return
    click.echo(printable(design_text(drawn.design)))
    if text := successor_text(drawn.design):
        click.echo(text)
    kept = f"{counted(len(drawn.queries), 'query', many='queries')} drawn."
    say("Nothing was kept." if look else kept)
    if before and not look:
        say(
            f"They replace an earlier sample of {before.drawn:,}, its pool and who was to judge it."
        )


@click.command()
@click.argument("place", type=FILE, required=False)
@click.option("--flip-share", type=float, required=True, help="Share of queries that will change.")
@click.option("--difference", type=float, help="Smallest difference worth a decision.")
@click.option("--queries", type=int, help="Instead: what so many queries can show.")
@click.option(
    "--measure",
    type=click.Choice(["hits", "graded"]),
    default="hits",
    show_default=True,
    help="Success@k, or a measure between 0 and 1.",
)
@click.option("--sd", type=float, help="Graded: standard deviation of the paired differences.")
@click.option("--held-out-share", type=float, help="Documents held out. Default: 0.2, or PLACE's.")
@click.option("--gold-documents", default=1, show_default=True, help="Gold documents per query.")
@click.option("--gold-share", type=float, help="Queries with gold. Default: 1, or PLACE's.")
@click.option("--power", default=0.8, show_default=True, help="Chance of seeing the difference.")
@click.option("--level", default=0.05, show_default=True, help="Level of the test.")
@AS_JSON
def plan(place: Path | None, as_json: bool, **options: Any) -> None:
    """
    Say how many queries a difference takes, how many hours, and what is there already.

    PLACE is a label set or a workspace. Example: labeler plan --flip-share 0.1 --difference 0.03
    """
    from labeler.freezing.plan import make_plan, plan_text

    question = _question(**options)
    present: list[Present] = []
    if place is not None:
        question, present = _with_present(place, question, options)
    found = make_plan(question, present=present)
    write_result(plan_text(found), asdict(found), as_json=as_json)


@click.command()
@click.argument("labels", type=FILE)
@click.argument("files", metavar="LOG...", type=FILE, nargs=-1, required=True)
@log_options
@AS_JSON
def age(labels: Path, files: tuple[Path, ...], as_json: bool, **layout: Any) -> None:
    """
    Compare a frozen label set with newer logs: what it still carries, what came, what went.

    Queries are made equal, and private data is treated, as when the set was drawn.
    Example: labeler age labels/handbook-1 searches-2027.csv
    """
    from evaluator.labelset.format import read_label_set
    from labeler.logs.columns import Shape
    from labeler.logs.read import merged_queries, read_log
    from labeler.sampling.age import age_of, windows
    from labeler.sampling.age_text import age_text
    from labeler.sampling.successor import FormerSample

    sample = FormerSample.of_labels(read_label_set(labels))
    readings = [read_log(path, Shape(**layout), **sample.reading) for path in files]
    found = age_of(sample, merged_queries(readings))
    then, now = windows(sample.design, [reading.record for reading in readings])
    record = found.as_record() | {"window_then": then, "window_now": now}
    write_result(age_text(found, then=then, now=now), record, as_json=as_json)


@click.command()
@WORK
@AS_JSON
def wording(work: Path, as_json: bool) -> None:
    """
    Flag known-answer and authored queries that are worded like headings, against the log.

    No query is left out for it; the flags are frozen. Example: labeler wording work
    """
    from labeler.queries.heading_words import check_wording, read_vocabulary, wording_text

    workspace = opened(work)
    snapshot = workspace.snapshot
    chunks = progress(snapshot.chunks(), label="Reading chunks", total=len(snapshot))
    log = [query.text for query in workspace.queries.log_queries()]
    check = check_wording(workspace.queries.all(), read_vocabulary(chunks), log=log)
    workspace.queries.keep_wording(check.as_record())
    write_result(wording_text(check), check.as_record(), as_json=as_json)


def _question(
    *, measure: str, held_out_share: float | None, gold_share: float | None, **options: Any
) -> "Question":
    from labeler.freezing.plan import Question

    if (measure == "graded") != (options["sd"] is not None):
        raise click.UsageError("--measure graded and --sd go together.")
    return Question(
        held_out_share=0.2 if held_out_share is None else held_out_share,
        gold_share=1.0 if gold_share is None else gold_share,
        **options,
    )


def _with_present(
    place: Path, question: "Question", options: dict[str, Any]
) -> tuple["Question", list["Present"]]:
    """The question with the shares that a set or workspace has, and what it can detect."""
    from labeler.freezing.plan import classed_queries, gold_share, present_queries

    standing = classed_queries(place)
    share = gold_share(standing.class_by_query)
    if options["held_out_share"] is None:
        question = replace(question, held_out_share=standing.held_out_share)
    if options["gold_share"] is None and share is not None:
        question = replace(question, gold_share=share)
    return question, present_queries(standing.queries, standing.class_by_query, question)
