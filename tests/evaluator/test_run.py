"""From an experiment file to a results directory."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluator import InputError
from evaluator.checks.reproduce import reproduce
from evaluator.labelset.format import LabelSetError, read_label_set
from evaluator.labelset.ledger import known_rows, ledger_path
from evaluator.record.files import read_record
from evaluator.record.model import record_json, record_of
from evaluator.report.report import markdown_report, terminal_summary
from evaluator.run import WrittenRun
from evaluator.snapshot.chunk import Chunk
from evaluator.trec import read_run
from evaluator.vectors.model import Model
from evaluator.vectors.weights import Precision
from tests.small_world import (
    World,
    arm,
    run_record,
    run_world,
    small_chunks,
    small_qrels,
    small_queries,
    small_world,
)
from tests.stand_in import stand_in_model

pytestmark = pytest.mark.usefixtures("cache")


def by_name(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return next(one for one in found["arms"] if one["name"] == name)


# The whole


def test_a_run_gives_the_table_that_can_be_counted_by_hand(finished: WrittenRun) -> None:
    """Seven log queries with gold: the header wins six, keeps one, loses none."""
    [contrast] = record_json(finished.record)["contrasts"]
    cells = contrast["cells"]["1"]
    assert (7, 1, 6, 0, 0) == tuple(cells[key] for key in ("n", "both", "won", "lost", "neither"))
    assert ("header", "header") == (contrast["factor"], contrast["label"])
    assert 1 / 7 == pytest.approx(contrast["measures"]["Success@1"]["baseline"])
    assert 2 * 0.5**6 == contrast["measures"]["Success@1"]["p"]
    assert ["1", "2"] == list(contrast["cells"])


def test_the_denominators_are_stated(finished: WrittenRun) -> None:
    """Eight log queries, seven with gold; the known-answer query is not among them."""
    found = record_json(finished.record)
    headline = found["headline"]
    assert ("log", 8, 7) == (headline["origin"], headline["n"], headline["n_gold"])
    assert "q9" not in headline["query_ids"]
    levels = by_name(found, "headed")["measures"]["Success@1"]
    assert {"gold": 1.0, "all": 7 / 8} == levels
    assert "reported apart: queries of origin known-item, 1" in found["notes"]
    assert 20 / 148 == pytest.approx(found["labels"]["traffic_without_gold"])


def test_a_run_is_written_once_and_whole(world: World) -> None:
    """Record, report, and for each arm its rankings and a table; a second run stands beside."""
    first, second = run_world(world), run_world(world)
    assert world.folder / "experiment.results/2026-12-02T08-30-00Z" == first.path
    assert "2026-12-02T08-30-00Z-2" == second.path.name
    assert {
        "observed.json",
        "record.json",
        "report.html",
        "report.md",
        *(
            f"{name}{end}"
            for name in ("plain", "headed")
            for end in (".run", ".hnsw.run", ".tsv", ".inputs.parquet")
        ),
    } == {path.name for path in first.path.iterdir()}
    assert record_json(first.record) == read_record(first.path)
    assert [] == [path for path in first.path.parent.iterdir() if path.name.startswith(".")]
    with pytest.raises(InputError, match="Results are written once"):
        run_world(world, out=first.path)


def test_results_that_cannot_be_written_are_refused_before_any_work(world: World) -> None:
    """Nothing is encoded, and no look at the held-out slice is counted."""

    def load(*_: object, **__: object) -> Model:
        raise AssertionError("a model was loaded")

    with pytest.raises(InputError, match=r"experiment\.toml is no folder"):
        run_world(world, load_model=load, out=world.experiment / "out")
    assert not list(world.folder.rglob("*.ledger.jsonl"))


def test_a_key_of_earlier_versions_is_refused_by_name(world: World) -> None:
    """What it asked for is gone, so nobody is asked what else was meant."""
    world.write_experiment(protocol='split = "all"\n[protocol.index]\nextra_seeds = 3')
    with pytest.raises(InputError, match=r"extra_seeds is no longer read\. Graphs of other seeds"):
        run_world(world)


def test_a_failed_run_leaves_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a half-written directory nor a temporary one."""

    def fail(_: object) -> str:
        raise OSError("disk full")

    monkeypatch.setattr("evaluator.run.REPORTS", {"report.html": fail})
    with pytest.raises(OSError, match="disk full"):
        run_world(world)
    assert [] == list((world.folder / "experiment.results").iterdir())


