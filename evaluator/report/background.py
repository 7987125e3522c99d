"""
What stands behind every contrast of a record: arms, labels, doubts, limits, reproduction.
"""

import shlex
from collections.abc import Iterator, Mapping

from evaluator.report import words
from evaluator.report.costs import prices
from evaluator.report.document import (
    Block,
    Command,
    Data,
    Fold,
    Items,
    Paragraph,
    Section,
    Sentence,
    Table,
    prose,
    say,
)
from evaluator.report.facts import Record, order_verdict

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
    "Randomisation: the same question for graded measures, by flipping the signs of the "
    "per-query differences.",
    "Interval for hits: Tango's score interval. For graded measures: percentile bootstrap over "
    "queries.",
)

_LIMITS = (
    "Not whether answers get better: the measures stop at the chunks that reach the context.",
    "Not what another mix of documents or queries would give.",
    "Not what it is worth: the costs stand beside the gain, the decision does not follow from it.",
    "Not whether the retrieval problem is a problem of this factor at all.",
    "Not anything about relevant chunks that neither the pool nor these arms ever found.",
    "Not a level to quote: a pool flatters the system that filled it.",
)


def background_sections(record: Record) -> list[Section]:
    """The sections that do not belong to one contrast, before and after those that do."""
    parts = (
        ("labels", "Labels, and what came first", [*_order(record), *_labels(record)]),
        ("doubts", "The other ranking", list(_other_ranking(record))),
        ("limits", "What these figures do not say", [Items(tuple(say(text) for text in _LIMITS))]),
        ("reproduce", "How to reproduce them", list(_reproduce(record))),
        ("reading", "How to read the measures", [Items(tuple(say(text) for text in _READING))]),
        ("notes", "Notes", list(_notes(record))),
    )
    return [Section(key, say(title), tuple(blocks)) for key, title, blocks in parts if blocks]


def arms_section(record: Record) -> Section:
    """The whole row: measures and every cost, one column for each arm."""
    arms = record["arms"]
    rows = [*_measure_rows(record), *_judged_rows(record)]
    pair = len(arms) == 2
    for price in prices(arms):
        figures = [price.figure(arm) for arm in arms]
        change = (say(price.change(figures[0], figures[1])),) if pair else ()
        rows.append((say(price.label), *(say(price.show(figure)) for figure in figures), *change))
    return Section(
        "arms",
        say("The whole row: measures and costs"),
        (
            Table(
                (
                    say("measure or cost"),
                    *(say(Data(arm["name"])) for arm in arms),
                    *((say("change"),) * pair),
                ),
                tuple(rows),
                _row_caption(record),
            ),
            *_arm_notes(record),
        ),
    )


def _measure_rows(record: Record) -> Iterator[tuple[Sentence, ...]]:
    arms = record["arms"]
    names = dict.fromkeys(name for arm in arms for name in arm.get("measures") or {})
    for name in names:
        found = [(arm.get("measures") or {}).get(name) or {} for arm in arms]
        cells = [
            say(words.rate(values.get("gold")))
            if record["headline"]["n"] == record["headline"]["n_gold"]
            else say(f"{words.rate(values.get('gold'))} ({words.rate(values.get('all'))})")
            for values in found
        ]
        change: tuple[Sentence, ...] = ()
        if len(arms) == 2:
            change = (say(words.difference(found[0].get("gold"), found[1].get("gold"))),)
        yield say(f"{name}, optimistic level"), *cells, *change


def _judged_rows(record: Record) -> Iterator[tuple[Sentence, ...]]:
    arms = record["arms"]
    names = dict.fromkeys(name for arm in arms for name in arm.get("judged") or {})
    change = (say(""),) * (len(arms) == 2)
    for name in names:
        figures = [(arm.get("judged") or {}).get(name) for arm in arms]
        yield say(name), *(say(words.share(figure)) for figure in figures), *change
    if not names:
        yield say("Judged@k"), *(say("negatives not recorded") for _ in arms), *change


def _row_caption(record: Record) -> Sentence:
    asked = record["headline"]
    n, n_gold = asked["n"], asked["n_gold"]
    over = f"Means over the {n_gold:,} queries with gold"
    if n != n_gold:
        over += f"; in parentheses over all {n:,}, a query without gold counting as a miss"
    return say(f"{over}. The cutoff of each measure stands in its name.")


def _arm_notes(record: Record) -> Iterator[Block]:
    notes: list[Sentence] = []
    for arm in record["arms"]:
        name, costs = Data(arm["name"]), arm.get("costs") or {}
        if costs.get("vectors_reused"):
            notes.append(
                say(
                    name,
                    f": {costs['vectors_reused']:,} vectors were reused; the encoding time is the "
                    "one measured when they were made.",
                )
            )
        unanswered = arm.get("unanswered") or []
        if unanswered:
            notes.append(
                say(
                    name,
                    f": {len(unanswered):,} queries have no results and score 0: ",
                    Data(", ".join(unanswered[:10])),
                    "." if len(unanswered) <= 10 else f" and {len(unanswered) - 10:,} more.",
                )
            )
        notes += [say(name, ": ", prose(notice)) for notice in arm.get("notices") or ()]
    if notes:
        yield Items(tuple(notes))
    strings = tuple(_arm_strings(arm) for arm in record["arms"])
    columns = ("arm", "query prefix", "document prefix", "header", "model")
    table = Table(tuple(say(c) for c in columns), strings, text_columns=len(columns), wide=True)
    yield Fold(say("What each arm puts before the texts"), (table,))


