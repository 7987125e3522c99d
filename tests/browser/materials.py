"""Workspaces for the browser: small, and full of awkward texts."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluator.labelset.format import HeldOutRule, Judgement, PoolEntry, Query, text_sha256
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import write_snapshot
from labeler.logs.queries import LogQuery
from labeler.workspace.records import Event, Settings
from labeler.workspace.workspace import Workspace

NOW = "2026-03-01T09:00:00.000Z"
BINARY = ((0, "not relevant"), (1, "relevant"))
GRADED = (
    (0, "Not relevant: wrong subject, or only shares words with the query"),
    (1, "On topic: right subject, but does not answer"),
    (2, "Partly answers: gives a part, or the answer for a special case"),
    (3, "Answers: someone could act on this text alone"),
)
# The ways in which a text can turn into something else on its way to the reader.
PAYLOADS = (
    "**bold** text",
    "_italic_ and *italic*",
    "# Heading",
    "[click](javascript:alert(1))",
    "https://example.org/page",
    "<script>document.title = 'run'</script>",
    "<img src=x onerror=\"document.title='run'\">",
    "&lt;tag&gt; &amp; &nbsp;",
    "price is $5 and $6, $x^2$",
    "$$\\sum_i x_i$$",
    ":smile: :rocket:",
    ":material/home:",
    ":red[red text]",
    "`code` and ```fence```",
    "- one\n- two\n  - three",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "> quoted",
    "~~struck~~",
    "<!-- comment --> after",
    "runs  of   spaces\tand\t\ttabs",
    "a -> b <- c --> d",
    "1. first\n2. second",
    "back\\slash \\* \\_",
    "<https://example.org>",
    "line one\r\nline two",
    "nul\x00inside",
    "\x1b[31mred\x1b[0m",
    "a\u202eevil\u202c b",
    "zero\u200bwidth and combining e\u0301\u0301\u0301",
)
LONG_WORD = "longwordwithoutanyblank" * 60


def make_workspace(
    path: Path,
    *,
    queries: Sequence[Query],
    texts: Sequence[str] | None = None,
    unpooled: Sequence[str] = (),
    grades: tuple[tuple[int, str], ...] = GRADED,
    min_grade: int = 2,
) -> Workspace:
    """A workspace in which every query has the same pool: all texts but the unpooled ones."""
    texts = texts if texts is not None else plain_texts()
    chunks = [
        Chunk(
            chunk_id=f"payroll-secret.md#{at}",
            doc_id=f"payroll-secret-{at % 5}.md",
            text=text,
            title="A title nobody may see",
            headings=("A heading nobody may see",),
            source="handbook",
            attributes={},
        )
        for at, text in enumerate([*texts, *unpooled])
    ]
    snapshot = write_snapshot(
        path / "snapshot",
        chunks,
        name="test",
        chunker={"name": "given"},
        corpus="made up",
        created_at=datetime(2026, 3, 1, tzinfo=UTC),
    )
    workspace = Workspace.create(
        path,
        settings=Settings(
            name="test",
            created_at=NOW,
            grades=grades,
            min_grade=min_grade,
            held_out_rule=HeldOutRule("0123456789abcdef", 5, (0,)),
            snapshot_name=snapshot.name,
            snapshot_digest=snapshot.digest,
            order_seed="abcd",
        ),
    )
    workspace.queries.add(queries)
    pool = [
        PoolEntry(query.query_id, c.chunk_id, c.doc_id, text_sha256(c.text), ("system-x",))
        for query in queries
        for c in chunks[: len(texts)]
    ]
    workspace.pool.add(pool, source={"source": "system-x", "depth": len(texts)})
    return workspace


def plain_texts(count: int = 50) -> list[str]:
    """Texts of one to six lines, each with a number of its own."""
    sentence = "Tell your manager in writing before the first day of leave. "
    return [f"Text {at}. {sentence * (1 + at % 6)}" for at in range(count)]


def some_queries(count: int = 3) -> list[Query]:
    return [
        Query(f"q{at}", f"how much warning before leave {at}", need=f"The notice for case {at}.")
        for at in range(1, count + 1)
    ]


def add_log(workspace: Workspace, texts: Sequence[str]) -> None:
    """A query log in which the first text is the most frequent."""
    record = {
        "file": "searches <b>*1*</b>.csv",
        "sha256": "0" * 64,
        "searches": sum(range(1, len(texts) + 1)),
        "distinct": len(texts),
        "first_at": "2026-01-01T00:00:00Z",
        "last_at": "2026-02-01T00:00:00Z",
    }
    workspace.queries.add_log(
        record,
        [LogQuery(text, text, len(texts) - at, ((text, 1),)) for at, text in enumerate(texts)],
    )


def events_of(workspace: Workspace, query_id: str, assessor: str) -> list[Judgement]:
    """What is on disk of one assessor on one query, in the order it was stored."""
    return [
        judgement
        for judgement in workspace.judgements.all()
        if judgement.query_id == query_id and judgement.assessor == assessor
    ]


def judge(
    workspace: Workspace, assessor: str, query_id: str, grades: Iterable[int], **more: Any
) -> None:
    """Grades for the first chunks of a query, in the order of its pool."""
    events = [
        Event(f"{assessor} {query_id} {entry.chunk_id}", entry.chunk_id, grade, "grade", **more)
        for entry, grade in zip(workspace.pool.entries(query_id), grades, strict=False)
    ]
    workspace.judgements.record(assessor, query_id, events, now=NOW)