def test_the_runs_can_be_read_back(finished: WrittenRun) -> None:
    """Each list is as deep as the corpus here, and the table gives rank and measures by query."""
    rankings = read_run(finished.path / "headed.run")
    assert "leave#0" == rankings["q1"][0][0]
    assert {12} == {len(ranking) for ranking in rankings.values()}
    lines = (finished.path / "plain.tsv").read_text().splitlines()
    assert (
        "query_id\tclass\torigin\tfirst_gold_rank\tSuccess@1\tR@2\tRR@5\tnDCG@5\tSuccess@2"
        == (lines[0])
    )
    assert "q8\tno-gold\tlog\t\t\t\t\t\t" == lines[8]
    assert 10 == len(lines)


def test_two_runs_agree_to_the_last_bit(world: World) -> None:
    """Apart from times, a warm run gives the record of the cold one."""
    cold, warm = run_world(world), run_world(world)
    for name in ("plain.run", "headed.hnsw.run", "headed.tsv"):
        assert (cold.path / name).read_bytes() == (warm.path / name).read_bytes()
    assert record_json(cold.record)["contrasts"] == record_json(warm.record)["contrasts"]
    assert 0 == by_name(record_json(warm.record), "headed")["costs"]["vectors_made"]
    first, second = (
        by_name(record_json(one.record), "headed")["costs"]["encode_seconds"]
        for one in (cold, warm)
    )
    assert first == pytest.approx(second)


# Costs and closure


def test_the_costs_are_counted(finished: WrittenRun) -> None:
    """Tokens are words plus two here, so the means can be checked against the texts."""
    found = record_json(finished.record)
    plain, headed = by_name(found, "plain")["costs"], by_name(found, "headed")["costs"]
    words = [len(chunk.text.split()) for chunk in small_chunks()]
    assert 12 == plain["chunks"] == headed["chunks"]
    assert sum(words) / 12 + 2 == pytest.approx(plain["input_tokens_mean"])
    assert (0, 12) == (plain["header_tokens_mean"], plain["chunks_without_header"])
    assert 1 == headed["chunks_without_header"]
    gap = headed["input_tokens_mean"] - plain["input_tokens_mean"]
    assert gap == pytest.approx(headed["header_tokens_mean"])
    assert {"1": 0, "2": 0} == plain["header_tokens_per_query"]
    assert 0 < headed["header_tokens_per_query"]["1"] < headed["header_tokens_per_query"]["2"]
    timed = "encode_seconds", "encode_cpu_seconds", "build_seconds", "query_ms_p50"
    assert all(headed[cost] > 0 for cost in ("index_bytes", *timed))


def test_every_closure_is_met(finished: WrittenRun) -> None:
    """Counts, input gap, tax at k and 2k, and both rates at both cutoffs."""
    closure = record_json(finished.record)["contrasts"][0]["closure"]
    assert 9 == len(closure)
    assert [] == [row for row in closure if not row["met"]]


@pytest.mark.parametrize(("joined", "met"), [(1, True), (3, False)])
def test_a_header_is_counted_in_place(world: World, joined: int, met: bool) -> None:
    """A tokenizer may join a token where header and text meet; more than a seam is broken."""

    def load(source: str, /, **_: object) -> Model:
        model = stand_in_model(name=source)

        def count(texts):  # type: ignore[no-untyped-def]
            less = [joined if "\n" in text.rstrip("\n") else 0 for text in texts]
            return model.count_tokens(texts) - less

        return replace(model, count_tokens=count)

    [contrast] = run_record(world, load_model=load)["contrasts"]
    rows = {row["name"]: row for row in contrast["closure"]}
    gap = rows.pop("input gap equals the mean header")
    assert gap["met"]
    assert pytest.approx(3.083 - joined * 11 / 12, abs=1e-3) == gap["found"]
    seams = rows.pop("chunks whose header counts more than 2 tokens otherwise by itself")
    assert (met, 0 if met else 11) == (seams["met"], seams["found"])
    assert "they differ in 11 chunks" in seams["note"]
    assert all(row["met"] for name, row in rows.items() if not name.startswith("mean header"))


