"""
The queue of disagreements in a workspace, less what is decided there.
"""

from labeler.disagreements import Disagreements, find_disagreements
from labeler.store import Workspace


def open_disagreements(workspace: Workspace) -> Disagreements:
    """The pairs that nobody decided yet, without a grade or a name until one is opened."""
    return find_disagreements(workspace.standing(), settled=workspace.standing_decisions().keys())
