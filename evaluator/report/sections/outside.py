"""
What was made outside of a run: chunks that the labels do not know, and judged answers.

What nobody judged is a miss in every measure, and so is a chunk of another corpus; of runs
made here all chunks are known. Answers judged end to end stand beside the retrieval figures
and never in their place.
"""

from collections.abc import Iterator

from evaluator.contrasts.model import Contrast
from evaluator.report.document import (
    Block,
    Data,
    Sentence,
    Stamp,
    Table,
    in_both,
    paragraph,
    row,
    say,
)
from evaluator.text import figures as words

# A run is a stranger when a tenth of the other run's known share is more than its own.
_HARDLY_ANY = 0.1


def unknown_chunks_stamps(contrast: Contrast) -> Iterator[Stamp]:
    """A verdict on each run whose ids are known to no label, or hardly any of them."""
    chunks = contrast.chunks
    if chunks is None:
        return
    known = {name: 1 - run.unknown / run.ids for name, run in chunks.runs.items() if run.ids}
    for name, share in known.items():
        run, most = chunks.runs[name], max(known.values())
        if share > _HARDLY_ANY * most or not run.unknown:
            continue
        more = run.unknown_distinct - len(run.unknown_first)
        which = f"{run.unknown:,} of {run.ids:,} ids in the first {chunks.k}"
        yield Stamp(
            say(f"UNKNOWN CHUNKS: {which} are in no {chunks.known_from}"),
            "bad",
            say(
                Data(name),
                " finds ",
                Data(", ".join(run.unknown_first)),
                f" and {more:,} more." if more else ".",
                " Either they are of another chunk set, or nobody judged what it finds; each "
                "counts as a miss.",
            ),
        )


def judged_shares(contrast: Contrast) -> Iterator[Sentence]:
    """Judged@k of both runs, and a word where it says nothing or a run has none."""
    chunks = contrast.chunks
    if chunks is None:
        return
    judged = {name: chunks.runs[name].judged for name in (contrast.baseline, contrast.treatment)}
    before, after = map(words.share, judged.values())
    unknown = " Only relevant chunks are recorded, so this is not how much was looked at."
    yield say(
        f"Judged@{chunks.k} is ",
        *in_both(contrast.baseline, before, contrast.treatment, after),
        "." + unknown * (not chunks.negatives_recorded),
    )
    for name, share in judged.items():
        if not share:
            yield say(
                "Nothing that ",
                Data(name),
                f" finds in the first {chunks.k} was judged for its query, so its figures say "
                "that nobody looked and not how good it is.",
            )


def answers_line(contrast: Contrast) -> Iterator[Sentence]:
    """One sentence under the headline, where somebody judged the answers."""
    if not (found := contrast.answers):
        return
    after, before = f"{words.rate(found.rate_treatment)} correct", words.rate(found.rate_baseline)
    yield say(
        "Answers judged end to end: ",
        *in_both(contrast.treatment, after, contrast.baseline, before),
        f", a difference of {words.signed(found.difference)} (95% interval "
        f"{words.interval(found.interval)}; exact McNemar, p "
        f"{words.equals(words.p_value(found.mcnemar_exact_p))}) on {found.n:,} of "
        f"{found.asked:,} queries. Exploratory: the headline is about retrieval.",
    )


def answers_blocks(contrast: Contrast) -> Iterator[Block]:
    """The four cells of the answers."""
    if not (found := contrast.answers):
        return
    columns = ("queries", "right in both", "wrong in both", "won", "lost", "p", "mid-p")
    figures = (found.n, found.both, found.neither, found.won, found.lost)
    p_values = (found.mcnemar_exact_p, found.mid_p)
    yield Table(
        row(*columns),
        (row(*map(words.count, figures), *map(words.p_value, p_values)),),
        say(
            "Won: right only with ",
            Data(contrast.treatment),
            ". Lost: right only with ",
            Data(contrast.baseline),
            ". p by the exact McNemar test. Every query counts once, with gold or without.",
        ),
        text_columns=0,
        wide=True,
    )
    if found.without_a_verdict:
        yield paragraph(
            f"{found.without_a_verdict:,} of {found.asked:,} queries have no verdict in "
            "one of the arms and are left out here."
        )