@pytest.mark.parametrize(("max_tokens", "cuts"), [(10, (11, 1)), (4, (12, 12))])
def test_a_header_that_pushes_text_out_is_called_so(
    world: World, max_tokens: int, cuts: tuple[int, int]
) -> None:
    """
    A model that reads fewer tokens cuts more chunks with a header: that is a second cause.

    So it is where every chunk is cut in both arms, and more of it where a header comes first.
    """

    def load(source: str, /, **_: object) -> Model:
        return stand_in_model(name=source, max_tokens=max_tokens)

    [contrast] = run_record(world, load_model=load)["contrasts"]
    assert "header plus lost body" == contrast["label"]
    [notice] = [notice for notice in contrast["notices"] if "loses body text" in notice]
    assert f"The model cuts {cuts[0]} chunks of 'headed' and {cuts[1]} of 'plain', so" in notice
    assert "more is cut of 7 of 7 gold chunks (100.0%) than in the baseline" in notice


def test_a_header_rule_that_changes_nothing_is_said(tmp_path: Path) -> None:
    """Two rules, the same strings: whatever differs then is not the header."""
    chunks = [replace(chunk, title="", headings=()) for chunk in small_chunks()]
    [contrast] = run_record(small_world(tmp_path, chunks=chunks))["contrasts"]
    assert (
        "Both arms gave the encoder the same strings: nothing was changed." in (contrast["notices"])
    )
    assert "12 of 12 chunks have no header in 'headed'." in contrast["notices"]


# Arms and factors


def test_swapping_the_arms_negates_the_difference(world: World) -> None:
    """Won and lost change places; the exact p stays."""
    [there] = run_record(world)["contrasts"]
    both = arm("plain") + arm("headed", header="title+path")
    swap = '[[contrast]]\nbaseline = "headed"\ntreatment = "plain"\n'
    world.write_experiment(arms=both + swap)
    [back] = run_record(world)["contrasts"]
    for name, found in there["measures"].items():
        assert -found["difference"] == pytest.approx(back["measures"][name]["difference"])
    a, b = there["cells"]["1"], back["cells"]["1"]
    assert (a["won"], a["lost"]) == (b["lost"], b["won"])
    assert a["mcnemar_exact_p"] == b["mcnemar_exact_p"]


def test_the_default_baseline_is_the_first_arm(world: World) -> None:
    """Three arms give two contrasts, their primary p-values adjusted as one family."""
    world.write_experiment(
        arms=arm("plain") + arm("titled", header="title") + arm("headed", header="title+path")
    )
    contrasts = run_record(world)["contrasts"]
    assert [("plain", "titled"), ("plain", "headed")] == [
        (one["baseline"], one["treatment"]) for one in contrasts
    ]
    for one in contrasts:
        assert one["primary"]["p_holm"] >= one["measures"]["Success@1"]["p"]


def test_one_arm_alone_gives_levels_and_a_note(world: World) -> None:
    """A level is not a difference."""
    world.write_experiment(arms=arm("plain"))
    found = run_record(world)
    assert [] == found["contrasts"]
    assert any("a level is not a difference" in note for note in found["notes"])


def test_a_query_prefix_alone_is_labelled_the_smaller_experiment(world: World) -> None:
    """The document side, and so the index, is the same in both arms."""
    world.write_experiment(arms=arm("plain") + arm("asked", query_prefix="query: "))
    found = run_record(world)
    [contrast] = found["contrasts"]
    assert "formatting" == contrast["factor"]
    assert "smaller experiment" in contrast["label"]
    assert 12 == by_name(found, "asked")["costs"]["vectors_reused"]


