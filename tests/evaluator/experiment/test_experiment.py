"""The experiment file: what it may say, and how it is told that it may not."""

import hashlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.experiment.experiment import check_contrasts, read_experiment
from evaluator.experiment.factors import contrast_label, factors_changed, formatting_level
from evaluator.experiment.headers.options import STRUCTURAL, HeaderOptions
from evaluator.experiment.protocol import Arm, Experiment, ModelChoice

HEAD = """
name = "headers"
[labels]
path = "labels/demo-1"
sha256 = "{a}"
[snapshot]
path = "snapshot"
digest = "{b}"
[model]
source = "folder:model"
weights_sha256 = "{c}"
""".format(a="a" * 64, b="b" * 64, c="c" * 64)
PROTOCOL = """
[protocol]
measures = ["Success@5", "R@5"]
primary = "Success@5"
split = "held-out"
"""
HEADER = 'header = "title+path"'
SPLIT = 'split = "held-out"'


def read(tmp_path: Path, text: str) -> Experiment:
    path = tmp_path / "experiment.toml"
    path.write_text(text, encoding="utf-8")
    return read_experiment(path)


def problems(tmp_path: Path, text: str) -> str:
    with pytest.raises(InputError) as refused:
        read(tmp_path, text)
    return str(refused.value)


def arm(
    name: str = "a",
    query_prefix: object = '""',
    doc_prefix: object = '""',
    rest: str = 'header = "none"',
) -> str:
    prefixes = f"query_prefix = {query_prefix}\ndoc_prefix = {doc_prefix}"
    return f'[[arm]]\nname = "{name}"\n{prefixes}\n{rest}\n'


ARMS = HEAD + PROTOCOL
PLAIN = arm("plain")
WHOLE = ARMS + PLAIN + arm("headed", rest=HEADER)


def made_arm(
    name: str, q: str = "", d: str = "", header: str = "none", model: str = "folder:m"
) -> Arm:
    return Arm(name, q, d, header, ModelChoice(model, weights_sha256="c" * 64))


# Reading


def test_a_whole_file_is_resolved(tmp_path: Path) -> None:
    """Paths are taken from the file's folder; the first arm is the baseline of the others."""
    found = read(tmp_path, WHOLE)
    assert tmp_path / "labels/demo-1" == found.labels
    assert [("plain", "headed")] == [(c.baseline, c.treatment) for c in found.contrasts]
    assert ("exact", 100, 5, (5, 10)) == (
        found.protocol.ranking,
        found.protocol.depth,
        found.protocol.k,
        found.protocol.cutoffs,
    )
    assert f"folder:{(tmp_path / 'model').resolve()}" == found.arms[0].model.source


def test_some_things_may_be_said_otherwise(tmp_path: Path) -> None:
    """Digests in capitals, contrasts of one's own, and prefixes that only a card prescribes."""
    stated = 'prescribed_query_prefix = "query: "\nprescribed_doc_prefix = "passage: "\n'
    text = WHOLE.replace("a" * 64, "A" * 64).replace("c" * 64, "C" * 64)
    text = text.replace("weights_sha256", f"{stated}weights_sha256")
    found = read(tmp_path, text + contrast("headed", "plain"))
    assert ("a" * 64, "c" * 64) == (found.labels_sha256, found.arms[0].model.weights_sha256)
    assert ("query: ", "passage: ") == found.arms[0].model.prescribed
    assert [("headed", "plain")] == [(one.baseline, one.treatment) for one in found.contrasts]


def test_precision_is_declared_once_for_all_arms(tmp_path: Path) -> None:
    """fp32 where nothing is said; int8 and two precisions are refused."""
    assert ["fp32", "fp32"] == [each.model.precision for each in read(tmp_path, WHOLE).arms]
    half = WHOLE.replace("weights_sha256", 'precision = "bf16"\nweights_sha256')
    other = f'[arm.model]\nsource = "folder:other"\nweights_sha256 = "{"d" * 64}"\n'
    found = read(tmp_path, half + arm("other") + other)
    assert ["bf16"] * 3 == [each.model.precision for each in found.arms]
    single = half + arm("other") + other + 'precision = "fp32"\n'
    assert "the same in all arms; it is 'plain' bf16, 'headed' bf16, 'other' fp32." in problems(
        tmp_path, single
    )
    refused = problems(tmp_path, half.replace("bf16", "int8"))
    assert "precision is int8" in refused
    assert 'Choose "fp32" or "bf16"' in refused
    assert 'precision is "fp16"' in problems(tmp_path, half.replace("bf16", "fp16"))


