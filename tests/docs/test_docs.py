"""The statements of the documents hold: every command in them is run, every link leads somewhere.

Blocks marked ``sh`` are run line by line in one copy of the shipped sessions per document. A line may end
with ``# exits with N``. Commands of make are run without set-up; those that would start this suite again are
only resolved. A plain command of the workbench is run in this process, so that its imports are loaded once. A
command with shell syntax is run by a shell.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

import pytest

from workbench.cli import main
from workbench.cli.command_tree import COMMANDS, GROUPS
from workbench.tui.keys import ACTIONS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
BIN = Path(sys.executable).parent
BLOCK = re.compile(r"^```sh\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"\s+# exits with (\d+)$")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
RUN_BY_MAKE = {"run"}
OF_A_SHELL = frozenset("|<>;&$*~`")


@dataclass(frozen=True)
class Command:
    """One line of a document that is run, its promised exit code, and lines of its promised output."""

    line: str
    code: int
    writes: tuple[str, ...] = ()


def commands(text: str) -> list[Command]:
    """The commands of a document's ``sh`` blocks, in order; a backslash at the end of a line continues it.

    A ``text`` block right below has lines of the last command's output.
    """
    command_lines: list[Command] = []
    for block, written in BLOCK.findall(text):
        for line in str(block).replace("\\\n", " ").splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            promised = EXIT.search(line)
            command_lines.append(Command(EXIT.sub("", line).strip(), int(promised[1]) if promised else 0))
        command_lines[-1] = replace(command_lines[-1], writes=tuple(str(written).splitlines()))
    return command_lines


def without_times(text: str) -> list[str]:
    """The lines of a text, with all numbers of seconds made equal."""
    return re.sub(r"\d+\.\d s", "1.0 s", text).splitlines()


def with_commands() -> list[Path]:
    return [path for path in DOCUMENTS if commands(path.read_text())]


type Here = Callable[[Sequence[str]], subprocess.CompletedProcess[str]]


@pytest.fixture
def here(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Generator[Here]:
    """Runs the command ``workbench`` with these words in this process, without a terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(cache))

    def run_here(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        code = main(words)
        written = capfd.readouterr()
        return subprocess.CompletedProcess(words, code, written.out, written.err)

    with Path(os.devnull).open(encoding="utf-8") as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        yield run_here


def is_plain(command: Command) -> bool:
    """Whether a command is one of the workbench without shell syntax."""
    return command.line.startswith("workbench ") and not OF_A_SHELL & set(command.line)


def run(command: Command, folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run one line of a document as a reader in ``folder`` would, without a terminal."""
    words = shlex.split(command.line)
    line = command.line
    if words[0] == "make":
        options = ["-o", "setup", f"BIN={BIN}"] if words[1] in RUN_BY_MAKE else ["--dry-run"]
        line = shlex.join(
            ["make", "--no-print-directory", "-f", str(ROOT / "Makefile"), *options, *words[1:]]
        )
    environment = {
        **os.environ,
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "WORKBENCH_CACHE_DIR": str(cache),
    }
    return subprocess.run(
        ["/bin/sh", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache of verdicts for all documents: each clause is proved once."""
    return tmp_path_factory.mktemp("verdicts")


@pytest.mark.nagini
@pytest.mark.parametrize("document", with_commands(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_in_the_documents_does_what_it_says(
    document: Path, tmp_path: Path, cache: Path, here: Here
) -> None:
    shutil.copytree(ROOT / "sessions", tmp_path / "sessions", ignore=shutil.ignore_patterns(".workbench"))
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for command in commands(document.read_text()):
        plain = is_plain(command)
        done = here(shlex.split(command.line)[1:]) if plain else run(command, tmp_path, cache)
        assert done.returncode == command.code, f"{command.line}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        assert [
            line
            for line in without_times("\n".join(command.writes))
            if line not in without_times(done.stdout)
        ] == []


def test_the_readme_opens_with_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    _title, what_it_is, commands = text.split("\n\n")[:3]
    assert "\n" not in what_it_is
    assert commands == "```sh\nmake run\nmake test\n```"


def headings(text: str) -> set[str]:
    """The names of a page's headings in links: small letters, hyphens for spaces, no other signs."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading_of_it(document: Path) -> None:
    for target in LINK.findall(document.read_text()):
        if "://" in target:
            continue
        file, _, heading = target.partition("#")
        page = document.parent / file if file else document
        assert page.exists(), target
        if heading:
            assert heading in headings(page.read_text()), target


def test_the_guard_on_the_page_is_the_one_that_is_run() -> None:
    text = (ROOT / "docs/learn/your-agent.md").read_text()
    assert f"```python\n{(ROOT / 'examples/refunds/guard.py').read_text()}```" in text


def test_the_session_on_the_page_is_the_one_that_is_run() -> None:
    text = (ROOT / "docs/learn/your-agent.md").read_text()
    folder = ROOT / "examples/bookings"
    section = text.split("## Rules about")[1].split("\n## ")[0]
    shown = re.findall(r"^```(?:toml|python)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    files = (folder / "agent.toml").read_text() + (folder / "policy.py").read_text()
    parts = [part.strip() for block in shown for part in block.split("\n\n")]
    assert len(parts) > 2
    assert [part for part in parts if part not in files] == []
    assert f"```diff\n{(ROOT / 'examples/bookings.patch').read_text()}```" in text


def test_every_page_is_listed_in_the_index() -> None:
    index = (ROOT / "docs/README.md").read_text()
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")} - {"README.md"}
    assert pages <= set(LINK.findall(index))


def script(name: str) -> ModuleType:
    """A script of the repository as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"scripts/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_keys_is_what_the_screen_does() -> None:
    module = script("keys_page")
    text = (ROOT / "docs/reference/keys.md").read_text()
    assert module.page() == text, "run 'make docs'"
    assert all(f"`{action.id}`" in text for action in ACTIONS)


def test_the_page_of_the_command_line_is_what_the_commands_say() -> None:
    module = script("cli_page")
    text = (ROOT / "docs/reference/cli.md").read_text()
    assert module.page(text) == text, "run 'make docs'"
    assert {words[0] for words in module.commands()} == {*COMMANDS, *GROUPS}


def test_commands_are_found_with_their_exit_codes() -> None:
    text = "```sh\na --b  # exits with 1\n# a remark\n\nc \\\n  d\n```\n\n```text\nnot run\n```\n"
    assert commands(text) == [Command("a --b", 1), Command("c    d", 0, ("not run",))]


@pytest.mark.parametrize(
    "target", ["run", "setup", "test", "check", "lint", "types", "imports", "snapshot", "docs"]
)
def test_every_make_target_resolves(target: str) -> None:
    done = subprocess.run(
        ["make", "--dry-run", "-f", str(ROOT / "Makefile"), target],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


FIGURES = ROOT / "docs/figures/README.md"
FOLDERS = r"(?:benchmarks|tests|scripts|examples|workbench)"
PROGRAM = re.compile(rf"(?<![\w/])({FOLDERS}/[a-z_/]+\.py|test_[a-z_]+\.py)\b")


def rows_of_figures() -> list[list[str]]:
    """The cells of each row of the tables of promises."""
    promises = FIGURES.read_text().partition("## Measured at")[0]
    lines = [line for line in promises.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [row for row in rows if row[0] != "promise"]


@pytest.mark.parametrize("row", rows_of_figures(), ids=lambda row: row[0])
def test_a_promise_names_its_page_and_what_its_figure_does_not_show(row: list[str]) -> None:
    _promise, figure, not_shown = row
    assert LINK.findall(figure)
    assert not_shown


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_program_that_a_page_names_exists(document: Path) -> None:
    assert [name for name in PROGRAM.findall(document.read_text()) if not (ROOT / name).exists()] == []
