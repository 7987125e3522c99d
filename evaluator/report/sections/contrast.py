"""
What a contrast is made of, section by section, below the first screen.

Each function turns one part of the record into blocks and returns none where the record
has nothing to say. Figures are only written here, never computed anew.
"""

from collections.abc import Iterator, Sequence

from evaluator.record.facts import (
    Record,
    arm_by_name,
    cells_at,
    cutoffs,
    in_order,
    is_clustered,
    level_word,
    measured,
    primary_of,
)
from evaluator.report.document import (
    Block,
    Data,
    Fold,
    IntervalChart,
    Paragraph,
    ReportSection,
    Sentence,
    Table,
    interval_line,
    paragraph,
    prose,
    row,
    say,
)
from evaluator.report.sections.doubts import clusters, doubt_blocks
from evaluator.report.sections.evidence import closure_blocks, group_blocks, held_still_blocks
from evaluator.report.sections.flips import flip_blocks
from evaluator.report.sections.headline import headline, speaks_of_searches
from evaluator.report.sections.outside import answers_blocks
from evaluator.report.sections.per_search import traffic_blocks
from evaluator.report.sections.rankings import ranking_blocks
from evaluator.text import figures as words

_UNEVENLY_JUDGED = 0.02


def contrast_sections(record: Record, contrast: Record, *, number: int) -> list[ReportSection]:
    """Everything about one contrast, in the order in which doubts arise."""
    names = _names(contrast)
    parts = (
        ("measures", "Measures", _measures(record, contrast)),
        ("cells", "Hits and misses, query by query", _cells(contrast)),
        ("cutoff", "Would a larger k do the same?", _cutoff(record, contrast)),
        ("answers", "Did the answers get better?", answers_blocks(contrast)),
        ("flips", "Queries that changed", flip_blocks(record, contrast)),
        ("traffic", "Per search instead of per query", traffic_blocks(contrast)),
        ("groups", "Source by source, class by class", group_blocks(contrast)),
        ("doubts", "What do the labels leave open?", doubt_blocks(contrast)),
        ("ranking", "Does the other ranking agree?", ranking_blocks(record, contrast)),
        ("closure", "Do the figures fit together?", closure_blocks(contrast)),
        ("still", "What was held still", held_still_blocks(contrast)),
    )
    several = len(record["contrasts"]) > 1
    return [
        ReportSection(
            f"{key}-{number}",
            say(title, " (", *names, ")") if several or key == "measures" else say(title),
            tuple(blocks),
        )
        for key, title, found in parts
        if (blocks := list(found))
    ]


def other_contrasts_section(record: Record) -> list[ReportSection]:
    """One line for each contrast of the file, so that none hides behind the first."""
    if len(record["contrasts"]) < 2:
        return []
    return [ReportSection("contrasts", say("All contrasts"), tuple(_all_contrasts(record)))]


def _all_contrasts(record: Record) -> Iterator[Block]:
    contrasts = record["contrasts"]
    adjusted = all(contrast["primary"].get("p_holm") is not None for contrast in contrasts)
    searches = any(speaks_of_searches(record, contrast) for contrast in contrasts)
    rows, lines = [], []
    for contrast in contrasts:
        found, name = headline(record, contrast), say(*_names(contrast))
        lines.append(interval_line(name, found.difference, found.interval))
        figures = [
            words.rate(found.baseline),
            words.rate(found.treatment),
            words.signed(found.difference),
            *([] if searches else _p_values(contrast, adjusted=adjusted)),
        ]
        factor = str(contrast.get("label") or contrast.get("factor") or words.MISSING)
        rows.append(row(name, factor, found.measure, *(figure for figure in figures)))
    columns = ["contrast", "factor", "measure", "baseline", "treatment", "difference"]
    columns += [] if searches else ["p", "Holm p"][: 1 + adjusted]
    yield Table(row(*columns), tuple(rows), text_columns=3, wide=True)
    yield IntervalChart(
        tuple(line for line in lines if line),
        say("Difference with its 95% interval, not adjusted"),
    )
    if not adjusted and not searches:
        yield paragraph(
            f"The p-values are not adjusted for the {len(contrasts)} contrasts of this file."
        )


