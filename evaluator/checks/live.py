"""
Live stores, each by its official client: read by id, and asked for the nearest of a vector.

An address and the names of fields go in, rows and rankings come out; nothing is written to any
store. A client is loaded when its address is named. Credentials are what the client itself
finds in the environment or in its own files; an address that holds one is refused.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol
from urllib.parse import parse_qsl, urlsplit

from evaluator import InputError
from evaluator.files.chunk_records import at_path

_BATCH = 200
_UUID = re.compile(r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.IGNORECASE)
_SECRET = re.compile("pass|secret|token|key|credential", re.IGNORECASE)
_Ranking = list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class StoreFields:
    """
    Where a store keeps what is read: a name, or a path with dots; None for the store's own.

    `tenant` is a field and the value that it must have.
    """

    collection: str | None = None
    chunk_id: str | None = None
    text: str | None = None
    vector: str | None = None
    tenant: tuple[str, str] | None = None

    @property
    def tenant_field(self) -> str | None:
        return self.tenant[0] if self.tenant else None


OWN_FIELDS = StoreFields()


class StoredRow(NamedTuple):
    """One row under a wanted id: its text or its vector, and whose it is."""

    chunk_id: str
    value: Any
    tenant: Any


@dataclass(frozen=True, slots=True)
class IndexSearch:
    """How an index is asked; Chroma and Qdrant know their metric, and go by their own."""

    depth: int
    metric: Literal["cosine", "l2", "ip"] = "cosine"
    options: Mapping[str, int] = field(default_factory=dict)


class LiveStore(Protocol):
    """What every client here does; `settings` is what the store says of its index."""

    def fetch(self, chunk_ids: Sequence[str], *, vectors: bool) -> Iterator[StoredRow]: ...

    def search(self, vector: Sequence[float], how: IndexSearch) -> _Ranking: ...

    def settings(self) -> Mapping[str, str]: ...


def is_address(where: str) -> bool:
    """Whether it names a live store, and no file or function."""
    return where.partition(":")[0] in _CLIENTS


@contextmanager
def live_store(address: str, fields: StoreFields) -> Iterator[LiveStore]:
    """
    A store that is there, opened to be read.

    Raises InputError for an address that holds a credential, for a client that is not
    installed and, as one line without credentials, for whatever a client has to say.
    """
    parts = urlsplit(address)
    if parts.password or any(_SECRET.search(n) for n, _ in parse_qsl(parts.query)):
        raise InputError(
            "The address of the store holds a credential, and addresses are printed and kept. "
            "Leave it out: the client finds it in the environment (PGPASSWORD, "
            "CHROMA_CLIENT_AUTH_CREDENTIALS, QDRANT_API_KEY) or in a file of its own (~/.pgpass)."
        )
    client, package, extra = _CLIENTS[parts.scheme]
    if fields.collection is None:
        raise InputError(f"Name the table or collection of {address}: --collection.")
    try:
        import_module(package)
    except ImportError:
        raise InputError(
            f"{parts.scheme}: needs the package {package!r}. Install it with: "
            f"pip install 'onecause[{extra}]'"
        ) from None
    store = None
    try:
        store = client(address, fields)
        yield store
    except InputError:
        raise
    except Exception as error:  # each client has a family of errors of its own
        said = str(error).strip().split("\n")[0] or type(error).__name__
        for name, value in os.environ.items():
            if len(value) > 3 and _SECRET.search(name):
                said = said.replace(value, "***")
        raise InputError(f"{address}, {fields.collection}: {said}") from None
    finally:
        if store is not None:
            store.close()


def fetch_rows(
    store: LiveStore, chunk_ids: Sequence[str], *, vectors: bool = False
) -> Iterator[StoredRow]:
    """The rows under these ids, asked for in batches."""
    for start in range(0, len(chunk_ids), _BATCH):
        yield from store.fetch(chunk_ids[start : start + _BATCH], vectors=vectors)


def _local(address: str) -> str:
    """The folder of an address without a host; clients would make one that is not there."""
    folder = Path(address.partition(":")[2])
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}.")
    return str(folder)


class _Postgres:
    """A table with pgvector; a path into a JSON column is a field too."""

    _ORDER: Mapping[str, str] = {"cosine": "<=>", "l2": "<->", "ip": "<#>"}

    def __init__(self, address: str, fields: StoreFields) -> None:
        import psycopg
        from psycopg import sql

        def column(path: str | None) -> Any:
            first, *rest = path.split(".") if path else [""]
            name = sql.Identifier(first) if first else sql.SQL("NULL")
            return sql.SQL("({} #>> {})").format(name, sql.Literal(rest)) if rest else name

        self._sql, self._tenant = sql, fields.tenant
        self._names = {
            "id": column(fields.chunk_id or "id"),
            "text": column(fields.text or "text"),
            "vector": column(fields.vector or "embedding"),
            "tenant": column(fields.tenant_field),
            "held": sql.Identifier(*str(fields.collection).split(".")),
        }
        self._db = psycopg.connect(address, connect_timeout=10)
        self._db.read_only = True

    def _rows(self, query: str, values: Mapping[str, Any]) -> Any:
        return self._db.execute(self._sql.SQL(query).format(**self._names), values)

    def fetch(self, chunk_ids: Sequence[str], *, vectors: bool) -> Iterator[StoredRow]:
        query = (
            "SELECT {id}::text, {text}::text, {tenant}::text FROM {held} WHERE {id} = ANY(%(i)s)"
        )
        if vectors:
            query = query.replace("{text}", "{vector}")
        for chunk_id, found, tenant in self._rows(query, {"i": list(chunk_ids)}):
            numbers = found.strip("[]{}").split(",") if vectors and found else []
            yield StoredRow(chunk_id, list(map(float, numbers)) if vectors else found, tenant)

    def search(self, vector: Sequence[float], how: IndexSearch) -> _Ranking:
        for name, number in how.options.items():
            if not re.fullmatch(r"(hnsw|ivfflat)\.\w+", name):
                raise InputError(f"pgvector has no option {name!r}. Such as: hnsw.ef_search=100")
            self._db.execute("SELECT set_config(%s, %s, false)", [name, str(number)])
        only = "WHERE {tenant}::text = %(tenant)s " if self._tenant else ""
        query = (
            f"SELECT {{id}}::text, {{vector}} {self._ORDER[how.metric]} %(near)s::vector AS far "
        )
        query += f"FROM {{held}} {only}ORDER BY far LIMIT %(depth)s"
        values = {"near": json.dumps(list(vector)), "depth": how.depth}
        values |= {"tenant": self._tenant[1]} if self._tenant else {}
        return [(chunk_id, -float(far)) for chunk_id, far in self._rows(query, values)]

    def settings(self) -> Mapping[str, str]:
        found = self._db.execute(
            "SELECT name, setting FROM pg_settings WHERE name ~ '^(hnsw|ivfflat)[.]' UNION ALL "
            "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index "
            "WHERE indrelid = to_regclass(%s) AND pg_get_indexdef(indexrelid) ~ 'hnsw|ivfflat'",
            [self._names["held"].as_string(self._db)],
        )
        return dict(found.fetchall())

    def close(self) -> None:
        self._db.close()


class _Chroma:
    """A collection of a Chroma server; its id and document, or fields of its metadata."""

    def __init__(self, address: str, fields: StoreFields) -> None:
        import chromadb

        parts = urlsplit(address)
        self._client = chromadb.HttpClient(
            parts.hostname or "localhost",
            parts.port or 8000,
            ssl=parts.scheme.endswith("s"),
            settings=chromadb.Settings(anonymized_telemetry=False),
        )
        self._fields = fields
        self._held = self._client.get_collection(str(fields.collection), embedding_function=None)

    def fetch(self, chunk_ids: Sequence[str], *, vectors: bool) -> Iterator[StoredRow]:
        asked, kind = self._fields, "embeddings" if vectors else "documents"
        by: dict[str, Any] = {"ids": list(chunk_ids)}
        if asked.chunk_id:
            by = {"where": {asked.chunk_id: {"$in": list(chunk_ids)}}}
        found = self._held.get(**by, include=[kind, "metadatas"])
        rows = zip(found["ids"], found[kind], found["metadatas"], strict=True)
        for own_id, value, metadata in rows:
            yield StoredRow(
                str(at_path(metadata, asked.chunk_id) if asked.chunk_id else own_id),
                at_path(metadata, asked.text) if asked.text and not vectors else value,
                at_path(metadata, asked.tenant_field),
            )

    def search(self, vector: Sequence[float], how: IndexSearch) -> _Ranking:
        if how.options:
            raise InputError("Chroma takes no options with a query; its collection has them.")
        asked = self._fields
        found = self._held.query(
            query_embeddings=[list(vector)],
            n_results=how.depth,
            where={asked.tenant[0]: asked.tenant[1]} if asked.tenant else None,
            include=["distances", "metadatas"],
        )
        rows = zip(found["ids"][0], found["distances"][0], found["metadatas"][0], strict=True)
        return [
            (str(at_path(held, asked.chunk_id) if asked.chunk_id else own_id), -float(far))
            for own_id, far, held in rows
        ]

    def settings(self) -> Mapping[str, str]:
        return {name: json.dumps(v) for name, v in self._held.configuration_json.items() if v}

    def close(self) -> None:
        self._client.close()


class _Qdrant:
    """A collection of Qdrant, on a server or in a folder; the id in the payload, or its own."""

    def __init__(self, address: str, fields: StoreFields) -> None:
        from qdrant_client import QdrantClient, models

        self._models, self._fields = models, fields
        url, key = address.removeprefix("qdrant+"), os.environ.get("QDRANT_API_KEY")
        local = address.startswith("qdrant:")
        place = {"path": _local(address)} if local else {"url": url, "api_key": key}
        self._client = QdrantClient(**place)
        self._id = fields.chunk_id or "chunk_id"

    def _named(self, payload: Mapping[str, Any] | None, own_id: Any) -> str:
        found = at_path(payload, self._id)
        return str(own_id if found is None else found)

    def fetch(self, chunk_ids: Sequence[str], *, vectors: bool) -> Iterator[StoredRow]:
        asked, of = self._fields, self._models
        whole = [int(one) for one in chunk_ids if one.isdecimal()]
        own: list[Any] = [*whole, *filter(_UUID.fullmatch, chunk_ids)]
        ways = [of.FieldCondition(key=self._id, match=of.MatchAny(any=list(chunk_ids)))]
        if whole:
            ways.append(of.FieldCondition(key=self._id, match=of.MatchAny(any=whole)))
        if own and asked.chunk_id is None:
            ways.append(of.HasIdCondition(has_id=own))
        place = None
        while True:
            points, place = self._client.scroll(
                str(asked.collection),
                scroll_filter=of.Filter(should=ways),
                limit=_BATCH,
                offset=place,
                with_payload=True,
                with_vectors=vectors,
            )
            for point in points:
                vector = point.vector
                if isinstance(vector, dict):
                    vector = vector.get(asked.vector)
                yield StoredRow(
                    self._named(point.payload, point.id),
                    vector if vectors else at_path(point.payload, asked.text or "text"),
                    at_path(point.payload, asked.tenant_field),
                )
            if place is None:
                return

    def search(self, vector: Sequence[float], how: IndexSearch) -> _Ranking:
        asked, of = self._fields, self._models
        only = None
        if asked.tenant:
            match = of.MatchValue(value=asked.tenant[1])
            only = of.Filter(must=[of.FieldCondition(key=asked.tenant[0], match=match)])
        found = self._client.query_points(
            str(asked.collection),
            query=list(vector),
            using=asked.vector,
            limit=how.depth,
            query_filter=only,
            search_params=of.SearchParams(**how.options),
            with_payload=True,
        ).points
        falling = not found or found[0].score >= found[-1].score
        return [
            (self._named(one.payload, one.id), float(one.score if falling else -one.score))
            for one in found
        ]

    def settings(self) -> Mapping[str, str]:
        found = self._client.get_collection(str(self._fields.collection)).config
        return {"config": found.model_dump_json(exclude_none=True)}

    def close(self) -> None:
        self._client.close()


class _Lance:
    """A table of LanceDB in a folder."""

    def __init__(self, address: str, fields: StoreFields) -> None:
        import lancedb

        self._id, self._text = fields.chunk_id or "id", fields.text or "text"
        self._vector, self._tenant = fields.vector or "vector", fields.tenant
        self._table = lancedb.connect(_local(address)).open_table(str(fields.collection))

    def fetch(self, chunk_ids: Sequence[str], *, vectors: bool) -> Iterator[StoredRow]:
        value = self._vector if vectors else self._text
        listed = ", ".join(map(self._quoted, chunk_ids))
        found = self._table.search().where(f"{self._id} IN ({listed})")
        found = found.select([self._id, value, *(self._tenant or ())[:1]])
        for row in found.limit(self._table.count_rows()).to_list():
            owner = at_path(row, self._tenant[0]) if self._tenant else None
            yield StoredRow(str(at_path(row, self._id)), at_path(row, value), owner)

    def search(self, vector: Sequence[float], how: IndexSearch) -> _Ranking:
        query = self._table.search(list(vector), vector_column_name=self._vector)
        query = query.distance_type({"ip": "dot"}.get(how.metric, how.metric))
        for name, number in how.options.items():
            if name not in ("nprobes", "refine_factor", "ef"):
                raise InputError(f"LanceDB has no option {name!r}. Such as: nprobes=20")
            query = getattr(query, name)(number)
        if self._tenant:
            only = f"{self._tenant[0]} = {self._quoted(self._tenant[1])}"
            query = query.where(only, prefilter=True)
        rows = query.select([self._id, "_distance"]).limit(how.depth).to_list()
        return [(str(at_path(row, self._id)), -float(row["_distance"])) for row in rows]

    @staticmethod
    def _quoted(text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    def settings(self) -> Mapping[str, str]:
        indices = "; ".join(map(str, self._table.list_indices()))
        return {"version": str(self._table.version), "indices": indices}

    def close(self) -> None: ...


# The client of each scheme, its package, and the extra that installs it
_CLIENTS: Mapping[str, tuple[Callable[[str, StoreFields], Any], str, str]] = {
    "postgresql": (_Postgres, "psycopg", "pgvector"),
    "postgres": (_Postgres, "psycopg", "pgvector"),
    "chroma+http": (_Chroma, "chromadb", "chroma"),
    "chroma+https": (_Chroma, "chromadb", "chroma"),
    "qdrant": (_Qdrant, "qdrant_client", "qdrant"),
    "qdrant+http": (_Qdrant, "qdrant_client", "qdrant"),
    "qdrant+https": (_Qdrant, "qdrant_client", "qdrant"),
    "lancedb": (_Lance, "lancedb", "lancedb"),
}