def test_strings_reach_the_encoder_byte_for_byte(tmp_path: Path) -> None:
    """Prefix with its blank, header with its line break, text as it is, whatever it says."""
    seen: list[str] = []

    def load(source: str, /, **_: object) -> Model:
        model = stand_in_model(name=source)
        return replace(model, encode=lambda texts: (seen.extend(texts), model.encode(texts))[1])

    odd = {"q1": {"text": "NA"}, "q2": {"text": "=1+1"}, "q3": {"text": "<script>"}}
    world = small_world(tmp_path, queries=small_queries(**odd))
    world.write_experiment(
        arms=arm("headed", query_prefix="query: ", doc_prefix="passage: ", header="title+path")
    )
    run_world(world, load_model=load)
    assert {"query: NA", "query: =1+1", "query: <script>", "query: lease notice"} <= set(seen)
    assert "passage: Lease > Notice\nThree months to the end of a quarter." in seen
    assert "passage: A note without a title." in seen


def test_prefixes_that_the_model_does_not_name_are_noticed(world: World) -> None:
    """Swapped sides and odd blanks are accepted, with a word."""

    def load(source: str, /, **_: object) -> Model:
        return stand_in_model(name=source, prompts={"query": "query: ", "passage": "passage: "})

    world.write_experiment(
        arms=arm("right", query_prefix="query: ", doc_prefix="passage: ")
        + arm("odd", query_prefix="query :", doc_prefix="passage: ")
    )
    found = run_record(world, load_model=load)
    assert [] == by_name(found, "right")["notices"]
    assert ['query_prefix is "query :", the model names "query: "'] == (
        by_name(found, "odd")["notices"]
    )


def test_a_model_contrast_needs_one_level_of_formatting(world: World) -> None:
    """Known only once both models are loaded, and refused before anything is encoded."""

    def load(source: str, /, **_: object) -> Model:
        prompts = {"query": "query: ", "passage": "passage: "} if source.endswith("in") else {}
        return stand_in_model(name=source, prompts=prompts)

    other = f'[arm.model]\nsource = "folder:other"\nweights_sha256 = "{"1" * 64}"\n'
    prefixed = arm("a", query_prefix="query: ", doc_prefix="passage: ")
    world.write_experiment(arms=prefixed + prefixed.replace('"a"', '"b"') + other)
    with pytest.raises(InputError, match="differ in formatting and in model"):
        run_record(world, load_model=load)
    world.write_experiment(arms=arm("a") + arm("b") + other)
    [contrast] = run_record(world, load_model=load)["contrasts"]
    assert "model" == contrast["factor"]
    assert [] == [row for row in contrast["closure"] if "gap" in row["name"]]


def test_one_model_under_two_names_is_refused(world: World) -> None:
    """A copy of a folder is no other model."""
    other = f'[arm.model]\nsource = "folder:copy"\nweights_sha256 = "{"1" * 64}"\n'
    world.write_experiment(arms=arm("a") + arm("b") + other)
    with pytest.raises(InputError, match="one and the same"):
        run_record(world, load_model=lambda *_, **__: stand_in_model())


# What is pinned


@pytest.mark.parametrize(
    ("pinned", "stated", "said"),
    [
        ("{sha256}", "0" * 64, "found {sha256}"),
        ("small-1", "small-2", "but there is none"),
    ],
)
def test_another_label_set_is_refused(world: World, pinned: str, stated: str, said: str) -> None:
    """With the digest that was found or the place that was looked at; no model is loaded."""
    text, sha256 = world.experiment.read_text(), world.labels_sha256
    world.experiment.write_text(text.replace(pinned.format(sha256=sha256), stated))
    with pytest.raises(InputError, match=said.format(sha256=sha256)):
        run_world(world, load_model=None)


def test_an_edited_label_set_is_refused(world: World) -> None:
    """Its manifest is the pinned one, its bytes are not."""
    path = world.labels / "qrels.txt"
    path.chmod(0o644)
    path.write_text(path.read_text().replace("leave#0 1", "leave#0 0"))
    with pytest.raises(LabelSetError, match=r"qrels\.txt"):
        run_world(world, load_model=None)


