"""
Two arms, the same queries, hit or miss: the four cells and what they license.

It owns the table and the tests on it, and knows no run and no measure. Everything here is a
formula of four whole numbers; nothing is random.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from evaluator import InputError

# Flips whose splits are counted in whole numbers; counting more takes minutes.
_MOST_COUNTED = 2_000


@dataclass(frozen=True, slots=True)
class PairedCells:
    """
    The paired table of one contrast at one cutoff.

    `won` missed in the baseline and hit in the treatment, `lost` the reverse. Misses in
    both are what is left of n and never an entry of their own: a table with four entries
    can contradict itself. `notes` says where a printed table did.
    """

    n: int
    both: int
    won: int
    lost: int
    notes: tuple[str, ...] = ()

    @property
    def neither(self) -> int:
        return self.n - self.both - self.won - self.lost

    @property
    def rate_baseline(self) -> float:
        return (self.both + self.lost) / self.n

    @property
    def rate_treatment(self) -> float:
        return (self.both + self.won) / self.n

    @property
    def difference(self) -> float:
        """Treatment minus baseline, from whole numbers so that equal arms give exactly 0."""
        return (self.won - self.lost) / self.n


def paired_cells(
    n: int, both: int, won: int, lost: int, *, printed_neither: int | None = None
) -> PairedCells:
    """
    The table that n and three counts determine, checked.

    A printed fourth cell is compared with the remainder and otherwise not used: taking the
    sum of four printed cells for n would change both rates.

    Raises InputError when a count is missing, is no whole number, or when the three
    exceed n.
    """
    counts = {"n": n, "both": both, "won": won, "lost": lost}
    wrong = [name for name, count in counts.items() if type(count) is not int or count < 0]
    if wrong or n == 0:
        raise InputError(
            f"The paired table needs whole numbers of 0 or more for n, both, won and lost, and "
            f"an n above 0; look at {', '.join(wrong) or 'n'}. Two rates do not determine the "
            "cells: they give won minus lost and nothing else."
        )
    if both + won + lost > n:
        raise InputError(
            f"The paired table is impossible: both {both} + won {won} + lost {lost} = "
            f"{both + won + lost}, more than n = {n}."
        )
    neither = n - both - won - lost
    notes: tuple[str, ...] = ()
    if printed_neither is not None and printed_neither != neither:
        notes = (
            f"The printed miss in both ({printed_neither}) does not fit: the cells would add up "
            f"to {both + won + lost + printed_neither}, not {n}. The remainder, {neither}, is "
            "used; both rates depend on the other three cells only.",
        )
    return PairedCells(n, both, won, lost, notes)


def four_cells(baseline: Mapping[str, float], treatment: Mapping[str, float]) -> PairedCells:
    """
    The table of two arms from their hits (1 or 0) by query.

    Raises InputError when the arms were not measured on the same queries, on none, or when
    a value is neither 1 nor 0.
    """
    require_same_queries(baseline, treatment)
    odd = [
        query_id for arm in (baseline, treatment) for query_id in arm if arm[query_id] not in (0, 1)
    ]
    if odd:
        raise InputError(
            f"Four cells need a hit or a miss for each query; query '{odd[0]}' and "
            f"{len(odd) - 1} other values are neither 1 nor 0."
        )
    won, lost = flipped(baseline, treatment)
    both = sum(1 for query_id, hit in baseline.items() if hit == 1 == treatment[query_id])
    return PairedCells(len(baseline), both, len(won), len(lost))


def flipped(
    baseline: Mapping[str, float], treatment: Mapping[str, float]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The queries won and the queries lost, each sorted by id."""
    changed = sorted(query_id for query_id in baseline if baseline[query_id] != treatment[query_id])
    return (
        tuple(query_id for query_id in changed if treatment[query_id] > baseline[query_id]),
        tuple(query_id for query_id in changed if treatment[query_id] < baseline[query_id]),
    )


def require_same_queries(baseline: Mapping[str, float], treatment: Mapping[str, float]) -> None:
    """Raise InputError unless both arms have a value for the same queries, at least one."""
    if not baseline and not treatment:
        raise InputError("There is no query to compare the arms on.")
    strangers = sorted(baseline.keys() ^ treatment.keys())
    if strangers:
        raise InputError(
            f"The arms were not measured on the same queries: {len(strangers)} stand in one of "
            f"them only ({', '.join(strangers[:5])}). Measure both over one list of queries."
        )


def exact_mcnemar(won: int, lost: int) -> float:
    """
    Two-sided p-value for hits that changed between two arms.

    Queries on which both arms agree say nothing about the difference. If the arms were
    equally good, each disagreement would fall either way like a fair coin, so the wins are
    Binomial(won + lost, 1/2). Returns 1.0 if no query changed.

    Source: McNemar (1947), in its exact form.
    """
    flips = won + lost
    if flips > _MOST_COUNTED:
        from scipy.stats import binom  # slow to import, and only needed here

        return min(1.0, 2 * float(binom.cdf(min(won, lost), flips, 0.5)))
    tail = sum(math.comb(flips, count) for count in range(min(won, lost) + 1))
    return min(1.0, 2 * tail / (1 << flips))


def mid_p_mcnemar(won: int, lost: int) -> float:
    """
    The exact p-value less half the chance of a split exactly as uneven as this one.

    It is the mean of the exact p and that of a split one query more uneven. Less cautious than
    the exact test, which is to be read first. Returns 1.0 if no query changed.

    Source: Fagerland, Lydersen and Laake, BMC Medical Research Methodology 13:91 (2013).
    """
    if won == lost == 0:
        return 1.0
    more, fewer = max(won, lost), min(won, lost)
    beyond = exact_mcnemar(more + 1, fewer - 1) if fewer else 0.0
    return (exact_mcnemar(won, lost) + beyond) / 2


def paired_standard_error(cells: PairedCells) -> float:
    """
    Wald standard error of the paired difference.

    It is the square root of (won + lost - (won - lost)^2 / n), over n. Printed beside the
    score interval to compare with other people's figures; no interval is built from it.
    """
    won, lost, n = cells.won, cells.lost, cells.n
    return math.sqrt(won + lost - (won - lost) ** 2 / n) / n


def one_arm_standard_error(rate: float, n: int) -> float:
    """
    Standard error of one arm's rate, the square root of p (1 - p) / n.

    Exact for hits. It describes a level, not the difference of two arms that answered the
    same queries.
    """
    return math.sqrt(rate * (1 - rate) / n)


def rule_of_thumb_band(rate: float, n: int) -> float:
    """
    Twice one arm's standard error: below it, a difference is not worth arguing about.

    An informal band, made from one arm, and no test: it takes no account of the pairing.
    """
    return 2 * one_arm_standard_error(rate, n)


def unpaired_standard_error(cells: PairedCells) -> float:
    """What the standard error would be if the arms had answered different queries."""
    return math.hypot(
        one_arm_standard_error(cells.rate_baseline, cells.n),
        one_arm_standard_error(cells.rate_treatment, cells.n),
    )