def test_every_problem_is_listed_at_once(tmp_path: Path) -> None:
    """A person mends the file once, not once per mistake."""
    text = WHOLE.replace('split = "held-out"', 'splt = "held-out"').replace("a" * 64, "abc")
    text = text.replace('header = "title+path"', 'header = "titel"')
    text = text.replace("primary", "depth = 0\nprimary")
    found = problems(tmp_path, text + "\n[protocol.index]\nef_serch = 128\n")
    assert "6 problems" in found
    for part in (
        '[labels]: sha256 is "abc".',
        "[protocol]: split is missing.",
        "[protocol]: depth is 0. Expected a whole number of 1 or more.",
        "Unknown key 'splt' in [protocol]. Did you mean 'split'?",
        "Unknown key 'ef_serch' in [protocol.index]. Did you mean 'ef_search'?",
        "arm 'headed': header 'titel' is no rule. Did you mean \"title\"?",
    ):
        assert part in found


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ('split is "dev"', SPLIT, 'split = "dev"'),
        ('primary "RR@10" is not among', 'primary = "Success@5"', 'primary = "RR@10"'),
        ("nothing_tuned = true belongs", SPLIT, f"{SPLIT}\nnothing_tuned = true"),
        ("Unknown measure 'Recal@5'", '"R@5"]', '"Recal@5"]'),
        ("measures names one of them twice", '"R@5"]', '"R@5", "RR@10", "MRR@10"]'),
        ("depth is true", SPLIT, f"{SPLIT}\ndepth = true"),
        ("depth is 9, but 10 results are needed", SPLIT, f"{SPLIT}\ndepth = 9"),
        ("is not TOML", 'name = "plain"', "name = plain"),
        ("name is missing", 'name = "headers"\n', ""),
        ("Two arms are called", 'name = "headed"', 'name = "Plain"'),
        ('name is "a/b"', 'name = "headed"', 'name = "a/b"'),
        ("name is too long", 'name = "headed"', f'name = "{"a b" * 30}"'),
        ('weights_sha256 is "main"', f'weights_sha256 = "{"c" * 64}"', 'weights_sha256 = "main"'),
        ('of "whole", "matched". Did you mean "matched"?', SPLIT, f'{SPLIT}\nbody = "match"'),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, part: str, old: str, new: str) -> None:
    """One message per mistake, with the value that was found."""
    assert part in problems(tmp_path, WHOLE.replace(old, new))


def contrast(baseline: str, treatment: str) -> str:
    return f'[[contrast]]\nbaseline = "{baseline}"\ntreatment = "{treatment}"\n'


@pytest.mark.parametrize(
    ("part", "lines"),
    [
        ("at most 1,000,000,000,000,000.", f"[protocol.index]\nseed = {10**21}\n"),
        ("extra_seeds is no longer read. Graphs", "[protocol.index]\nextra_seeds = 2\n"),
        ("ef_search is 9, below the largest cutoff 10", "[protocol.index]\nef_search = 9\n"),
        ("there is no arm 'plan'. Did you mean 'plain'?", contrast("plan", "headed")),
        ("[[contrast]] 2: the same contrast stands there", 2 * contrast("plain", "headed")),
        (
            "[[contrast]] 2: the same two arms are compared the other way round already",
            contrast("plain", "headed") + contrast("headed", "plain"),
        ),
        ("Arms 'plain' and 'again' are the same", arm("again")),
        ("header_stop_list must be a list of texts, found 3", "header_stop_list = 3\n"),
        ("an entry without a word", 'header_stop_list = ["--"]\n'),
        ("header_max_tokens is 0", "header_max_tokens = 0\n"),
        ('header_informative is "yes"', 'header_informative = "yes"\n'),
        ("Did you mean 'header_stop_list'", "header_stoplist = true\n"),
    ],
)
def test_what_is_added_is_checked(tmp_path: Path, part: str, lines: str) -> None:
    """Tables behind the arms, and keys of the last arm."""
    assert part in problems(tmp_path, WHOLE + lines)