def test_another_snapshot_is_refused(world: World) -> None:
    """One that the experiment does not pin, and one that the labels were not made for."""
    more = Chunk("z#0", "z", "One more.", "Z", (), "tickets", {})
    other = small_world(world.folder / "other", chunks=[*small_chunks(), more])
    text = world.experiment.read_text()
    world.experiment.write_text(text.replace(world.digest, other.digest))
    with pytest.raises(InputError, match="made for another chunk set"):
        run_world(world, load_model=None)
    world.experiment.write_text(text.replace('path = "snapshot"', 'path = "other/snapshot"'))
    with pytest.raises(InputError, match="is another chunk set"):
        run_world(world, load_model=None)


# Which queries


def test_a_split_asks_only_its_queries(world: World) -> None:
    """Queries of the other side are not even searched for."""
    world.write_experiment(protocol='split = "tuning"')
    found = run_world(world)
    assert {"q4", "q5", "q7"} == set(read_run(found.path / "plain.run"))
    assert "TUNING DOCUMENTS" == record_json(found.record)["headline"]["stamp"]
    assert 0 == found.record.labels.looks
    assert [False] == [row["held_out"] for row in known_rows(read_label_set(world.labels))]
    assert any("without gold lie on neither side" in note for note in found.record.notes)


def test_all_is_stamped_unless_nothing_was_tuned(world: World) -> None:
    """The declaration takes the stamp away, and nothing else does."""
    assert "INCLUDES TUNING DOCUMENTS" == run_record(world)["headline"]["stamp"]
    world.write_experiment(protocol='split = "all"\nnothing_tuned = true')
    assert run_record(world)["headline"]["stamp"] is None


def test_a_set_of_one_other_origin_names_it(tmp_path: Path) -> None:
    """Known-answer queries are not called log queries."""
    queries = [replace(query, origin="known-item") for query in small_queries()]
    found = run_record(small_world(tmp_path, queries=queries))
    assert ("known-item", 9) == (found["headline"]["origin"], found["headline"]["n"])


def test_a_split_without_gold_is_refused(tmp_path: Path) -> None:
    """With the counts of what there is."""
    qrels = {query_id: {"pay#1": 0} for query_id in small_qrels()}
    with pytest.raises(InputError, match=r"holds no query with gold .*9 no-gold"):
        run_world(small_world(tmp_path, qrels=qrels), load_model=None)


def test_skipped_and_unjudged_queries_are_listed(tmp_path: Path) -> None:
    """They are neither asked nor counted as misses, nor as judged and found without gold."""
    queries = small_queries(q4={"skip_reason": "unreadable"})
    qrels = {q: grades for q, grades in small_qrels().items() if q not in ("q4", "q5")}
    found = run_record(small_world(tmp_path, queries=queries, qrels=qrels))
    assert 6 == found["headline"]["n"]
    assert "2 queries were skipped or never judged and are not asked: q4, q5" in found["notes"]
    assert 1 == found["labels"]["classes"]["no-gold"]["queries"]
    assert 7 == sum(each["queries"] for each in found["labels"]["classes"].values())


def test_a_traffic_estimand_needs_weights(tmp_path: Path) -> None:
    """Known-answer queries stand for no traffic."""
    queries = [replace(query, inclusion_probability=None, weight=None) for query in small_queries()]
    bare = small_world(tmp_path, queries=queries)
    bare.write_experiment(protocol='split = "all"\nestimand = "traffic"')
    with pytest.raises(InputError, match="needs a weight for every query"):
        run_world(bare, load_model=None)


def test_a_contrast_is_also_told_per_search(finished: WrittenRun) -> None:
    """Seven queries with 128 searches; 20 more searches have no gold."""
    [contrast] = record_json(finished.record)["contrasts"]
    won = 128 - 9  # those who ask for alarm emails find them with both

    assert (7, 8) == (contrast["traffic"]["n"], contrast["traffic_over_all"]["n"])
    assert won / 128 == pytest.approx(contrast["traffic"]["difference"])
    assert won / 148 == pytest.approx(contrast["traffic_over_all"]["difference"])
    assert "interval" not in contrast["traffic"]
    assert "7 independent queries or groups" in contrast["traffic"]["reason"]
    assert {"contracts", "handbook"} <= contrast["by_source"].keys()
    for group in (*contrast["by_class"].values(), *contrast["by_source"].values()):
        assert (group["n"], True) == (group["traffic"]["n"], "reason" in group["traffic"])


