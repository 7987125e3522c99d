"""
Finding what the pool missed: search over the plain texts of the snapshot, from the desk.

Blind as the desk is: a result is a key that says nothing and the chunk's text. What an
assessor adds goes into the query's pool as found by them, for everybody to judge.
"""

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, TypeVar

from evaluator import InputError
from evaluator.snapshot.chunk import Chunk
from labeler.app.desk.desk import Desk, chunk_key
from labeler.pool.full_text import LexicalIndex, open_index
from labeler.workspace.pairs import lets_through
from labeler.workspace.search_index import SEARCH_FILE
from labeler.workspace.workspace import Workspace

MOST_RESULTS = 20
_LOOKED_AT = 400  # of a query with a filter, which may let few of them through
_LONGEST_SEARCH = 1_000
_MOST_ADDED = 200  # in one message
_LOG = logging.getLogger(__name__)
T = TypeVar("T")


class TextSearch:
    """
    The search index of a workspace, made ready in the background.

    Building it takes ten seconds for 100,000 chunks. A page that waited for it could store
    no judgement meanwhile, so it asks again instead and shows `share`, from 0 to 1.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.share = 0.0
        self.index: LexicalIndex | None = None
        self.trouble: str | None = None
        self._thread = Thread(target=self._prepare, args=[workspace], daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> None:
        """Give it a moment: a file that was built before opens at once."""
        self._thread.join(seconds)

    def _prepare(self, workspace: Workspace) -> None:
        try:
            path = workspace.path / SEARCH_FILE
            self.index = open_index(path, workspace.snapshot, progress=self._counted)
        except (InputError, OSError, sqlite3.Error) as error:
            _LOG.exception("The search index could not be made")
            self.trouble = str(error)

    def _counted(
        self, items: Iterable[T], /, *, label: str, total: int | None = None
    ) -> Iterator[T]:
        del label
        for number, item in enumerate(items):
            self.share = number / total if total else 0.0
            yield item


@dataclass(slots=True)
class Finds:
    """What one session has been shown and has added, by the key that the browser knows."""

    chunk_by_key: dict[str, Chunk] = field(default_factory=dict)
    added: dict[str, Chunk] = field(default_factory=dict)


def look(
    workspace: Workspace,
    desk: Desk,
    message: object,
    *,
    text_search: Callable[[], TextSearch],
    finds: Finds,
) -> dict[str, Any]:
    """
    The answer to the search box: results, how far the index is, and what was added.

    A message holds the text that is sought and the keys of all chunks that are to be
    added, so that one that gets lost is made up for by the next. `text_search` is called
    once there is something to look for.
    """
    attempt, text, wished = _opened(message)
    answer: dict[str, Any] = {"desk": f"{desk.data['desk']}/search", "attempt": attempt}
    if not attempt:
        return answer
    try:
        search = text_search()
        search.wait(0.3)
        if search.trouble:
            answer["trouble"] = search.trouble
        elif search.index is None:
            answer["preparing"] = round(search.share, 2)
        else:
            answer["text"] = text
            answer["results"] = _results(workspace, desk, search.index, text, finds)
        answer["unknown"] = _add(workspace, desk, wished, finds)
    except (InputError, OSError, sqlite3.Error) as error:
        _LOG.exception("The search could not be answered")
        answer["trouble"] = str(error)
    answer["added"] = [[key, chunk.text] for key, chunk in finds.added.items()]
    return answer


def _results(
    workspace: Workspace, desk: Desk, index: LexicalIndex, text: str, finds: Finds
) -> list[list[str]]:
    """Keys and texts, best first; only chunks that the query's own filter lets through."""
    filters = workspace.queries.get(desk.query_id).filter or {}
    chunk_ids = index.find(text, _LOOKED_AT if filters else MOST_RESULTS)
    chunk_by_id = workspace.snapshot.fetch(chunk_ids)
    found = [chunk_by_id[chunk_id] for chunk_id in chunk_ids if chunk_id in chunk_by_id]
    shown = [chunk for chunk in found if lets_through(filters, chunk)][:MOST_RESULTS]
    keyed = {
        chunk_key(workspace, desk.assessor, desk.query_id, chunk.chunk_id): chunk for chunk in shown
    }
    finds.chunk_by_key |= keyed
    return [[key, chunk.text] for key, chunk in keyed.items()]


def _add(workspace: Workspace, desk: Desk, keys: Iterable[str], finds: Finds) -> list[str]:
    """Put chunks into the pool; returns the keys that this session has not shown."""
    unknown = []
    for key in keys:
        if key in finds.added:
            continue
        chunk = finds.chunk_by_key.get(key)
        if chunk is None:
            unknown.append(key)
            continue
        workspace.add_found(desk.assessor, desk.query_id, chunk.chunk_id)
        finds.added[key] = chunk
    return unknown


def _opened(message: object) -> tuple[int, str, list[str]]:
    """Attempt, text and keys of a message; whatever a browser sends, it has these."""
    if not isinstance(message, dict):
        return 0, "", []
    attempt, text, keys = (message.get(name) for name in ("attempt", "text", "adds"))
    return (
        attempt if isinstance(attempt, int) else 0,
        text[:_LONGEST_SEARCH] if isinstance(text, str) else "",
        [str(key) for key in keys][:_MOST_ADDED] if isinstance(keys, list) else [],
    )
