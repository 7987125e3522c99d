"""
Whether the labels know the chunks that runs made elsewhere have found.

What nobody judged is a miss in every measure, and so is a chunk of another corpus. A record
of runs that were made here has nothing of this: their chunks are known.
"""

from collections.abc import Iterator

from evaluator.record.facts import Record
from evaluator.report.document import Data, Sentence, Stamp, say
from evaluator.text import figures as words

# A run is a stranger when a tenth of the other run's known share is more than its own.
_HARDLY_ANY = 0.1


def unknown_chunks_stamps(contrast: Record) -> Iterator[Stamp]:
    """A verdict on each run whose ids are known to no label, or hardly any of them."""
    chunks = contrast.get("chunks") or {}
    runs = chunks.get("runs") or {}
    known = {name: 1 - run["unknown"] / run["ids"] for name, run in runs.items() if run["ids"]}
    for name, share in known.items():
        run, most = runs[name], max(known.values())
        if share > _HARDLY_ANY * most or not run["unknown"]:
            continue
        more = run["unknown_distinct"] - len(run["unknown_first"])
        yield Stamp(
            say(
                f"UNKNOWN CHUNKS: {run['unknown']:,} of {run['ids']:,} ids in the first "
                f"{chunks['k']} are in no {chunks['known_from']}"
            ),
            "bad",
            say(
                Data(name),
                " finds ",
                Data(", ".join(run["unknown_first"])),
                f" and {more:,} more." if more else ".",
                " Either they are of another chunk set, or nobody judged what it finds; each "
                "counts as a miss.",
            ),
        )


def judged_shares(contrast: Record) -> Iterator[Sentence]:
    """Judged@k of both runs, and a word where it says nothing or a run has none."""
    chunks = contrast.get("chunks") or {}
    runs = chunks.get("runs") or {}
    if not runs:
        return
    baseline, treatment = contrast["baseline"], contrast["treatment"]
    yield say(
        f"Judged@{chunks['k']} is {words.share(runs[baseline]['judged'])} with ",
        Data(baseline),
        f" and {words.share(runs[treatment]['judged'])} with ",
        Data(treatment),
        "."
        if chunks["negatives_recorded"]
        else ". Only relevant chunks are recorded, so this is not how much was looked at.",
    )
    for name in (baseline, treatment):
        if not runs[name]["judged"]:
            yield say(
                "Nothing that ",
                Data(name),
                f" finds in the first {chunks['k']} was judged for its query, so its figures say "
                "that nobody looked and not how good it is.",
            )