def test_a_missing_file_is_one_message(tmp_path: Path) -> None:
    """And so is a folder in its place."""
    with pytest.raises(InputError, match="no experiment file"):
        read_experiment(tmp_path / "none.toml")
    with pytest.raises(InputError, match="is a folder"):
        read_experiment(tmp_path)


@given(st.binary(max_size=200))
def test_no_bytes_make_anything_but_a_message(noise: bytes) -> None:
    """Whatever stands in the file, a person is told; nothing else is raised."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.toml"
        path.write_bytes(noise)
        with pytest.raises(InputError):
            read_experiment(path)


# Models


def test_a_hub_model_needs_a_commit(tmp_path: Path) -> None:
    """A branch moves; a missing revision is a branch too."""
    pinned = f'source = "folder:model"\nweights_sha256 = "{"c" * 64}"'
    for revision in ('revision = "main"', ""):
        text = WHOLE.replace(pinned, f'source = "hub:owner/name"\n{revision}')
        assert "pinned by the 40 hex digits of a commit" in problems(tmp_path, text)
    text = WHOLE.replace(pinned, f'source = "hub:owner/name"\nrevision = "{"d" * 40}"')
    assert "d" * 40 == read(tmp_path, text).arms[0].model.revision


def test_missing_weights_are_found_and_offered(tmp_path: Path) -> None:
    """The digest stands in the message, ready to be pasted."""
    (tmp_path / "model").mkdir()
    (tmp_path / "model/model.safetensors").write_bytes(b"weights")
    found = problems(tmp_path, WHOLE.replace(f'weights_sha256 = "{"c" * 64}"\n', ""))
    digest = hashlib.sha256(b"weights").hexdigest()
    assert f'add: weights_sha256 = "{digest}"' in found


def test_an_arm_may_have_a_model_of_its_own(tmp_path: Path) -> None:
    """It replaces the common one as a whole, digest included."""
    own = f'[arm.model]\nsource = "hub:a/b"\nrevision = "{"d" * 40}"\n'
    found = read(tmp_path, ARMS + PLAIN + arm("other") + own)
    assert ModelChoice("hub:a/b", "d" * 40) == found.arms[1].model
    assert found.arms[0].model != found.arms[1].model
    text = WHOLE[: WHOLE.index("[model]")] + PROTOCOL + PLAIN
    assert "arm 'plain': there is no model." in problems(tmp_path, text)


# Prefixes: the arms of the case as TOML


def test_a_prefix_keeps_its_last_blank(tmp_path: Path) -> None:
    """Odd blanks and line breaks are kept too, to the character."""
    long = "Instruct: Given a search query, retrieve passages\nQuery: "
    found = read(
        tmp_path,
        ARMS
        + arm("prefixed", '"query: "', '"passage: "')
        + arm("odd-blank", '"query :"', '"passage : "')
        + arm("long", f'"""{long}"""'),
    )
    assert [
        ("query: ", "passage: "),
        ("query :", "passage : "),
        (long, ""),
    ] == [one.prefixes for one in found.arms]


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("arm 'number': query_prefix must be text in quotes, found 7.", arm("number", "7")),
        ("is not TOML", arm("unquoted", "query: ")),
        ("doc_prefix is missing.", arm("missing").replace('doc_prefix = ""\n', "")),
    ],
)
def test_a_prefix_that_is_no_text_is_refused(tmp_path: Path, part: str, text: str) -> None:
    """Naming the arm and the key; a missing quote names the line."""
    found = problems(tmp_path, ARMS + text)
    assert part in found
    assert "line" in found or "Both prefixes are required in every arm" in found


# One cause


def test_two_factors_are_refused_and_the_missing_arm_is_named(tmp_path: Path) -> None:
    """Both factors stand in the message, and what would separate them."""
    found = problems(
        tmp_path, ARMS + arm("raw") + arm("path", '"query: "', '"passage: "', 'header = "path"')
    )
    assert "Arms 'raw' and 'path' differ in header and in formatting." in found
    assert "add an arm that is 'raw' with only the header of 'path'" in found
    there = arm("prefixed", '"query: "', '"passage: "')
    both = arm("both", '"query: "', '"passage: "', 'header = "path"')
    found = problems(tmp_path, ARMS + arm("raw") + there + both)
    assert "compare each of them with arm 'prefixed'" in found


def test_a_model_contrast_compares_levels_and_not_strings() -> None:
    """Each model with what it prescribes is one factor; the same strings may be two."""
    a, b = made_arm("a", "query: ", "passage: "), made_arm("b", "q> ", "d> ", model="folder:n")
    both = {a.model: ("query: ", "passage: "), b.model: ("q> ", "d> ")}
    assert {"model"} == factors_changed(a, b, prescribed=both)
    same_strings = made_arm("c", "query: ", "passage: ", model="folder:n")
    assert {"model", "formatting"} == factors_changed(a, same_strings, prescribed=both)
    bare, other = made_arm("d"), made_arm("e", model="folder:n")
    assert {"model"} == factors_changed(bare, other) == factors_changed(other, bare)
    assert frozenset() == factors_changed(bare, bare)


def test_levels_are_asked_for_once_the_prompts_are_known(tmp_path: Path) -> None:
    """The file alone cannot tell what a model prescribes, so it is read without complaint."""
    own = f'[arm.model]\nsource = "hub:a/b"\nrevision = "{"d" * 40}"\n'
    found = read(
        tmp_path,
        ARMS + arm("e5", '"query: "', '"passage: "') + arm("bare") + own + contrast("e5", "bare"),
    )
    e5 = {found.arms[0].model: ("query: ", "passage: ")}
    with pytest.raises(InputError, match="differ in formatting and in model"):
        check_contrasts(found, e5)


def test_formatting_has_levels_and_switches() -> None:
    """Against what the model prescribes, to the blank; one prefix is the smaller experiment."""
    levels = {
        ("", ""): "none",
        ("query: ", "passage: "): "prescribed",
        ("passage: ", "query: "): "reversed",
        ("query :", "passage: "): "other",
        ("query: ", ""): "other",
    }
    for sides, level in levels.items():
        assert level == formatting_level(sides, ("query: ", "passage: "))
    bare, whole = made_arm("a"), made_arm("b", "q", "d")
    assert "query prefix alone" in contrast_label(bare, made_arm("b", "q", ""), "formatting")
    assert "document prefix alone" in contrast_label(bare, made_arm("b", "", "d"), "formatting")
    assert "formatting" in contrast_label(bare, whole, "formatting")


def test_a_header_may_leave_things_out(tmp_path: Path) -> None:
    """The standard words or one's own, what the text says already, and all beyond a limit."""
    options = 'header_stop_list = ["Overview"]\nheader_informative = true\nheader_max_tokens = 24\n'
    short = read(tmp_path, WHOLE + options).arm("headed").header_options
    assert HeaderOptions(("Overview",), True, 24) == short
    standard = read(tmp_path, WHOLE + "header_stop_list = true\n").arm("headed").header_options
    assert HeaderOptions(stop_list=STRUCTURAL) == standard
    off = read(tmp_path, WHOLE + "header_stop_list = false\n")
    assert HeaderOptions() == off.arm("headed").header_options
    both = read(tmp_path, WHOLE + options + arm("all", rest=HEADER))
    assert {"header"} == factors_changed(both.arm("headed"), both.arm("all"))
    found = problems(tmp_path, ARMS + PLAIN + "header_informative = true\n" + arm("b", rest=HEADER))
    assert 'header_informative cannot do anything with header = "none"' in found