def _p_values(contrast: Record, *, adjusted: bool) -> list[str]:
    """The p of the primary measure and, where all contrasts have it, the adjusted one."""
    found = [measured(contrast, primary_of(contrast)[0]).get("p")]
    found += [contrast["primary"]["p_holm"]] if adjusted else []
    return [words.p_value(p) for p in found]


def _names(contrast: Record) -> Sentence:
    return say(Data(contrast["treatment"]), " against ", Data(contrast["baseline"]))


def _measures(record: Record, contrast: Record) -> Iterator[Block]:
    primary, _ = primary_of(contrast)
    found = contrast.get("measures") or {}
    names = in_order(found, primary=primary)
    rows = [
        row(
            f"{name} (primary)" if name == primary else name,
            str(found[name].get("note") or found[name].get("test") or "no test"),
            words.rate(found[name].get("baseline")),
            words.rate(found[name].get("treatment")),
            words.signed(found[name].get("difference")),
            words.interval(found[name].get("interval")),
            words.p_value(found[name].get("p")),
        )
        for name in names
    ]
    columns = ("measure", "test", "baseline", "treatment", "difference", "95% interval", "p")
    asked = record["headline"]
    decides = "primary measure"
    if speaks_of_searches(record, contrast):
        decides = "headline, which weighs them by their searches,"
    yield Table(
        row(*columns),
        tuple(rows),
        say(
            f"Means over the {asked['n_gold']:,} queries with gold, each counted once. Levels are "
            f"{level_word(record)}. Only the {decides} decides; the others are exploratory, and "
            "no interval is adjusted for their number."
        ),
        text_columns=2,
        wide=True,
    )
    yield from _grade_and_gain(record, names)
    yield from _too_few_for_an_interval([found[name] for name in names])
    yield from (Paragraph(sentence) for sentence in clusters(contrast))
    yield from _judged(record, contrast)
    lines = [
        interval_line(say(name), found[name].get("difference"), found[name].get("interval"))
        for name in names
    ]
    yield IntervalChart(
        tuple(line for line in lines if line), say("Difference with its 95% interval")
    )


def _grade_and_gain(record: Record, names: Sequence[str]) -> Iterator[Block]:
    """What the names of measures leave out: the grade of gold, and what a grade is worth."""
    min_grade = record["labels"].get("min_grade")
    said = [] if min_grade is None else [f"Gold is grade {min_grade} or more (rel={min_grade})."]
    said += ["nDCG: linear gain."] if any(name.startswith("nDCG@") for name in names) else []
    if said:
        yield paragraph(" ".join(said))


def _too_few_for_an_interval(measures: Sequence[Record]) -> Iterator[Block]:
    """Why, where queries are too few; of clusters it is said apart."""
    too_few = (
        str(one["interval_method"])
        for one in measures
        if not (one.get("interval") or one.get("note") or one.get("clusters"))
    )
    for reason in dict.fromkeys(too_few):
        yield paragraph(f"Graded measures: {reason}, since a bootstrap would be too narrow.")


def _judged(record: Record, contrast: Record) -> Iterator[Block]:
    """A warning when one arm brings up more chunks that nobody has judged than the other."""
    name = f"Judged@{primary_of(contrast)[1]}"
    arms = [contrast["baseline"], contrast["treatment"]]
    before, after = ((arm_by_name(record, arm).get("judged") or {}).get(name) for arm in arms)
    if before is None or after is None or abs(after - before) < _UNEVENLY_JUDGED:
        return
    yield paragraph(
        f"{name} is {words.share(before)} with ",
        Data(arms[0]),
        f" and {words.share(after)} with ",
        Data(arms[1]),
        ". What nobody judged counts as a miss, so the arm with less of it judged may be "
        "better than it looks here.",
    )