def test_without_weights_the_record_says_why_there_is_no_traffic(tmp_path: Path) -> None:
    """A reason instead of an estimate."""
    queries = [replace(query, weight=None, inclusion_probability=None) for query in small_queries()]
    [contrast] = run_record(small_world(tmp_path, queries=queries))["contrasts"]
    assert "difference" not in contrast["traffic"]
    assert "7 queries are without a weight" in contrast["traffic"]["reason"]


def test_a_level_that_the_pool_gave_away_is_named(tmp_path: Path) -> None:
    """Each query's only gold is what the plain arm ranks first: pooled by itself, to depth 1."""
    qrels = {query_id: {"pay#1": 0} for query_id in small_qrels()}
    for query_id, [(first, _), *_] in read_run(
        run_world(small_world(tmp_path)).path / "plain.run"
    ).items():
        qrels[query_id][first] = 1
    assert (
        [] == run_record(small_world(tmp_path / "deep", qrels=qrels))["contrasts"][0]["notices"][1:]
    )
    shallow = small_world(tmp_path / "shallow", qrels=qrels, pool_depth=1)
    [contrast] = run_record(shallow)["contrasts"]
    assert "every gold chunk lies in the first 1 of 'plain'" in contrast["notices"][-1]
    assert ["first 2 of 'plain'" in note for note in contrast["k_by_treatment"]["notes"]][:1] == [
        True
    ]


# Held-out results


def ledger_path_of(world: World) -> Path:
    return world.labels.with_name("small-1.ledger.jsonl")


def test_every_look_at_held_out_results_is_written_down(world: World) -> None:
    """Who, when, which experiment; the record says how many there were in this copy."""
    assert 1 == run_record(world)["labels"]["looks"]
    assert 2 == run_record(world)["labels"]["looks"]
    lines = [json.loads(line) for line in ledger_path_of(world).read_text().splitlines()]
    assert ["all", "all"] == [line["split"] for line in lines]
    assert {"small"} == {line["experiment"] for line in lines}
    assert "2026-12-02T08:30:00.000Z" == lines[0]["at"]
    assert ledger_path_of(world).resolve() == ledger_path(world.labels)


def test_a_report_knows_what_decided_before(world: World) -> None:
    """Another primary measure for the same arms, whatever they were called and where it went."""
    world.write_experiment()
    text = world.experiment.read_text()
    [first] = run_record(world, out=world.folder / "elsewhere")["contrasts"]
    assert "earlier_choices" not in first
    again = text.replace('primary = "Success@1"', 'primary = "RR@5"')
    world.experiment.write_text(again.replace('"headed"', '"other"'))
    for _ in range(2):
        found = run_world(world)
        [contrast] = record_json(found.record)["contrasts"]
        assert found.record.labels.order is not None
        assert not any("it was run at" in text for text in found.record.labels.order.rests_on)
        [choice] = contrast["earlier_choices"]
        assert ("Success@1", 1, "all", 7) == tuple(
            choice[k] for k in ("measure", "k", "split", "n")
        )
        expected = first["measures"]["Success@1"]
        assert (expected["difference"], expected["p"]) == (choice["difference"], choice["p"])
        assert 1 == markdown_report(found.record).count("Chosen before on these labels for `other`")
    arms = again.split("[[arm]]")
    world.experiment.write_text("[[arm]]".join([arms[0], arms[2], arms[1]]))
    [turned] = run_record(world)["contrasts"]
    assert [-expected["difference"]] == [c["difference"] for c in turned["earlier_choices"]]
    world.write_experiment(arms=arm("plain") + arm("headed", header="title"))
    assert "earlier_choices" not in run_record(world)["contrasts"][0]


