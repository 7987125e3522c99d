"""Who may import whom, and what the commands may load."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(p for package in ("evaluator", "labeler") for p in (ROOT / package).rglob("*.py"))
LABELER_MAY_USE = {
    "evaluator",
    "evaluator.console",
    "evaluator.vectors.encoder",
    "evaluator.files.encodings",
    "evaluator.files.whole",
    "evaluator.text.function_words",
    "evaluator.statistics.graded_power",
    "evaluator.files.ids",
    "evaluator.labelset.format",
    "evaluator.labelset.ledger",  # held-out flips that a page opens are a look like any other
    "evaluator.statistics.power",
    "evaluator.vectors.search",
    "evaluator.snapshot.snapshot",
    "evaluator.stopping",
    "evaluator.order.timestamps",
    "evaluator.trec",
    "evaluator.text.messages",
}
EDGES = {  # the only modules that may load these, at import or inside a function
    "torch": {"evaluator/encode.py"},
    "sentence_transformers": {"evaluator/encode.py"},
    "hnswlib": {"evaluator/search.py"},
    "ir_measures": {"evaluator/measures.py", "evaluator/measure_names.py"},
    "rfc3161_client": {"evaluator/order/timestamp.py"},
    "sqlite_utils": {"labeler/schema.py"},
}
STANDARD_ONLY = ("evaluator/labelset.py", "evaluator/trec.py")
HEAVY = ("torch", "sentence_transformers", "streamlit", "pandas", "scipy", "hnswlib")


def imported(path: Path) -> set[str]:
    """The modules a file names in its import statements, at any depth."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_imports_go_one_way(path: Path) -> None:
    """The evaluator never imports the labeler, which may use little of the evaluator."""
    ours = {n for n in imported(path) if n.split(".")[0] in ("evaluator", "labeler")}
    if name(path).startswith("evaluator/"):
        assert {n for n in ours if n.startswith("labeler")} == set()
    else:
        assert {n for n in ours if n.startswith("evaluator")} - LABELER_MAY_USE == set()


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_each_edge_has_one_place(path: Path) -> None:
    """Encoder, index, measures and SQLite are each reached from the module that owns them."""
    reached = {n.split(".")[0] for n in imported(path)}
    allowed = {library for library, owners in EDGES.items() if name(path) in owners}
    assert (reached & EDGES.keys()) - allowed == set()


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_streamlit_stays_in_the_app(path: Path) -> None:
    """No rule lives where only a browser can reach it."""
    if not name(path).startswith("labeler/app/"):
        assert "streamlit" not in {n.split(".")[0] for n in imported(path)}


def test_every_package_is_installed() -> None:
    """A wheel holds the folders that are listed, and no others."""
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = {name(path.parent).replace("/", ".") for path in MODULES if path.stem == "__init__"}
    assert folders == {*stated["tool"]["setuptools"]["packages"]} - {"labeler.demo_data"}


@pytest.mark.parametrize("module", STANDARD_ONLY)
def test_the_formats_need_only_the_standard_library(module: str) -> None:
    """Any other tool can read a label set or a run with that file."""
    allowed = sys.stdlib_module_names | {"evaluator"}
    assert {n.split(".")[0] for n in imported(ROOT / module)} - allowed == set()


def test_the_label_set_reader_stands_alone() -> None:
    """It can be copied and used without the rest of this project."""
    assert not {n for n in imported(ROOT / "evaluator/labelset.py") if n.startswith("evaluator")}


@pytest.mark.parametrize("command", ["labeler.cli.main", "evaluator.cli.main"])
def test_commands_start_without_the_heavy_libraries(command: str) -> None:
    """`--help` and `verify` answer at once; a command loads what it needs."""
    code = f"import sys, {command}; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"


def test_a_workspace_opens_without_pandas() -> None:
    """Which stays there for whoever wants it."""
    code = "import sys, labeler.store; print('pandas' in sys.modules); import pandas"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "False"
