"""
What is found of two arms over the same queries: the contrast and all of its figures.

These are the values that the modules beside it return and the shapes of `record.json` alike;
fields that are None by default are missing there where a contrast has nothing of the kind.
Tables by cutoff have it as text, as JSON does. It has over 400 lines, since a contrast is one
value with all of its parts.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.experiment.protocol import Usage
from evaluator.labelset.ledger import EarlierChoice
from evaluator.statistics.per_search import TrafficEstimate

Ends = tuple[float, float]
"""The lower and the upper end; the least number above 0 (5e-324) is an open end beside 0."""

UNEVENLY_JUDGED = 0.05
"""What the judged shares of two arms may differ by without a word."""


@dataclass(frozen=True, slots=True)
class Primary:
    """The measure that decides; `p_holm` is adjusted for the family of contrasts."""

    measure: str
    k: int | None
    p_holm: float | None = None


@dataclass(frozen=True, slots=True)
class UnclusteredFigures:
    """Interval and p with every query by itself, where clusters decide."""

    interval: Ends | None
    interval_method: str
    p: float
    test: str


@dataclass(frozen=True, slots=True)
class MeasureFigures:
    """
    One measure in both arms, with interval, p and what made them.

    `up` and `down` count queries, and `changes` are the differences of those, largest first, where
    they have shades; `effect_size` is the mean difference over its standard deviation, missing
    with the paired t where that is nothing. From `clusters` on: where queries are paraphrases.
    """

    n: int
    baseline: float
    treatment: float
    difference: float
    interval: Ends | None
    interval_method: str
    p: float
    test: str
    up: int
    down: int
    note: str | None
    paired_t_p: float | None = None
    effect_size: float | None = None
    changes: tuple[float, ...] | None = None
    clusters: int | None = None
    largest_share: float | None = None
    ignoring_clusters: UnclusteredFigures | None = None


@dataclass(frozen=True, slots=True)
class StandardErrors:
    """Standard errors by what they are; only `paired` belongs to the difference."""

    paired: float
    one_arm_baseline: float
    one_arm_treatment: float
    as_if_unpaired: float
    rule_of_thumb_band: float


@dataclass(frozen=True, slots=True)
class CellFigures:
    """
    The four cells of paired hits with all that is said of them; `traffic` is there for a group.

    Of right answers, `asked` queries were, and some of them have no verdict in both arms.
    """

    n: int
    both: int
    neither: int
    won: int
    lost: int
    rate_baseline: float
    rate_treatment: float
    difference: float
    interval: Ends | None
    interval_method: str
    mcnemar_exact_p: float
    mid_p: float
    standard_errors: StandardErrors
    traffic: TrafficEstimate | None = None
    asked: int | None = None
    without_a_verdict: int | None = None


@dataclass(frozen=True, slots=True)
class PrecisionFlip:
    """
    A query that an arm hits in one precision alone; `hit` is what the run has.

    A held-out query has no name where such flips were not opened.
    """

    arm: str
    query_id: str | None
    hit: bool


@dataclass(frozen=True, slots=True)
class PrecisionSample:
    """The hits of both arms at k by exact search that differ from those in fp32, of n queries."""

    precision: str
    k: int
    n: int
    differ: tuple[PrecisionFlip, ...]


@dataclass(frozen=True, slots=True)
class EffectByCutoff:
    """The treatment's effect at k and at 2k."""

    at_k: float
    at_k2: float


@dataclass(frozen=True, slots=True)
class CutoffTable:
    """Cutoff by treatment: what a larger k gives without the treatment."""

    measure: str
    k: int
    k2: int
    baseline_k: float
    treatment_k: float
    baseline_k2: float
    treatment_k2: float
    effect_of_treatment: EffectByCutoff
    main_effect_of_treatment: float
    main_effect_of_k: float
    interaction: float
    text: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FlipChunk:
    """The gold chunk that moved; its words are absent where they are closed or not known."""

    chunk_id: str
    rank_baseline: int | None
    rank_treatment: int | None
    title: str | None = None
    first_words: str | None = None
    held_out: bool | None = None
    header_tokens_baseline: int | None = None
    header_tokens_treatment: int | None = None
    body_tokens_baseline: int | None = None
    body_tokens_treatment: int | None = None


@dataclass(frozen=True, slots=True)
class OutrankingChunk:
    """A chunk that stands before the gold chunk in the arm that misses."""

    chunk_id: str
    rank: int
    title: str | None = None
    first_words: str | None = None
    held_out: bool | None = None


@dataclass(frozen=True, slots=True)
class FlippedQuery:
    """A query that only one arm hits; `class_` is None for a plain qrels file."""

    query_id: str
    text: str
    class_: str | None
    gold: tuple[str, ...]
    rank_baseline: int | None
    rank_treatment: int | None
    chunk: FlipChunk
    outranked_by: tuple[OutrankingChunk, ...]
    causes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flips:
    """Won and lost queries that may be named; `rules` by the name of a cause."""

    opened: bool
    rules: Mapping[str, str]
    won: tuple[FlippedQuery, ...]
    lost: tuple[FlippedQuery, ...]


@dataclass(frozen=True, slots=True)
class ClosureCheck:
    """A sum that must close, met or broken."""

    name: str
    met: bool
    expected: float
    found: float
    note: str