def test_held_out_flips_are_counted_and_open_on_request(world: World) -> None:
    """Their texts are not in the record until somebody asks, and asking is written down."""
    [contrast] = run_record(world)["contrasts"]
    assert {"q4", "q5", "q7"} == {flip["query_id"] for flip in contrast["flips"]["won"]}
    assert 6 == contrast["cells"]["1"]["won"]
    [opened] = run_record(world, open_held_out=True)["contrasts"]
    flips = {flip["query_id"]: flip for flip in opened["flips"]["won"]}
    assert 6 == len(flips)
    assert {
        "query_id": "q1",
        "text": "how long before parental leave",
        "class": "held-out",
        "gold": ["leave#0"],
        "rank_baseline": 9,
        "rank_treatment": 1,
    }.items() <= flips["q1"].items()
    assert "by name" in ledger_path_of(world).read_text().splitlines()[-1]


# Limits and filters


def filtered_world(folder: Path) -> tuple[World, set[str]]:
    """Two tenants with six chunks each, all queries of one of them, and that one's chunks."""
    chunks = [
        replace(chunk, attributes={"tenant": "north" if n % 2 else "south"})
        for n, chunk in enumerate(small_chunks())
    ]
    queries = [replace(query, filter={"tenant": "south"}) for query in small_queries()]
    allowed = {chunk.chunk_id for chunk in chunks[::2]}
    return small_world(folder, chunks=chunks, queries=queries), allowed


@pytest.mark.parametrize("k", [3, 7, 50])
def test_a_cutoff_beyond_the_corpus_keeps_its_name(tmp_path: Path, k: int) -> None:
    """Seven chunks: no made-up results, and a note where the number cannot tell arms apart."""
    chunks = [chunk for chunk in small_chunks() if chunk.doc_id in ("leave", "pay", "keys")]
    qrels = {"q1": {"leave#0": 1, "pay#1": 0}, "q5": {"keys#0": 1, "pay#1": 0}}
    queries = [query for query in small_queries() if query.query_id in qrels]
    world = small_world(tmp_path, chunks=chunks, qrels=qrels, queries=queries)
    world.write_experiment(
        measures=f'measures = ["Success@{k}", "Success@1"]',
        protocol=f'split = "all"\n[protocol.index]\nef_search = {max(128, 2 * k)}',
    )
    text = world.experiment.read_text().replace('primary = "Success@1"', f'primary = "Success@{k}"')
    world.experiment.write_text(text)
    found = run_world(world)
    assert {7} == {len(ranking) for ranking in read_run(found.path / "plain.run").values()}
    level = by_name(record_json(found.record), "plain")["measures"][f"Success@{k}"]["gold"]
    note = f"k = {k} reaches the corpus size (7 chunks): the number cannot tell arms apart"
    assert (k >= 7) == (note in found.record.notes)
    assert k < 7 or level == 1.0


def test_a_corpus_of_one_works(tmp_path: Path) -> None:
    """One chunk, one query, and the note that nothing can be told apart."""
    chunks, qrels = small_chunks()[:1], {"q1": {"leave#0": 1}}
    queries = small_queries()[:1]
    found = run_record(small_world(tmp_path, chunks=chunks, qrels=qrels, queries=queries))
    assert 1.0 == by_name(found, "plain")["measures"]["Success@1"]["gold"]
    assert {} == by_name(found, "plain")["judged"]


def test_a_filter_applies_in_every_arm_and_ranking(tmp_path: Path) -> None:
    """The query sees its own tenant's chunks and nothing else."""
    world, allowed = filtered_world(tmp_path)
    found = run_world(world)
    for name in ("plain.run", "plain.hnsw.run", "headed.run", "headed.hnsw.run"):
        for ranking in read_run(found.path / name).values():
            assert {chunk_id for chunk_id, _ in ranking} == allowed
    assert "9 queries are filtered, alike in every arm and ranking" in found.record.notes
    notice = "9 queries have a filter that lets in no more than 128 chunks (ef_search); "
    notice += "their hnsw ranking is the exact one"
    assert [[notice], [notice]] == [one["notices"] for one in record_json(found.record)["arms"]]
    world.write_experiment(protocol='split = "all"\nfilter = false')
    off = run_world(world)
    assert 12 == len(read_run(off.path / "plain.run")["q1"])
    assert "9 queries have a filter that this protocol does not apply" in off.record.notes


