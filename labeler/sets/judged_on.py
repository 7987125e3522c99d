"""
The snapshot that a label set was judged on, where it can be found.
"""

from pathlib import Path

from evaluator import InputError
from evaluator.labelset.format import LabelSet
from evaluator.snapshot.snapshot import Snapshot, read_snapshot
from labeler.workspace.workspace import SNAPSHOT


def judged_on(labels: LabelSet, named: Path | None) -> Snapshot | None:
    """
    The snapshot that is named, or else the one beside the set as a workspace has it.

    None where that place holds no snapshot, or another one. Raises InputError if the named
    one is not the one that was judged.
    """
    digest = labels.manifest["snapshot"]["digest"]
    if named is not None:
        return read_snapshot(named, digest=digest)
    try:
        return read_snapshot(labels.path.resolve().parent.parent / SNAPSHOT, digest=digest)
    except InputError:
        return None