@dataclass(frozen=True, slots=True)
class Constant:
    """Something that was found equal in both arms."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class OtherRanking:
    """The contrast by the ranking that is not primary."""

    ranking: str
    measures: Mapping[str, MeasureFigures]
    cells: Mapping[str, CellFigures]


@dataclass(frozen=True, slots=True)
class DifferenceRange:
    """Where a difference can lie however the unjudged chunks are judged."""

    method: str | None
    interval: Ends | None
    over_all: Ends | None


@dataclass(frozen=True, slots=True)
class SignChange:
    """The fewest unjudged chunks whose being gold takes the difference to 0 or beyond."""

    method: str | None
    chunks: int | None
    by_query: Mapping[str, tuple[str, ...]]
    difference: float | None = None


@dataclass(frozen=True, slots=True)
class Doubts:
    """How far the labels' gaps could move a contrast; with a `reason`, nobody can tell."""

    reason: str | None
    ranges: Mapping[str, DifferenceRange]
    k: int | None = None
    unjudged: Mapping[str, tuple[str, ...]] | None = None
    unjudged_pairs: int | None = None
    not_covered: str | None = None
    per_search: bool | None = None
    primary_range: DifferenceRange | None = None
    sign: SignChange | None = None


@dataclass(frozen=True, slots=True)
class AssessorFigures:
    """The contrast by one assessor's own labels."""

    assessor: str
    queries: int
    with_gold: int
    measure: MeasureFigures | None
    cells: CellFigures | None


@dataclass(frozen=True, slots=True)
class ClusteredFigures:
    """A difference with its chance counted by cluster."""

    n: int
    difference: float
    p: float
    test: str
    interval: Ends | None
    interval_method: str
    clusters: int
    largest_share: float


@dataclass(frozen=True, slots=True)
class OutsideChunks:
    """How far the labels know what one run made elsewhere has in its first k."""

    ids: int
    unknown: int
    unknown_first: tuple[str, ...]
    unknown_distinct: int
    judged: float


@dataclass(frozen=True, slots=True)
class OutsideCoverage:
    """The same for both runs, by their names."""

    k: int
    known_from: str
    negatives_recorded: bool
    runs: Mapping[str, OutsideChunks]


@dataclass(frozen=True, slots=True)
class GroupOverlap:
    """How many words some queries share with their gold."""

    queries: int
    mean_share: float | None
    near_quotes: int


@dataclass(frozen=True, slots=True)
class WordOverlap:
    """How far queries repeat the words of their gold, over all and by class."""

    method: str
    threshold: float
    all: GroupOverlap
    groups: Mapping[str, GroupOverlap]


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """The file of verdicts on answers, and how many it has for each arm."""

    file: str
    sha256: str
    verdicts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """A file of verdicts on answers: arm -> query id -> 1 or 0."""

    file: str
    sha256: str
    by_arm: Mapping[str, Mapping[str, int]]

    @property
    def source(self) -> AnswerSource:
        """Which file they are from, and how many there are for each arm."""
        counts = {arm: len(by_query) for arm, by_query in self.by_arm.items()}
        return AnswerSource(self.file, self.sha256, counts)


@dataclass(frozen=True, slots=True)
class ArmCosts:
    """
    What an arm costs, each figure under the ranking that it belongs to.

    Bytes, seconds, milliseconds and tokens; the header tables are by cutoff. `query_ms_spread`
    holds the middle nine tenths of the medians of some rounds, `query_ms_p50` the middle one.
    """

    chunks: int
    input_tokens_mean: float
    embedded_tokens_mean: float
    header_tokens_mean: float
    chunks_without_header: int
    truncated_inputs: int
    text_bytes: int
    vector_bytes: int
    index_bytes: int
    encode_seconds: float
    encode_cpu_seconds: float | None
    vectors_reused: int
    vectors_made: int
    build_seconds: float
    query_ms_p50: float | None
    query_ms_p95: float | None
    query_ms_spread: tuple[float, float] | None
    latency_of: str
    usage: Usage
    header_tokens_of: str
    header_tokens_per_query: Mapping[str, float]
    header_tokens_per_turn: Mapping[str, float]
    header_tokens_per_year: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Contrast:
    """
    Treatment against baseline, by the names of their arms.

    `factor` is what differs between them, `label` what the contrast may be called and
    `held_still` what was found equal; all three are empty for runs made elsewhere, which have
    `chunks` instead. Tables of cells are by class, stratum, source and origin of the query.
    `condensed` holds measures over judged chunks alone, where the arms' judged shares are far
    apart. `earlier_choices` are the other primary measures that the two had before on these labels.
    """

    baseline: str
    treatment: str
    factor: str | None
    label: str | None
    held_still: tuple[Constant, ...]
    notices: tuple[str, ...]
    primary: Primary
    measures: Mapping[str, MeasureFigures]
    cells: Mapping[str, CellFigures]
    k_by_treatment: CutoffTable
    flips: Flips
    doubts: Doubts
    assessors: tuple[AssessorFigures, ...]
    shared_documents: ClusteredFigures | None
    traffic: TrafficEstimate | None
    traffic_over_all: TrafficEstimate | None = None
    closure: tuple[ClosureCheck, ...] | None = None
    other_ranking: OtherRanking | None = None
    by_class: Mapping[str, CellFigures] | None = None
    by_stratum: Mapping[str, CellFigures] | None = None
    by_source: Mapping[str, CellFigures] | None = None
    by_origin: Mapping[str, CellFigures] | None = None
    chunks: OutsideCoverage | None = None
    answers: CellFigures | None = None
    earlier_choices: tuple[EarlierChoice, ...] | None = None
    condensed: Mapping[str, MeasureFigures] | None = None
    precision: PrecisionSample | None = None
