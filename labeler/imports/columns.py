"""
The names under which files made elsewhere give the same things, and what an id may be.

Our own names come first. It knows neither the shape of a file nor what is in it.
"""

from typing import Any

from labeler.imports.tables import stored_text

QUERY_ID = ("query_id", "query-id", "qid", "_id", "id")
QUERY_TEXT = ("query", "query_text")  # where a file names queries by what was asked
TEXT = ("text", *QUERY_TEXT, "title")
NEED = ("need", "info_need", "information_need", "description", "narrative")
CHUNK_ID = ("chunk_id", "corpus-id", "corpus_id", "docid", "doc_id", "docno")
GRADE = ("grade", "score", "rating", "relevance", "rel")
ASSESSOR = ("assessor", "judge", "user", "annotator")
NOTE = ("note", "notes", "comment")
JUDGED_AT = ("judged_at", "timestamp")


def id_text(value: Any, what: str) -> str:
    """An id as text; JSON may hold whole numbers. Raises ValueError if there is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None or value == "":
        raise ValueError(f"no {what}")
    return stored_text(value)