def _arm_strings(arm: Record) -> tuple[Sentence, ...]:
    model = arm.get("model") or {}
    return (
        say(Data(arm["name"])),
        *(
            say(Data(f"'{arm[key]}'")) if arm.get(key) is not None else say(words.MISSING)
            for key in ("query_prefix", "doc_prefix")
        ),
        say(Data(str(arm.get("header") or words.MISSING))),
        say(Data(str(model.get("source") or words.MISSING))),
    )


def _order(record: Record) -> Iterator[Block]:
    order = record["labels"].get("order") or {}
    yield Paragraph(
        say(f"Were the labels frozen before the treatment? Verdict: {order_verdict(record)}.")
    )
    rests_on = order.get("rests_on") or []
    if rests_on:
        yield Items(tuple(say(prose(witness)) for witness in rests_on))
    looks = record["labels"].get("looks")
    if looks is not None:
        yield Paragraph(
            say(f"Looks at the held-out slice: at least {looks:,}, in this copy of the label set.")
        )


def _labels(record: Record) -> Iterator[Block]:
    labels = record["labels"]
    pool, origins = labels.get("pool") or {}, labels.get("origins") or {}
    rows = [
        (say("label set"), say(Data(str(labels.get("name") or words.MISSING)))),
        (say("frozen"), say(words.utc(labels.get("frozen_at")))),
        (say("queries"), say(_counts(labels.get("queries"), labels.get("with_gold"), origins))),
        (say("gold means"), say(f"grade {labels.get('min_grade', words.MISSING)} or more")),
        (say("grades"), say(prose(_listed(labels.get("grades"))))),
        (say("how they were made"), say(prose(_listed(labels.get("assessment"))))),
        (
            say("pool"),
            say(
                f"depth {pool.get('depth') or words.MISSING}, found by ",
                prose(_listed(pool.get("found_by"))),
            ),
        ),
        (say("traffic without gold"), say(words.share(labels.get("traffic_without_gold")))),
    ]
    yield Table((say(""), say("")), tuple(rows), text_columns=2)
    classes: Mapping[str, Record] = labels.get("classes") or {}
    if classes:
        yield Table(
            (say("class"), say("can detect"), say("queries"), say("gold documents, mean")),
            tuple(
                (
                    say(name),
                    say(prose(found.get("detects") or words.MISSING)),
                    say(words.count(found.get("queries"))),
                    say(words.tokens(found.get("gold_documents_mean"))),
                )
                for name, found in classes.items()
            ),
            say("Classes differ in how many gold documents a query has: do not compare them."),
            text_columns=2,
            wide=True,
        )


def _counts(queries: int | None, with_gold: int | None, origins: Mapping[str, int]) -> str:
    kinds = ", ".join(f"{count:,} {origin}" for origin, count in origins.items() if count)
    return f"{words.count(queries)}, of these {words.count(with_gold)} with gold ({kinds})"


def _listed(value: object) -> str:
    """Whatever the record holds there, on one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_listed(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(_listed(item) for item in value)
    return words.MISSING if value in (None, "") else str(value)


def _other_ranking(record: Record) -> Iterator[Block]:
    rows = []
    for arm in record["arms"]:
        rankings = arm.get("rankings") or {}
        for name, value in (rankings.get("other_measures") or {}).items():
            level = value.get("gold") if isinstance(value, Mapping) else value
            own = ((arm.get("measures") or {}).get(name) or {}).get("gold")
            rows.append(
                (say(Data(arm["name"])), say(name), say(words.rate(own)), say(words.rate(level)))
            )
    if not rows:
        return
    rankings = record["arms"][0].get("rankings") or {}
    columns = ("arm", "measure", str(rankings.get("primary")), str(rankings.get("other")))
    yield Table(tuple(say(column) for column in columns), tuple(rows), text_columns=2)
    for arm in record["arms"]:
        differ = (arm.get("rankings") or {}).get("hits_that_differ")
        if differ is not None:
            yield Paragraph(
                say(
                    Data(arm["name"]),
                    f": {differ:,} of {record['headline']['n_gold']:,} queries change between hit "
                    "and miss in the other ranking.",
                )
            )


def _reproduce(record: Record) -> Iterator[Block]:
    experiment, labels, snapshot = record["experiment"], record["labels"], record["snapshot"]
    path, digest = str(labels.get("path") or "LABELS"), str(labels.get("sha256") or "")
    yield Items(
        (
            say(Command(f"evaluator verify {shlex.quote(path)} --digest {shlex.quote(digest)}")),
            say(
                Command(f"evaluator run {shlex.quote(str(experiment.get('file') or 'EXPERIMENT'))}")
            ),
        )
    )
    models = dict.fromkeys(str((arm.get("model") or {}).get("identity")) for arm in record["arms"])
    versions = record.get("versions") or {}
    rows = [
        ("experiment", f"sha256 {experiment.get('sha256')}"),
        ("label set", f"sha256 {digest}"),
        ("snapshot", f"{snapshot.get('name')}, {snapshot.get('digest')}"),
        ("model", ", ".join(models)),
        ("protocol", _listed(experiment.get("protocol"))),
        ("Python", str(versions.get("python") or words.MISSING)),
        ("packages", _listed(versions.get("packages"))),
        ("machine", _listed(record.get("machine"))),
        ("started", words.utc(record.get("started_at"))),
    ]
    yield Table(
        (say(""), say("")),
        tuple((say(name), say(Data(value))) for name, value in rows),
        text_columns=2,
    )


def _notes(record: Record) -> Iterator[Block]:
    notes = [str(note) for note in record.get("notes") or []]
    experiment = record["experiment"]
    references = [f"reference: {reference}" for reference in experiment.get("references") or []]
    notes = [*([str(experiment["note"])] if experiment.get("note") else []), *references, *notes]
    if notes:
        yield Items(tuple(say(prose(note)) for note in notes))
