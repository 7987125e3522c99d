"""
What all arms and contrasts of one run share: experiment, labels, queries, chunks and bodies.

It says by which names the measures of a run are printed, and computes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluator.experiment.factors import Prescribed
from evaluator.experiment.population import Population
from evaluator.experiment.protocol import Experiment
from evaluator.labelset.format import LabelSet
from evaluator.measures.names import measure_name
from evaluator.snapshot.chunk import Chunk


@dataclass(frozen=True)
class Setting:
    """What all arms and contrasts of one run share; `bodies` go with `chunks`, row by row."""

    experiment: Experiment
    labels: LabelSet
    population: Population
    chunks: Sequence[Chunk]
    bodies: Sequence[str]
    prescribed: Prescribed

    @cached_property
    def row_by_chunk(self) -> Mapping[str, int]:
        """Where a chunk stands in `chunks`, and so in the inputs of every arm."""
        return {chunk.chunk_id: row for row, chunk in enumerate(self.chunks)}

    @property
    def other_ranking(self) -> str:
        return "hnsw" if self.experiment.protocol.ranking == "exact" else "exact"

    def success(self, k: int) -> str:
        """The printed name of Success at k."""
        return measure_name(f"Success@{k}", min_grade=self.labels.min_grade)

    @property
    def primary(self) -> str:
        return measure_name(self.experiment.protocol.primary, min_grade=self.labels.min_grade)

    @property
    def measures(self) -> list[str]:
        """The printed names of the declared measures, in the order of the file."""
        return [
            measure_name(name, min_grade=self.labels.min_grade)
            for name in self.experiment.protocol.measures
        ]
