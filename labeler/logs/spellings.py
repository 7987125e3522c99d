"""
Which spellings were put together as one query, seen while the queries go by.

It keeps counts and a few examples, since a log may have millions of queries.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from labeler.workspace.records import LogQuery

_SHOWN = 3


@dataclass(slots=True)
class Spellings:
    """How many spellings became how many queries, and the most frequent with more than one."""

    spellings: int = 0
    queries: int = 0
    examples: list[LogQuery] = field(default_factory=list)

    def watch(self, queries: Iterable[LogQuery]) -> Iterator[LogQuery]:
        """The same queries, counted while they are taken."""
        for query in queries:
            self.queries += 1
            self.spellings += len(query.variants)
            if len(query.variants) > 1:
                self._keep(query)
            yield query

    def _keep(self, query: LogQuery) -> None:
        if len(self.examples) < _SHOWN or query.count > self.examples[-1].count:
            self.examples.append(query)
            self.examples.sort(key=lambda each: -each.count)
            del self.examples[_SHOWN:]


def spellings_text(found: Spellings, file: str) -> str:
    """What was put together, and how to keep it apart."""
    if found.spellings == found.queries:
        return f"{file}: no two spellings became one query."
    became = "1 query" if found.queries == 1 else f"{found.queries} queries"
    lines = [
        f"{file}: {found.spellings} spellings became {became}: letter case and blanks do not "
        "count; --no-normalise keeps them apart. Such as:"
    ]
    for query in found.examples:
        shown = [f"{text[:60]!r} ({count})" for text, count in query.variants[:_SHOWN]]
        more = len(query.variants) - len(shown)
        lines.append(f"  {', '.join(shown)}" + (f" and {more} more" if more else ""))
    return "\n".join(lines)
