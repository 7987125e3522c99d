"""
When a level is full because of how the labels were made, and not because of the arm.

A pool that one system filled down to its first k holds no gold beyond that system's first k:
its Success@k is 1 whatever it is worth. This module only recognises the case.
"""

from collections.abc import Collection, Mapping

from evaluator.trec import Run


def full_by_construction(
    run_by_arm: Mapping[str, Run],
    *,
    gold_by_query: Mapping[str, Collection[str]],
    k: int,
    pool_depth: int | None,
) -> list[str]:
    """
    A sentence for each arm whose first k hold all gold of a pool no deeper than k.

    None where the depth of the pool is not known. A deeper pool could have held gold beyond
    k, so that a full level would have been earned.
    """
    if pool_depth is None or pool_depth > k or not gold_by_query:
        return []
    return [
        f"The pool is {pool_depth} chunks deep and every gold chunk lies in the first {k} of "
        f"{arm!r}, as when this arm's own system filled the pool: its Success@{k} is 1 by "
        "construction, and no arm can be better."
        for arm, run in run_by_arm.items()
        if all(
            {chunk_id for chunk_id, _ in run.get(query_id, ())[:k]}.issuperset(gold)
            for query_id, gold in gold_by_query.items()
        )
    ]
