"""The order of labels and treatment, from files as they lie there to what a run records."""

import json
import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from evaluator import InputError
from evaluator.checks.labels import verified_json, verified_text, verify_labels
from evaluator.experiment.experiment import read_experiment
from evaluator.experiment.headers.rule import read_header_rule, strings_sha256
from evaluator.labelset.format import MANIFEST, read_label_set
from evaluator.labelset.ledger import ledger_path, record_look
from evaluator.order.evidence import LabelOrder
from evaluator.order.later_headers import observed_order
from evaluator.record.model import record_of
from evaluator.record.typed_json import from_json, to_json
from evaluator.report.report import terminal_summary
from evaluator.snapshot.snapshot import read_snapshot
from tests.authority import made_authority
from tests.evaluator.golden_record import FOLDER
from tests.evaluator.order.test_git_commits import commit, git
from tests.small_world import RUN_AT, World, arm

AFTER = datetime(2026, 12, 1, 12, tzinfo=UTC)
BEFORE = datetime(2026, 11, 30, 12, tzinfo=UTC)


def header_file(world: World, *, changed: datetime = AFTER, first: str = "", **row: Any) -> Path:
    """An experiment whose treatment is a file of headers; with its first line and a row."""
    path = world.folder / "h.jsonl"
    text = json.dumps({"chunk_id": "leave#0", "text": "Leave", **row}) + "\n"
    path.write_text((first + "\n" if first else "") + text)
    dated(path, changed)
    world.write_experiment(arms=arm("plain") + arm("headed", header="file:h.jsonl"))
    dated(world.experiment, AFTER)
    return path


def dated(path: Path, at: datetime) -> None:
    os.utime(path, (at.timestamp(), at.timestamp()))


def order(world: World) -> dict[str, Any]:
    experiment = read_experiment(world.experiment)
    headers = {
        each.name: read_header_rule(each.header, folder=world.folder, options=each.header_options)
        for each in experiment.arms
    }
    chunks = list(read_snapshot(world.folder / "snapshot").chunks())
    rendered = {
        name: strings_sha256(rule.headers(chunks, own_tokens=lambda texts: [len(t) for t in texts]))
        for name, rule in headers.items()
    }
    labels = read_label_set(world.labels)
    found: dict[str, Any] = to_json(
        observed_order(labels, experiment, headers, rendered, now=RUN_AT)
    )
    return found


def said(found: dict[str, Any]) -> str:
    return "\n".join(found["rests_on"])


def test_everything_is_dated_and_hashed(world: World) -> None:
    """Experiment, every arm's declaration, and the header file."""
    header_file(world, generated_at="2026-12-01T11:00:00Z")
    found = order(world)
    assert [
        ("experiment", "experiment.toml"),
        ("arm declaration", "plain"),
        ("arm declaration", "headed"),
        ("header file", "h.jsonl"),
    ] == [(each["what"], each["name"]) for each in found["dated"]]
    assert {64} == {len(each["sha256"]) for each in found["dated"]}
    assert "2026-12-01T12:00:00+00:00" == found["dated"][0]["changed_at"]
    assert "2026-12-01T11:00:00Z" == found["dated"][3]["generated_at"]
    assert ("usable", None) == (found["use"], found["stamp"])
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    ("use", "how"),
    [
        ("usable", {"changed": AFTER}),
        ("not usable", {"changed": BEFORE}),
        ("not usable", {"changed": AFTER, "generated_at": "2026-11-30T12:00:00Z"}),
    ],
)
def test_a_header_file_dates_the_work(world: World, use: str, how: dict[str, Any]) -> None:
    """By its last change and by what its lines say themselves."""
    header_file(world, **how)
    found = order(world)
    assert use == found["use"]
    assert "file h.jsonl" in said(found)


