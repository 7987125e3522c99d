"""
What stands behind every contrast of a record: the labels, what came first, limits, reproduction.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

from evaluator.order.evidence import DatedFile
from evaluator.record.facts import order_in_words
from evaluator.record.model import Labels, Record
from evaluator.report.document import (
    Block,
    Command,
    Data,
    Items,
    ReportSection,
    Table,
    paragraph,
    prose,
    row,
    say,
)
from evaluator.report.sections.doubts import overlap_blocks
from evaluator.statistics.intervals import COVERAGE
from evaluator.text import figures as words

_READING = (
    "Success@k: share of queries with at least one gold chunk among the first k.",
    "R@k: a query's gold chunks among the first k, as a share of all its gold chunks; the mean.",
    "RR@k: one over the rank of the first gold chunk, 0 below rank k; the mean.",
    "nDCG@k: gain of the chunks found, discounted by rank, against the best possible order. "
    "It uses all grades, with linear gain.",
    "Judged@k: share of the first k chunks that an assessor graded. What was never judged counts "
    "as a miss.",
    "Exact McNemar: if both arms were equally good, each changed query would fall either way "
    "like a fair coin; p is the chance of a split at least as uneven.",
    "Sign flip: the same question for graded measures, by flipping the signs of the per-query "
    "differences; all of them up to 20 changed queries, beyond by draws.",
    "Cluster sign flip: where queries are paraphrases of one need, whole groups of them change "
    "sign, so that a need counts once.",
    "Interval: one score interval for all, which is Tango's for hits. The test decides "
    "about 0 and the interval agrees: a round bracket is an end that it does not hold. Per search "
    f"the p is that of the interval. It holds the truth in at least {COVERAGE}; with few changes "
    "it is cautious.",
)

_LIMITS = (
    "Not whether answers get better: the measures stop at the chunks that reach the context.",
    "Not what another mix of documents or queries would give.",
    "Not what it is worth: the costs stand beside the gain, the decision does not follow from it.",
    "Not whether the retrieval problem is a problem of this factor at all.",
    "Not anything about relevant chunks that neither the pool nor these arms ever found.",
    "Not a level to quote: a pool flatters the system that filled it.",
)


def background_sections(record: Record) -> list[ReportSection]:
    """The sections that belong to no contrast or arm, to stand below those that do."""
    parts = (
        ("labels", "Labels, and what came first", [*_order(record), *_labels(record)]),
        ("overlap", "Do the queries quote their gold?", list(overlap_blocks(record))),
        ("limits", "What these figures do not say", [Items(row(*_LIMITS))]),
        ("reproduce", "How to reproduce them", list(_reproduce(record))),
        ("reading", "How to read the measures", [Items(row(*_READING))]),
        ("notes", "Notes", list(_notes(record))),
    )
    return [ReportSection(key, say(title), tuple(blocks)) for key, title, blocks in parts if blocks]


def _order(record: Record) -> Iterator[Block]:
    order, looks = record.labels.order, record.labels.looks
    use = f" ({order.use})" if order else ""
    yield paragraph(
        f"Were the labels frozen before the treatment? Verdict: {order_in_words(record)}{use}."
    )
    if order and order.rests_on:
        yield Items(tuple(say(prose(witness)) for witness in order.rests_on))
    if order and order.dated:
        yield _dated(order.dated)
    if looks is not None:
        yield paragraph(
            f"Looks at the held-out slice: at least {looks:,}, in this copy of the label set."
        )


def _dated(dated: Sequence[DatedFile]) -> Table:
    """Every file and declaration with its digest and its dates."""
    columns = (
        "what",
        "name",
        "sha256",
        "last changed",
        "generated",
        "declared",
        "commit found",
    )
    rows = tuple(
        row(
            each.what,
            Data(each.name),
            each.sha256[:12],
            words.utc(each.changed_at),
            prose(each.generated_at or words.MISSING),
            prose(each.declared_at or words.MISSING),
            words.utc(each.commit.committed_at if each.commit else None),
        )
        for each in dated
    )
    caption = "A date of change is weak: a copy or a clock moves it. A commit's is its committer's."
    return Table(row(*columns), rows, say(caption), text_columns=len(columns), wide=True)


def _labels(record: Record) -> Iterator[Block]:
    labels, pool = record.labels, record.labels.pool
    found_by = _listed(pool.found_by if pool else None)
    yield _filled(
        {
            "label set": labels.name,
            "frozen": words.utc(labels.frozen_at),
            "queries": _counts(labels),
            "gold means": f"grade {labels.min_grade} or more" if labels.min_grade else "",
            "grades": _listed(labels.grades),
            **_made(labels.assessment or {}),
            "pool": f"depth {pool.depth}, found by {found_by}" if pool and pool.depth else found_by,
            "traffic without gold": words.share(labels.traffic_without_gold),
        }
    )
    if labels.classes:
        yield Table(
            row("class", "can detect", "queries", "gold documents, mean"),
            tuple(
                row(
                    name,
                    prose(found.detects or "nothing"),
                    words.count(found.queries),
                    words.tokens(found.gold_documents_mean or 0.0),
                )
                for name, found in labels.classes.items()
            ),
            say("Classes differ in how many gold documents a query has: do not compare them."),
            text_columns=2,
            wide=True,
        )


def _made(assessment: Mapping[str, Any]) -> dict[str, str]:
    """Who judged, and how far they agreed; what else the set says of it stands there by name."""
    rest = dict(assessment)
    assessors, agreement = rest.pop("assessors", None) or (), rest.pop("agreement", None) or {}
    people = [f"{each['name']} ({words.count(each['pairs'])} pairs)" for each in assessors]
    rows = {"assessors": _listed(people), "agreement": _agreement(agreement)}
    return rows | {_name(key): _listed(value) for key, value in rest.items()}


def _agreement(found: Mapping[str, Any]) -> str:
    pairs, alpha = words.count(found.get("pairs judged by two or more")), found.get("alpha")
    if alpha is None:
        return f"unknown; pairs judged by two or more: {pairs}"
    within = "no interval"
    if interval := found.get("interval"):
        within = f"95% interval {interval[0]:z.2f} to {interval[1]:z.2f}"
    return f"Krippendorff's alpha {alpha:z.2f} ({within}) on {pairs} pairs"


def _counts(labels: Labels) -> str:
    kinds = [f"{count:,} {origin}" for origin, count in (labels.origins or {}).items() if count]
    total = f"{labels.queries:,}" + (f" ({', '.join(kinds)})" if kinds else "")
    return f"{total}; {words.count(labels.with_gold)} of them have gold"


def _filled(value_by_name: Mapping[str, str]) -> Table:
    """A table of names and values without the rows that the record does not fill."""
    rows = tuple(
        row(name, prose(value))
        for name, value in value_by_name.items()
        if value not in ("", words.MISSING)
    )
    return Table(row("", ""), rows, text_columns=2)


def _listed(value: object) -> str:
    """Whatever the record holds there, in words on one line; what is missing is left out."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        inner = ((_name(key), _listed(item)) for key, item in sorted(value.items()))
        named = [f"{name} {text}" for name, text in inner if text != words.MISSING]
        return ", ".join(named) or words.MISSING
    if isinstance(value, (list, tuple)):
        texts = [text for text in map(_listed, value) if text != words.MISSING]
        return ", ".join(texts) or words.MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    return words.MISSING if value in (None, "") else str(value)


