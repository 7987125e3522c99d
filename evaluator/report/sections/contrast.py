"""
What a contrast is made of below the first screen: what to read, and the appendix.

Each function turns one part of the record into blocks and returns none where the record
has nothing to say. Figures are only written here, never computed anew.
"""

from collections.abc import Iterable, Iterator

from evaluator.contrasts.model import Contrast
from evaluator.record.facts import (
    cells_at,
    closures,
    cutoffs,
    in_order,
    is_clustered,
)
from evaluator.record.model import Record
from evaluator.report.document import (
    Block,
    Data,
    ReportSection,
    Sentence,
    Table,
    drawn_interval,
    paragraph,
    prose,
    row,
    say,
)
from evaluator.report.sections.costs import cost_blocks
from evaluator.report.sections.doubts import doubt_blocks, range_blocks
from evaluator.report.sections.evidence import (
    answers_blocks,
    closure_blocks,
    constant_blocks,
    ranking_blocks,
)
from evaluator.report.sections.flips import flip_blocks, flip_story_blocks
from evaluator.report.sections.groups import other_group_blocks, source_blocks, traffic_blocks
from evaluator.report.sections.headline import headline
from evaluator.statistics.cells import one_arm_standard_error
from evaluator.text import figures as words

_Part = tuple[str, str, Iterable[Block]]


def reading_sections(record: Record, contrast: Contrast, *, number: int) -> list[ReportSection]:
    """What everybody reads who decides: flips, sources, costs and doubts."""
    return _sections(
        record,
        contrast,
        number,
        *_closures(contrast, broken=True),
        ("flips", "Queries that changed", flip_blocks(record, contrast)),
        ("answers", "Did the answers get better?", answers_blocks(contrast)),
        ("sources", "Source by source", source_blocks(contrast)),
        ("costs", "What it costs", cost_blocks(record, contrast)),
        ("doubts", "What could be wrong", doubt_blocks(record, contrast)),
    )


def appendix_sections(record: Record, contrast: Contrast, *, number: int) -> list[ReportSection]:
    """What whoever checks the contrast looks up."""
    return _sections(
        record,
        contrast,
        number,
        ("measures", "How the measures were tested", _tests(contrast)),
        ("cells", "Hits and misses at k and 2k", _cells(contrast)),
        ("cutoff", "A larger k instead", _cutoff(contrast)),
        ("traffic", "Per search instead of per query", traffic_blocks(contrast)),
        ("groups", "Strata, classes and origins", other_group_blocks(contrast)),
        ("stories", "What happened to each query", flip_story_blocks(contrast)),
        ("ranges", "Unjudged chunks, measure by measure", range_blocks(contrast)),
        ("ranking", "The other ranking", ranking_blocks(record, contrast)),
        *_closures(contrast, broken=False),
        ("constants", "What was equal in both arms", constant_blocks(contrast)),
    )


def _closures(contrast: Contrast, *, broken: bool) -> list[_Part]:
    """The checks of sums, which are in the appendix unless one of them is broken."""
    if broken != bool(closures(contrast)[1]):
        return []
    return [("closure", "Do the figures fit together?", closure_blocks(contrast))]


def contrasts_section(record: Record) -> list[ReportSection]:
    """One line for each contrast of the file, so that none hides behind the first."""
    if len(record.contrasts) < 2:
        return []
    return [ReportSection("contrasts", say("All contrasts"), tuple(_all_contrasts(record)))]


def _sections(
    record: Record, contrast: Contrast, number: int, *parts: _Part
) -> list[ReportSection]:
    """Those of the parts that have something to say, under the names of the arms if needed."""
    names = say(" (", *_names(contrast), ")") if len(record.contrasts) > 1 else ()
    return [
        ReportSection(f"{key}-{number}", say(title, *names), tuple(blocks))
        for key, title, found in parts
        if (blocks := list(found))
    ]