def test_a_header_file_that_names_the_labels_was_written_after_them(world: World) -> None:
    """Whatever its date says; its lines may still say that they are older."""
    first = json.dumps({"labels_sha256": world.labels_sha256})
    header_file(world, changed=BEFORE, first=first)
    found = order(world)
    assert "usable" == found["use"]
    assert "holds the digest of this label set" in said(found)
    header_file(world, changed=BEFORE, first=first, generated_at="2026-11-29")
    assert "not usable" == order(world)["use"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_commit_of_the_header_file_before_the_freeze_contradicts(world: World) -> None:
    """By either of its dates; the labels' own commit is a witness beside it."""
    header_file(world)
    git(world.folder, "init", "-q", "-b", "main", ".")
    commit(world.folder, at="2026-12-02T00:00:00Z", authored="2026-11-30T00:00:00Z")
    found = order(world)
    assert "not usable" == found["use"]
    assert "witness of the labels: commit" in said(found)
    assert "file h.jsonl" in said(found)
    assert "authored 2026-11-30T00:00:00Z" in said(found)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_an_older_version_of_a_file_is_a_doubt(world: World) -> None:
    """Its bytes were others; it is said, and decides nothing."""
    header_file(world, text="Old")
    git(world.folder, "init", "-q", "-b", "main", ".")
    commit(world.folder, at="2026-11-30T00:00:00Z")
    header_file(world)
    commit(world.folder, "Two", at="2026-12-02T00:00:00Z")
    found = order(world)
    assert "usable" == found["use"]
    assert "doubt: another version of h.jsonl was committed before the freeze" in said(found)
    assert "whether it made the same headers is unknown" in said(found)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("committed", [True, False])
def test_a_shallow_clone_is_named_beside_the_commit(world: World, committed: bool) -> None:
    """Or where none is found: what came before the clone began is unknown."""
    text = header_file(world).read_bytes()
    if not committed:
        (world.folder / "h.jsonl").unlink()
    git(world.folder, "init", "-q", "-b", "main", ".")
    commit(world.folder, at="2026-12-02T00:00:00Z")
    (world.folder / "other").touch()
    commit(world.folder, "Two", at="2026-12-02T01:00:00Z")
    clone = world.folder / "clone"
    git(world.folder, "clone", "-q", "--depth", "1", f"file://{world.folder}", str(clone))
    (clone / "h.jsonl").write_bytes(text)
    dated(clone / "h.jsonl", AFTER)
    found = order(World(clone, world.digest, world.labels_sha256))
    [line] = [text for text in found["rests_on"] if "h.jsonl" in text and "shallow" in text]
    assert "a shallow clone: earlier commits are not here" in line
    assert committed != ("since when git has h.jsonl is unknown" in line)
    record = record_of(json.loads((FOLDER / "record.json").read_text(encoding="utf-8")))
    observed, _ = from_json(LabelOrder, found, where="order")
    shallow = replace(record, labels=replace(record.labels, order=observed))
    assert "but a shallow clone hides earlier commits" in terminal_summary(shallow)


def test_two_rules_that_render_the_same_are_one_treatment(world: World) -> None:
    """With or without braces, or from a file: the strings say what was done, and they date it."""
    rules = arm("named", header="title") + arm("template", header="{title}")
    world.write_experiment(arms=arm("plain") + rules)
    [treatment] = order(world)["treatments"]
    assert (["named", "template"], "title and {title}") == (treatment["arms"], treatment["rule"])
    results = world.folder / "older.results/2026-11-30T12-00-00Z"
    results.mkdir(parents=True)
    arms = [{"header_sha256": "0", "header_strings_sha256": treatment["sha256"]}]
    record = {"started_at": "2026-11-30T12:00:00.000Z", "arms": arms}
    (results / "record.json").write_text(json.dumps(record))
    for rule in ("title", "{title}", "file:h.jsonl"):
        chunks = read_snapshot(world.folder / "snapshot").chunks()
        lines = [json.dumps({"chunk_id": c.chunk_id, "text": c.title}) + "\n" for c in chunks]
        (world.folder / "h.jsonl").write_text("".join(lines))
        dated(world.folder / "h.jsonl", AFTER)
        world.write_experiment(arms=arm("plain") + arm("headed", header=rule))
        assert "not usable" == order(world)["use"], rule
    world.write_experiment(arms=arm("plain") + arm("headed", header="{title}:"))
    assert "usable" == order(world)["use"]


def test_a_date_to_come_is_a_doubt(world: World) -> None:
    """Whatever it dates: it shows that a clock was wrong, and not when work began."""
    header_file(world, generated_at="2027-01-01T00:00:00Z")
    assert "(generated) is dated 2027-01-01T00:00:00Z, which is still to come" in said(order(world))


def test_an_arm_declares_when_and_by_whom(world: World) -> None:
    """The declaration is printed with its name, and its date counts."""
    declared = 'header_begun = "2026-12-01T10:00:00Z"\nheader_declared_by = "Bob"\n'
    world.write_experiment(arms=arm("plain") + arm("headed", header="title") + declared)
    found = order(world)
    assert "usable" == found["use"]
    assert "arm 'headed' declares 2026-12-01T10:00:00Z by Bob" in said(found)
    assert "Bob" == found["dated"][2]["declared_by"]
    world.write_experiment(
        arms=arm("plain") + arm("headed", header="title") + declared.replace("T10", "T08")
    )
    assert "not usable" == order(world)["use"]


def test_earlier_results_of_the_same_header_date_it(world: World) -> None:
    """Whatever experiment they are of; those of another header do not."""
    title = read_header_rule("title").digest
    results = world.folder / "older.results/2026-11-30T12-00-00Z"
    results.mkdir(parents=True)
    record = {"started_at": "2026-11-30T12:00:00.000Z", "arms": [{"header_sha256": title}]}
    (results / "record.json").write_text(json.dumps(record))
    assert "usable" == order(world)["use"]
    world.write_experiment(arms=arm("plain") + arm("headed", header="title"))
    found = order(world)
    assert "not usable" == found["use"]
    assert "it was run at 2026-11-30T12:00:00.000Z (older.results/" in said(found)
    (results / "record.json").write_text("[]")
    assert "usable" == order(world)["use"]


def successor(world: World, *, frozen_at: str = "2026-12-01T09:00:00.000Z") -> None:
    """Let the set of this world supersede another that lies beside it."""
    first = world.labels.with_name("small-0")
    shutil.copytree(world.labels, first)
    edit(first, {"name": "small-0", "frozen_at": "2026-11-25T00:00:00.000Z"})
    digest = read_label_set(first).sha256
    edit(
        world.labels, {"supersedes": {"name": "small-0", "sha256": digest}, "frozen_at": frozen_at}
    )


def edit(labels: Path, changes: dict[str, Any]) -> None:
    path = labels / MANIFEST
    manifest = json.loads(path.read_text()) | changes
    path.chmod(0o644)
    path.write_text(json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


def repinned(world: World) -> World:
    return World(world.folder, world.digest, read_label_set(world.labels).sha256)


@pytest.mark.parametrize(
    ("use", "changed"),
    [
        ("usable", AFTER),
        ("sensitivity analysis", BEFORE),
        ("not usable", datetime(2026, 11, 20, tzinfo=UTC)),
    ],
)
def test_a_successor_is_judged_with_the_set_it_supersedes(
    world: World, use: str, changed: datetime
) -> None:
    """Which is found beside it by its digest."""
    successor(world)
    world = repinned(world)
    header_file(world, changed=changed)
    found = order(world)
    assert use == found["use"]
    assert "superseded: small-0 (2026-11-25T00:00:00.000Z)" in said(found)


def test_a_look_at_results_on_the_superseded_set_dates_the_header(world: World) -> None:
    """The ledger of that set names the headers that ran, on whichever queries."""
    successor(world)
    world = repinned(world)
    world.write_experiment(arms=arm("plain") + arm("headed", header="title"))
    assert "usable" == order(world)["use"]
    record_look(
        read_label_set(world.labels.with_name("small-0")),
        at=BEFORE,
        experiment="e",
        sha256="0",
        split="all",
        what="results",
        headers=[read_header_rule("title").digest],
        held_out=False,
    )
    found = order(world)
    assert "sensitivity analysis" == found["use"]
    assert "results on small-0 were looked at at 2026-11-30T12:00:00.000Z" in said(found)


def test_a_declaration_of_a_rule_means_it_with_any_options(world: World) -> None:
    """As a freeze names it, by the text of the rule."""
    begun = {"begun": True, "at": "2026-11-25T00:00:00Z", "declared_by": "Ann"}
    named = read_header_rule("title").digest
    edit(world.labels, {"header_work": begun | {"treatments": [named]}})
    world = repinned(world)
    world.write_experiment(arms=arm("plain") + arm("headed", header="path"))
    assert "usable" == order(world)["use"]
    short = "header_max_tokens = 8\n"
    world.write_experiment(arms=arm("plain") + arm("headed", header="title") + short)
    assert "not usable" == order(world)["use"]


def test_a_superseded_set_that_is_not_at_hand_is_said_to_be_so(world: World) -> None:
    """Then nothing shows that it came first."""
    successor(world)
    shutil.rmtree(world.labels.with_name("small-0"))
    world = repinned(world)
    header_file(world, changed=BEFORE)
    found = order(world)
    assert "LABELS COMPLETED AFTER TREATMENT" == found["stamp"]
    assert "came before the treatment is not shown" in said(found)
    assert "doubt: small-0, which was superseded, is not at hand" in said(found)


def test_a_look_before_the_freeze_is_a_wrong_clock(world: World) -> None:
    """Nobody looks at results on labels that are not there."""
    labels = read_label_set(world.labels)
    at = BEFORE - timedelta(days=3)
    record_look(labels, at=at, experiment="e", sha256="0", split="all", what="results")
    with ledger_path(labels.path).open("ab") as file:
        file.write(b'\xff damaged\n[1]\n{"labels_sha256": 7}\n')
    assert "clocks: 1 looks in the ledger are dated before the freeze" in said(order(world))


# Time stamps


def test_a_stamp_is_a_witness_in_the_results(world: World, tmp_path: Path) -> None:
    """Unchecked, unless the experiment names the authority's roots."""
    authority = made_authority(tmp_path / "authority")
    token = world.labels.with_name("small-1.1.tsr")
    token.write_bytes(authority.stamp(world.labels / MANIFEST))
    unchecked = order(world)
    assert "signature was not checked" in said(unchecked)
    text = world.experiment.read_text()
    named = text.replace("[snapshot]", 'authority = "authority/root.pem"\n[snapshot]')
    world.experiment.write_text(named)
    checked = order(world)
    assert "its signature leads to a root that was given" in said(checked)
    token.write_bytes(b"junk")
    spoiled = order(world)
    assert "no witness: small-1.1.tsr: no time stamp can be read from it" in said(spoiled)


def test_verify_checks_stamps_offline(world: World, tmp_path: Path) -> None:
    """A sound one is stated, a wrong one is a problem; other roots vouch for nothing."""
    authority, other = made_authority(tmp_path / "tsa"), made_authority(tmp_path / "other")
    token = world.labels.with_name("small-1.1.tsr")
    token.write_bytes(authority.stamp(world.labels / MANIFEST))
    sound = verify_labels(world.labels, now=RUN_AT, authority=authority.root)
    assert () == sound.problems
    text = verified_text(sound)
    assert "time stamp small-1.1.tsr: CN=signer states 20" in text
    assert "its signature leads to a root that was given" in text
    assert verified_json(sound)["witnesses"]["stamps"][0]["signature_checked"]
    assert "was not checked (--authority" in verified_text(verify_labels(world.labels, now=RUN_AT))
    (problem,) = verify_labels(world.labels, now=RUN_AT, authority=other.root).problems
    assert "not vouched for by the roots given" in problem.found
    token.write_bytes(authority.stamp(world.labels / "qrels.txt"))
    (problem,) = verify_labels(world.labels, now=RUN_AT).problems
    assert ("small-1.1.tsr", "a time stamp over this manifest") == (
        problem.member,
        problem.expected,
    )


@pytest.mark.parametrize("content", [None, b"no certificate"])
def test_roots_that_are_none_are_refused(
    world: World, tmp_path: Path, content: bytes | None
) -> None:
    """With what was expected."""
    roots = tmp_path / "roots.pem"
    if content is not None:
        roots.write_bytes(content)
    with pytest.raises(InputError, match=r"roots\.pem"):
        verify_labels(world.labels, now=RUN_AT, authority=roots)
