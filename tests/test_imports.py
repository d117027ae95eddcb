"""The imports between packages: the contracts hold, they would notice a breach, and start-up stays light."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = (
    "textual",
    "openai",
    "nagini_translation",
    "jpype",
    "cvc5",
    "sqlglot",
    "pytest",
    "rich",
    "numpy",
)


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the package in a folder, with this repository's contracts."""
    program = (
        "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    )
    return subprocess.run(
        [sys.executable, "-c", program, "--config", str(ROOT / "pyproject.toml"), "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_each_contract_notices_a_breach(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "workbench", tmp_path / "workbench", ignore=shutil.ignore_patterns("__pycache__"))
    breaches = {
        "model.py": "import workbench.policy",
        "policy/evaluate.py": "import textual",
        "guard/__init__.py": "import workbench.session",
        "clarify/__init__.py": "import openai",
        "app/workbench.py": "import nagini_translation",
        "session/__init__.py": "import cvc5",
        "runs/logs/__init__.py": "import sqlglot",
        "app/report.py": "import workbench.app.workbench",
        "serve/__init__.py": "import workbench.policy.merge",
        "runs/extract/__init__.py": "import workbench.runs.replay",
        "engines/smt/__init__.py": "import workbench.engines.nagini.lowering",
    }
    for name, breach in breaches.items():
        path = tmp_path / "workbench" / name
        path.write_text(f"{path.read_text()}\n{breach}\n")
    done = lint(tmp_path)
    contracts = (ROOT / "pyproject.toml").read_text().count("[[tool.importlinter.contracts]]")
    broken = re.findall(r"^(.+?) BROKEN", done.stdout, re.MULTILINE)
    assert len(broken) == contracts == len(breaches), done.stdout


WRITTEN = {"nagini_contracts", "agent"}  # occur in the texts of written policies
IMPORT = re.compile(r"^ *(?:from +(\w+)[\w.]* +import|import +(\w+))", re.MULTILINE)


def imported(folder: Path) -> set[str]:
    """The packages that the modules of a folder import, anywhere in their text."""
    texts = (path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    named = {name for text in texts for pair in IMPORT.findall(text) for name in pair if name}
    return named - set(sys.stdlib_module_names)


def test_every_package_that_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    names = {name for line in declared for name in re.findall(r"[\w-]+", re.split("[<>=]", line)[0])}
    sources = packages_distributions()
    for package in imported(ROOT / "workbench") - {"workbench", *WRITTEN}:
        assert {name.lower() for name in sources.get(package, [package])} & names, package


def modules_after(statement: str) -> set[str]:
    """The modules that are loaded after a statement ran in a fresh process."""
    program = f"import sys, json\n{statement}\nsys.stderr.write(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr))


def loaded_by(statement: str) -> set[str]:
    """Which of the heavy packages are loaded after a statement ran in a fresh process."""
    return {name.partition(".")[0] for name in modules_after(statement)} & set(HEAVY)


@pytest.mark.parametrize(
    "statement",
    [
        "import workbench.model",
        "import workbench.app.workbench",
        "import workbench.app.report",
        "import workbench.cli",
        "import workbench.cli.command_tree",
        "import workbench.app.doctor",
        "import workbench.guard",
        "from workbench.cli import main; main(['--help'])",
        "from workbench.cli import main; main(['verify', '--help'])",
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(statement: str) -> None:
    assert loaded_by(statement) == set()


def test_the_help_loads_no_session_and_no_event_loop() -> None:
    parts = ("asyncio", "workbench.session", "workbench.runs", "workbench.dialect", "workbench.live.harness")
    loaded = modules_after("from workbench.cli import main; main(['--help'])")
    assert loaded.isdisjoint(parts[:-1]) and parts[-1] in loaded  # the last shows that the probe sees them


def test_the_probe_for_heavy_packages_sees_them() -> None:
    assert loaded_by("import cvc5") == {"cvc5"}


def test_every_function_of_the_command_line_fits_on_a_screen() -> None:
    """A command declares each option above its function, which has one line for it."""
    lengths = {
        f"{path.relative_to(ROOT)}: {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in (ROOT / "workbench" / "cli").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    assert not {name: count for name, count in lengths.items() if count > 50}