def _all_contrasts(record: Record) -> Iterator[Block]:
    contrasts = record.contrasts
    found = [headline(record, contrast) for contrast in contrasts]
    rows = [
        row(
            _names(contrast),
            contrast.label or contrast.factor or words.MISSING,
            one.measure,
            *map(words.rate, (one.baseline, one.treatment)),
            words.signed(one.difference),
            words.interval(one.interval),
            *("" if p is None else words.p_value(p) for p in (one.p, one.p_holm)),
        )
        for contrast, one in zip(contrasts, found, strict=True)
    ]
    columns = ("contrast", "factor", "measure", "baseline", "treatment", "difference")
    yield Table(
        row(*columns, "95% interval", "p", "Holm p"),
        tuple(rows),
        say(f"The intervals are not adjusted for the {len(contrasts)} contrasts of this file."),
        text_columns=3,
        wide=True,
        intervals=tuple(drawn_interval(one.difference, one.interval) for one in found),
    )


def _names(contrast: Contrast) -> Sentence:
    return say(Data(contrast.treatment), " against ", Data(contrast.baseline))


def _tests(contrast: Contrast) -> Iterator[Block]:
    """Test, number of changes, effect size and paired t of every measure."""
    primary = contrast.primary.measure
    figures = {
        name: contrast.measures[name] for name in in_order(contrast.measures, primary=primary)
    }
    rows = [
        row(
            name,
            found.note or found.test,
            *map(words.count, (found.up, found.down)),
            words.p_value(found.p),
            "" if found.effect_size is None else words.signed(found.effect_size),
            "" if found.paired_t_p is None else words.p_value(found.paired_t_p),
        )
        for name, found in figures.items()
    ]
    yield Table(
        row("measure", "test", "rose", "fell", "p", "effect size", "paired t, p"),
        tuple(rows),
        say(
            "Rose and fell count queries. The effect size is the mean difference over its standard "
            "deviation; the paired t-test stands beside the test that decides."
        ),
        text_columns=2,
        wide=True,
    )
    methods = dict.fromkeys(found.interval_method for found in figures.values())
    yield paragraph(f"Intervals: {'; '.join(methods)}.")


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
    yield _yardsticks(contrast)


def _yardsticks(contrast: Contrast) -> Table:
    """Other people's error bars, each under the name of what it is."""
    k = contrast.primary.k
    cells = contrast.cells[str(k)]
    errors, better = cells.standard_errors, max(cells.rate_baseline, cells.rate_treatment)
    one_arm = one_arm_standard_error(better, cells.n)
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
    return Table(
        row("yardstick that others quote", f"at k = {k}"),
        (
            *(row(name, f"{error:.4f}") for name, error in yardsticks),
            row(
                "the difference in standard errors of the better level alone",
                f"{abs(cells.difference) / one_arm:.1f}" if one_arm else "",
            ),
        ),
        say("None of these decides anything here; the exact test and the interval do."),
    )


def _cutoff(contrast: Contrast) -> Iterator[Block]:
    """Levels with the change that each makes at each level of the other, and the same in words."""
    table = contrast.k_by_treatment
    levels = (
        (contrast.baseline, table.baseline_k, table.baseline_k2),
        (contrast.treatment, table.treatment_k, table.treatment_k2),
    )
    measure, effects = table.measure.split("@")[0], table.effect_of_treatment
    yield Table(
        row(measure, f"k = {table.k}", f"k = {table.k2}", "larger k less smaller"),
        (
            *(
                row(Data(arm), words.rate(at_k), words.rate(at_k2), words.difference(at_k, at_k2))
                for arm, at_k, at_k2 in levels
            ),
            row(
                "treatment less baseline",
                *map(words.signed, (effects.at_k, effects.at_k2)),
                f"interaction {words.signed(table.interaction)}",
            ),
        ),
        say(
            f"Main effects: treatment {words.signed(table.main_effect_of_treatment)}, "
            f"k {words.signed(table.main_effect_of_k)}. Subtracted, not tested."
        ),
    )
    yield paragraph(table.text)
    yield from (paragraph(prose(note)) for note in table.notes)