def test_a_wide_filter_is_left_to_the_graph(tmp_path: Path) -> None:
    """Six chunks are let in and ef_search is four: hnsw ranks by itself, within the filter."""
    world, allowed = filtered_world(tmp_path)
    world.write_experiment(
        measures='measures = ["Success@1"]',
        protocol='split = "all"\n[protocol.index]\nef_search = 4',
    )
    found = run_world(world)
    assert [[], []] == [one["notices"] for one in record_json(found.record)["arms"]]
    for ranking in read_run(found.path / "plain.hnsw.run").values():
        assert 4 == len(ranking)
        assert {chunk_id for chunk_id, _ in ranking} <= allowed


def test_a_query_that_nothing_may_answer_scores_zero_and_is_listed(tmp_path: Path) -> None:
    """Its filter lets no chunk in, and it is not dropped; one reported apart is not counted."""
    nobody = {"filter": {"tenant": "nobody"}}
    queries = small_queries(q6=nobody, q9=nobody)
    found = run_record(small_world(tmp_path, queries=queries))
    assert ["q6", "q9"] == by_name(found, "plain")["unanswered"]
    assert "2 queries have a filter that shuts out all of their gold: q6" in found["notes"]
    assert 7 == found["headline"]["n_gold"]
    assert "plain: 1 of 8 queries score 0: q6." in terminal_summary(record_of(found))


def test_filters_that_leave_nothing_at_all_are_refused(tmp_path: Path) -> None:
    """The cause is named before anything is encoded; without filters the same run works."""
    queries = [replace(query, filter={"tenant": "nobody"}) for query in small_queries()]
    world = small_world(tmp_path, queries=queries)
    with pytest.raises(InputError, match="filters of all 9 queries leave no chunk"):
        run_world(world)
    world.write_experiment(protocol='split = "all"\nfilter = false')
    assert run_record(world)["contrasts"]


def test_a_run_in_bf16_lists_the_hits_that_differ_from_fp32(world: World) -> None:
    """They are those of the same arms in fp32; held-out queries are named when flips are opened."""

    def load(_: str, /, *, precision: Precision = "fp32", **_more: object) -> Model:
        model = stand_in_model(name="bf")  # not of the source, which is another in each folder
        if precision == "fp32":
            return model

        def encode(texts: Sequence[str]) -> NDArray[np.float32]:
            return (np.sign(model.encode(texts)) / 8).astype(np.float32)

        return replace(model, precision=precision, encode=encode, notice="slow here")

    full = run_world(world, load_model=load, out=world.folder / "fp32")
    text = world.experiment.read_text(encoding="utf-8")
    world.experiment.write_text(text.replace("[model]\n", '[model]\nprecision = "bf16"\n'))
    half = run_world(world, load_model=load, out=world.folder / "bf16", open_held_out=True)
    differ = []
    for name in ("plain", "headed"):
        runs = [read_run(each.path / f"{name}.run") for each in (half, full)]
        for query_id, grades in small_qrels().items():
            gold = {chunk_id for chunk_id, grade in grades.items() if grade}
            first, exact = (run[query_id][0][0] in gold for run in runs)
            if first != exact:
                differ.append((name, query_id, first))
    [contrast], [in_fp32] = half.record.contrasts, full.record.contrasts
    assert in_fp32.precision is None
    found = contrast.precision
    assert found is not None
    assert ("bf16", 1, 8) == (found.precision, found.k, found.n)
    assert differ
    assert sorted(differ) == sorted((one.arm, one.query_id, one.hit) for one in found.differ)
    assert all("slow here" in (arm.notices or ()) for arm in half.record.arms)
    assert f"{len(differ)} hits at 1 by exact search differ:" in markdown_report(half.record)
    [closed] = run_world(world, load_model=load, out=world.folder / "closed").record.contrasts
    assert closed.precision is not None
    named = [each.query_id for each in closed.precision.differ if each.query_id]
    assert len(named) < len(differ) == len(closed.precision.differ)
    assert reproduce(half.path).difference is None