def _name(key: object) -> str:
    return str(key).replace("_", " ")


def _reproduce(record: Record) -> Iterator[Block]:
    experiment, labels, snapshot = record.experiment, record.labels, record.snapshot
    commands = []
    if labels.sha256:
        path, digest = shlex.quote(labels.path), shlex.quote(labels.sha256)
        commands.append(say(Command(f"evaluator verify {path} --digest {digest}")))
    if experiment.file:
        commands.append(say(Command(f"evaluator run {shlex.quote(experiment.file)}")))
    if record.files:
        again = "evaluator reproduce ."
        commands.append(say(Command(again), " in this directory: every figure, without an encoder"))
    if commands:
        yield Items(tuple(commands))
    models = [m for arm in record.arms if (m := arm.model)]
    protocol = asdict(experiment.protocol) if experiment.protocol else {}
    yield _filled(
        {
            "experiment": _digest(experiment.sha256),
            "label set": _digest(labels.sha256),
            "snapshot": _listed([snapshot.name, snapshot.digest] if snapshot else None),
            "model": _listed(
                list(dict.fromkeys(f"{m.identity}, {m.precision}, {m.engine}" for m in models))
            ),
            **{f"protocol: {_name(key)}": _listed(value) for key, value in protocol.items()},
            "Python": _listed(record.versions and record.versions.python),
            "packages": _listed(record.versions and record.versions.packages),
            "machine": _listed(record.machine),
            "started": words.utc(record.started_at),
        }
    )


def _digest(sha256: str | None) -> str:
    return f"sha256 {sha256}" if sha256 else words.MISSING


def _notes(record: Record) -> Iterator[Block]:
    experiment = record.experiment
    notes = [experiment.note] if experiment.note else []
    notes += [f"reference: {reference}" for reference in experiment.references or ()]
    notes += record.notes
    if notes:
        yield Items(tuple(say(prose(note)) for note in notes))
