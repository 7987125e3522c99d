"""
The command that makes a workspace, with the choices that are made once.

Apart from the other commands, since it has the most options.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from evaluator.console import FILE, progress, say
from evaluator.files.records import read_text
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
