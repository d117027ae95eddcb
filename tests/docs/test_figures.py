"""Every figure of the pages is that of a result file, and the page says when it was measured."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
WRITTEN_BY_ITS_COMMAND = ROOT / "docs/figures/papers.md"
FIGURE_PAGES = [
    ROOT / "README.md",
    *sorted(set((ROOT / "docs/figures").glob("*.md")) - {WRITTEN_BY_ITS_COMMAND}),
]
NO_PROSE = re.compile(r"```.*?```|`[^`\n]*`|<!--[a-z0-9.-]+-->.*?<!--/-->|\]\([^)]*\)", re.DOTALL)
LOOKS_MEASURED = re.compile(
    r"(?<![\w.])\d[\d.,]*(?: ?%| ?(?:µs|ms|MiB|KiB|times)\b| s\b|/\d| of \d| seconds\b)"
)
"""A share, a time, a size or a ratio."""


def figures() -> ModuleType:
    """The script that measures and fills."""
    spec = importlib.util.spec_from_file_location("figures", ROOT / "scripts/figures.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["figures"] = module  # its dataclass looks there for its module
    spec.loader.exec_module(module)
    return module


SCRIPT = figures()


@pytest.mark.parametrize("page", SCRIPT.pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_has_the_values_of_the_result_files(page: Path) -> None:
    text = page.read_text()
    assert SCRIPT.filled(text, SCRIPT.values()) == text, "run 'python scripts/figures.py fill'"


@pytest.mark.parametrize("page", SCRIPT.pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_says_when_its_figures_were_measured(page: Path) -> None:
    names = SCRIPT.shown(page.read_text())
    if SCRIPT.ALL in names:
        return
    measured = {name.partition(".")[0] for name in names if name.endswith(f".{SCRIPT.MEASURED}")}
    assert {name.partition(".")[0] for name in names} == measured


def test_every_result_file_is_that_of_its_command() -> None:
    tables = SCRIPT.measurements()
    assert {path.stem for path in SCRIPT.RESULTS.glob("*.json")} <= tables.keys()
    for name, table in tables.items():
        path = SCRIPT.RESULTS / f"{name}.json"
        if path.exists():
            result = SCRIPT.Result(**json.loads(path.read_text()))
            assert result.command == shlex.join(table["command"])
            assert result.values == SCRIPT.values_of("\n".join(result.output), table["values"]), name


def test_the_revision_of_every_figure_is_in_the_history() -> None:
    def asked(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    if not (ROOT / ".git").exists() or asked("rev-parse", "--is-shallow-repository").strip() == "true":
        return  # what a copy without history cannot tell
    known = {revision[:8] for revision in asked("rev-list", "HEAD").split()}
    page = re.search(r"measured at ([0-9a-f]{8})", WRITTEN_BY_ITS_COMMAND.read_text())
    assert page is not None
    measured = {path.stem: json.loads(path.read_text())["revision"] for path in SCRIPT.RESULTS.glob("*.json")}
    lost = {name: at for name, at in {**measured, "papers.md": page[1]}.items() if at not in known}
    assert lost == {}


def test_the_age_of_a_figure_counts_the_commits_of_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (ROOT / ".git").exists():
        return  # what a copy without history cannot tell
    for name, revision in {"new": "HEAD", "old": "HEAD~1"}.items():
        result = SCRIPT.Result("python benchmarks/proof.py /tmp", revision, "2026-11-28", "", 0)
        (tmp_path / f"{name}.json").write_text(json.dumps(asdict(result)))
    monkeypatch.setattr(SCRIPT, "RESULTS", tmp_path)
    counted = subprocess.run(
        ["git", "rev-list", "--count", "HEAD~1..HEAD", "--", "workbench", "benchmarks/proof.py"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if counted.returncode == 0:
        assert SCRIPT.ages(["new", "old", "none"]) == sorted(
            [(int(counted.stdout), "old"), (0, "new")], reverse=True
        )


@pytest.mark.parametrize("page", FIGURE_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_of_figures_has_no_figure_of_its_own(page: Path) -> None:
    prose = NO_PROSE.sub("", page.read_text())
    assert [figure[0] for figure in LOOKS_MEASURED.finditer(prose)] == []


def test_a_changed_figure_is_seen() -> None:
    known = {"a.b": "12 %", "a.table": "| 1 |\n| 2 |"}
    page = "x <!--a.b-->11 %<!--/--> y\n<!--a.table-->\n| 1 |\n<!--/-->\n"
    filled = SCRIPT.filled(page, known)
    assert filled == "x <!--a.b-->12 %<!--/--> y\n<!--a.table-->\n| 1 |\n| 2 |\n<!--/-->\n"
    assert SCRIPT.filled(filled, known) == filled
    with pytest.raises(KeyError):
        SCRIPT.filled("<!--a.other-->1<!--/-->", known)


def test_a_page_that_its_command_writes_says_when() -> None:
    assert re.search(r"measured at [0-9a-f]{8} \(\d{4}-\d\d-\d\d\)", WRITTEN_BY_ITS_COMMAND.read_text())