def _cells(contrast: Record) -> Iterator[Block]:
    ks = cutoffs(contrast)
    if not ks:
        return
    rows = []
    for k in ks:
        cells, extra = cells_at(contrast, k), contrast["cells"][str(k)]
        assert cells is not None
        figures = (cells.n, cells.both, cells.neither, cells.won, cells.lost)
        rows.append(
            row(
                f"k = {k}",
                *(words.count(figure) for figure in figures),
                words.p_value(extra.get("mcnemar_exact_p")),
                words.p_value(extra.get("mid_p")),
            )
        )
        for note in cells.notes:
            yield paragraph(note)
    columns = ("cutoff", "queries", "hit in both", "missed in both", "won", "lost")
    tests = ("exact McNemar p", "mid-p")
    alone = ", paraphrases too; the test by cluster decides" * is_clustered(contrast)
    yield Table(
        row(*columns + tests),
        tuple(rows),
        say(
            "Won: hit only with ",
            Data(contrast["treatment"]),
            ". Lost: hit only with ",
            Data(contrast["baseline"]),
            f". Missed in both is what is left of the queries. Every query counts once{alone}.",
        ),
        wide=True,
    )
    yield from _yardsticks(contrast)


def _yardsticks(contrast: Record) -> Iterator[Block]:
    """Other people's error bars, each under the name of what it is."""
    _, k = primary_of(contrast)
    errors = ((contrast.get("cells") or {}).get(str(k)) or {}).get("standard_errors") or {}
    names = (
        ("paired", "standard error of the paired difference (Wald)"),
        ("one_arm_baseline", "standard error of the baseline's level alone"),
        ("one_arm_treatment", "standard error of the treatment's level alone"),
        ("as_if_unpaired", "standard error as if the arms had answered different queries"),
        (
            "rule_of_thumb_band",
            "rule-of-thumb band: twice one arm's standard error, at the mean of both levels",
        ),
    )
    rows = [row(name, f"{errors[key]:.4f}") for key, name in names if errors.get(key) is not None]
    if rows:
        yield Fold(
            say("Yardsticks that others quote"),
            (
                Table(
                    row("yardstick", f"at k = {k}"),
                    tuple(rows),
                    say("None of these decides anything here; the exact test and the interval do."),
                ),
            ),
        )


def _cutoff(record: Record, contrast: Record) -> Iterator[Block]:
    """The four cells with their margins, the same in words, and what the larger k costs."""
    table = contrast.get("k_by_treatment")
    if not table:
        return
    yield _cutoff_table(contrast, table)
    yield paragraph(str(table["text"]))
    yield from (paragraph(prose(note)) for note in table.get("notes") or ())
    yield from _cutoff_price(record, contrast, table)


def _cutoff_table(contrast: Record, table: Record) -> Table:
    """Levels inside; in the margins what each change does at each level of the other."""
    k, k2 = table["k"], table["k2"]
    rows: list[tuple[Sentence, ...]] = []
    for role in ("baseline", "treatment"):
        at_k, at_k2 = table[f"{role}_k"], table[f"{role}_k2"]
        shown = words.rate(at_k), words.rate(at_k2), words.difference(at_k, at_k2)
        rows.append(row(Data(contrast[role]), *map(say, shown)))
    effects = table["effect_of_treatment"]
    rows.append(
        row(
            "treatment less baseline",
            words.signed(effects["at_k"]),
            words.signed(effects["at_k2"]),
            f"interaction {words.signed(table['interaction'])}",
        )
    )
    return Table(
        row(
            str(table.get("measure") or "Success@k").split("@")[0],
            f"k = {k}",
            f"k = {k2}",
            "larger k less smaller",
        ),
        tuple(rows),
        say(
            f"Main effects: treatment {words.signed(table['main_effect_of_treatment'])}, "
            f"k {words.signed(table['main_effect_of_k'])}. Subtracted, not tested."
        ),
    )


def _cutoff_price(record: Record, contrast: Record, table: Record) -> Iterator[Block]:
    k, k2 = table["k"], table["k2"]
    costs = arm_by_name(record, contrast["treatment"]).get("costs") or {}
    per_query = costs.get("header_tokens_per_query") or {}
    if per_query.get(str(k)) and per_query.get(str(k2)):
        yield paragraph(
            f"A larger k has its own price: twice the retrieved text, and "
            f"{words.tokens(per_query[str(k2)])} instead of {words.tokens(per_query[str(k)])} "
            "header tokens per query in ",
            Data(contrast["treatment"]),
            ".",
        )
