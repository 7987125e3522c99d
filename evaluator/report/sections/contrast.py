"""
What a contrast is made of, section by section, below the first screen.

Each function turns one part of the record into blocks and returns none where the record
has nothing to say. Figures are only written here, never computed anew.
"""

from collections.abc import Iterable, Iterator

from evaluator.contrasts.model import Contrast, CutoffTable, MeasureFigures
from evaluator.record.facts import (
    arm_by_name,
    cells_at,
    cutoffs,
    header_tokens,
    in_order,
    is_clustered,
    level_word,
    primary_figures,
)
from evaluator.record.model import Record
from evaluator.report.document import (
    Block,
    Data,
    Fold,
    Paragraph,
    ReportSection,
    Sentence,
    Table,
    in_both,
    interval_chart,
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


def contrast_sections(record: Record, contrast: Contrast, *, number: int) -> list[ReportSection]:
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
    several = len(record.contrasts) > 1
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
    if len(record.contrasts) < 2:
        return []
    return [ReportSection("contrasts", say("All contrasts"), tuple(_all_contrasts(record)))]


def _all_contrasts(record: Record) -> Iterator[Block]:
    contrasts = record.contrasts
    adjusted = all(contrast.primary.p_holm is not None for contrast in contrasts)
    per_search = any(speaks_of_searches(record, contrast) for contrast in contrasts)
    rows, intervals = [], []
    for contrast in contrasts:
        found, name = headline(record, contrast), _names(contrast)
        intervals.append((name, found.difference, found.interval))
        levels = (words.rate(found.baseline), words.rate(found.treatment))
        p_values = (primary_figures(contrast).p, contrast.primary.p_holm)[: 1 + adjusted]
        rows.append(
            row(
                name,
                contrast.label or contrast.factor or words.MISSING,
                found.measure,
                *levels,
                words.signed(found.difference),
                *(() if per_search else map(words.p_value, p_values)),
            )
        )
    columns = ["contrast", "factor", "measure", "baseline", "treatment", "difference"]
    columns += [] if per_search else ["p", "Holm p"][: 1 + adjusted]
    yield Table(row(*columns), tuple(rows), text_columns=3, wide=True)
    yield interval_chart(intervals, "Difference with its 95% interval, not adjusted")
    if not adjusted and not per_search:
        yield paragraph(
            f"The p-values are not adjusted for the {len(contrasts)} contrasts of this file."
        )


def _names(contrast: Contrast) -> Sentence:
    return say(Data(contrast.treatment), " against ", Data(contrast.baseline))


def _measures(record: Record, contrast: Contrast) -> Iterator[Block]:
    primary = contrast.primary.measure
    names = in_order(contrast.measures, primary=primary)
    figures = {name: contrast.measures[name] for name in names}
    rows = [
        row(
            f"{name} (primary)" if name == primary else name,
            found.note or found.test,
            words.rate(found.baseline),
            words.rate(found.treatment),
            words.signed(found.difference),
            words.interval(found.interval),
            words.p_value(found.p),
        )
        for name, found in figures.items()
    ]
    decides = "primary measure"
    if speaks_of_searches(record, contrast):
        decides = "headline, which weighs them by their searches,"
    yield Table(
        row("measure", "test", "baseline", "treatment", "difference", "95% interval", "p"),
        tuple(rows),
        say(
            f"Means over the {record.headline.n_gold:,} queries with gold, each counted once. "
            f"Levels are {level_word(record)}. Only the {decides} decides; the others are "
            "exploratory, and no interval is adjusted for their number."
        ),
        text_columns=2,
        wide=True,
    )
    # What the names of measures leave out: the grade of gold, and what a grade is worth.
    min_grade = record.labels.min_grade
    gain = " nDCG: linear gain." * any(name.startswith("nDCG@") for name in figures)
    yield paragraph(f"Gold is grade {min_grade} or more (rel={min_grade}).{gain}")
    yield from _too_few_for_an_interval(figures.values())
    yield from (Paragraph(sentence) for sentence in clusters(contrast))
    yield from _unevenly_judged(record, contrast)
    intervals = [(say(name), found.difference, found.interval) for name, found in figures.items()]
    yield interval_chart(intervals, "Difference with its 95% interval")


def _too_few_for_an_interval(figures: Iterable[MeasureFigures]) -> Iterator[Block]:
    """Why, where queries are too few; of clusters it is said apart."""
    too_few = (one.interval_method for one in figures if not (one.interval or one.clusters))
    for reason in dict.fromkeys(too_few):
        yield paragraph(f"Graded measures: {reason}.")


def _unevenly_judged(record: Record, contrast: Contrast) -> Iterator[Block]:
    """A warning when one arm brings up more chunks that nobody has judged than the other."""
    name = f"Judged@{contrast.primary.k}"
    before = arm_by_name(record, contrast.baseline).judged.get(name)
    after = arm_by_name(record, contrast.treatment).judged.get(name)
    if before is None or after is None or abs(after - before) < _UNEVENLY_JUDGED:
        return
    yield paragraph(
        f"{name} is ",
        *in_both(contrast.baseline, words.share(before), contrast.treatment, words.share(after)),
        ". What nobody judged counts as a miss, so the arm with less of it judged may be "
        "better than it looks here.",
    )


def _cells(contrast: Contrast) -> Iterator[Block]:
    rows = []
    for k in cutoffs(contrast):
        cells, figures = cells_at(contrast, k), contrast.cells[str(k)]
        assert cells is not None
        counts = (cells.n, cells.both, cells.neither, cells.won, cells.lost)
        p_values = (figures.mcnemar_exact_p, figures.mid_p)
        rows.append(row(f"k = {k}", *map(words.count, counts), *map(words.p_value, p_values)))
        yield from (paragraph(note) for note in cells.notes)
    columns = ("cutoff", "queries", "hit in both", "missed in both", "won", "lost")
    alone = ", paraphrases too; the test by cluster decides" * is_clustered(contrast)
    yield Table(
        row(*columns, "exact McNemar p", "mid-p"),
        tuple(rows),
        say(
            "Won: hit only with ",
            Data(contrast.treatment),
            ". Lost: hit only with ",
            Data(contrast.baseline),
            f". Missed in both is what is left of the queries. Every query counts once{alone}.",
        ),
        wide=True,
    )
    yield from _yardsticks(contrast)


def _yardsticks(contrast: Contrast) -> Iterator[Block]:
    """Other people's error bars, each under the name of what it is."""
    k = contrast.primary.k
    errors = contrast.cells[str(k)].standard_errors
    yardsticks = (
        ("standard error of the paired difference (Wald)", errors.paired),
        ("standard error of the baseline's level alone", errors.one_arm_baseline),
        ("standard error of the treatment's level alone", errors.one_arm_treatment),
        ("standard error as if the arms had answered different queries", errors.as_if_unpaired),
        (
            "rule-of-thumb band: twice one arm's standard error, at the mean of both levels",
            errors.rule_of_thumb_band,
        ),
    )
    table = Table(
        row("yardstick", f"at k = {k}"),
        tuple(row(name, f"{error:.4f}") for name, error in yardsticks),
        say("None of these decides anything here; the exact test and the interval do."),
    )
    yield Fold(say("Yardsticks that others quote"), (table,))


def _cutoff(record: Record, contrast: Contrast) -> Iterator[Block]:
    """The four cells with their margins, the same in words, and what the larger k costs."""
    table = contrast.k_by_treatment
    yield _cutoff_table(contrast, table)
    yield paragraph(table.text)
    yield from (paragraph(prose(note)) for note in table.notes)
    tokens = header_tokens(arm_by_name(record, contrast.treatment))
    if tokens.get(table.k) and tokens.get(table.k2):
        yield paragraph(
            f"A larger k has its own price: twice the retrieved text, and "
            f"{words.tokens(tokens[table.k2])} instead of {words.tokens(tokens[table.k])} "
            "header tokens per query in ",
            Data(contrast.treatment),
            ".",
        )


def _cutoff_table(contrast: Contrast, table: CutoffTable) -> Table:
    """Levels inside; in the margins what each change does at each level of the other."""
    levels = (
        (contrast.baseline, table.baseline_k, table.baseline_k2),
        (contrast.treatment, table.treatment_k, table.treatment_k2),
    )
    measure, effects = table.measure.split("@")[0], table.effect_of_treatment
    at_each_k = words.signed(effects.at_k), words.signed(effects.at_k2)
    return Table(
        row(measure, f"k = {table.k}", f"k = {table.k2}", "larger k less smaller"),
        (
            *(
                row(Data(arm), words.rate(at_k), words.rate(at_k2), words.difference(at_k, at_k2))
                for arm, at_k, at_k2 in levels
            ),
            row(
                "treatment less baseline",
                *at_each_k,
                f"interaction {words.signed(table.interaction)}",
            ),
        ),
        say(
            f"Main effects: treatment {words.signed(table.main_effect_of_treatment)}, "
            f"k {words.signed(table.main_effect_of_k)}. Subtracted, not tested."
        ),
    )
