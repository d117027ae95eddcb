"""Rules that hold for the code of the screen as a whole."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

import workbench.old_screen
from workbench.old_screen.actions import ACTIONS, BY_ID, PANES, bindings, keys_shown

TUI = Path(workbench.old_screen.__file__).parent
SOURCES = sorted(TUI.rglob("*.py"))
WIDGETS = sorted(path for path in (TUI / "widgets").glob("*.py") if path.name != "__init__.py")
TITLES = {"border_title", "border_subtitle", "tooltip"}
SAFE_WIDGETS = {"Input", "TextArea"}
MARKUP = {"escape", "from_markup", "from_ansi", "render_markup", "Markdown", "RichLog", "Static", "Label"}


def _calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            yield str(name), node


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node.module or "", alias.name


def unsafe(source: str) -> list[str]:
    """What in a source could let outside text be read as markup."""
    tree = ast.parse(source)
    found = [f"imports {name}" for module, name in _imported(tree) if module.endswith(("markup", "markdown"))]
    found += [
        f"uses the widget {name}"
        for module, name in _imported(tree)
        if module == "textual.widgets" and name not in SAFE_WIDGETS
    ]
    for name, call in _calls(tree):
        if name in MARKUP and not (name == "escape" and ast.unparse(call.func) == "re.escape"):
            found.append(f"calls {name}")
        markup = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}.get("markup")
        if name == "notify" and markup != "False":
            found.append("notifies with markup")
        if markup not in (None, "False"):
            found.append("asks for markup")
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
            target, value = node.targets[0].attr, node.value
            if target in TITLES and not (isinstance(value, ast.Call) and ast.unparse(value.func) == "title"):
                found.append(f"sets {target} to something else than title(...)")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(TUI)))
def test_no_text_can_be_read_as_markup(path: Path) -> None:
    assert unsafe(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "from rich.markup import escape",
        "from textual.widgets import Static",
        "self.notify(text)",
        "self.notify(text, markup=True)",
        "self.border_title = name",
        "Content.from_markup(text)",
        "Static(text)",
    ],
)
def test_the_rule_finds_what_it_forbids(source: str) -> None:
    assert unsafe(source) != []


def test_the_shell_and_the_widgets_stay_small() -> None:
    for path in (TUI / "app.py", *WIDGETS):
        assert len(path.read_text(encoding="utf-8").splitlines()) < 400, path


@pytest.mark.parametrize("path", WIDGETS, ids=lambda path: path.stem)
def test_a_widget_has_its_style_beside_it_and_runs_alone(path: Path) -> None:
    assert path.with_suffix(".tcss").is_file()
    assert "run_alone(" in path.read_text(encoding="utf-8") or path.stem == "lines"


def test_heavy_parts_are_not_imported_with_the_screen() -> None:
    code = "import sys, workbench.old_screen.app; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"openai", "nagini_translation", "pytest", "cvc5", "sqlglot", "pygments.lexers.python"}
    assert not heavy & set(loaded)


def test_actions_have_unique_ids_and_no_key_twice_in_one_place() -> None:
    assert len(BY_ID) == len(ACTIONS)
    everywhere = [key for action in ACTIONS if action.scope == "app" for key in action.keys.split(",")]
    assert len(everywhere) == len(set(everywhere))
    everywhere.remove("escape")  # stops a model's call where nothing nearer takes it
    windows = {"agent": {"ctrl+z"}}  # what is beneath an open window takes no key
    for scope in {action.scope for action in ACTIONS}:
        own = [key for action in ACTIONS if action.scope == scope for key in action.keys.split(",")]
        assert len(own) == len(set(own)), scope
        assert scope == "app" or set(own) & set(everywhere) <= windows.get(scope, set()), scope


def test_the_file_of_actions_has_texts_and_flags_and_every_action_has_a_key() -> None:
    for action in ACTIONS:
        for name, value in asdict(action).items():
            assert type(value) is (bool if name == "priority" else str), (action.id, name)
        assert all((action.id, action.keys, action.call, action.description, action.group, action.scope))
    assert {f"go.{pane}" for pane in PANES} <= BY_ID.keys()


def test_bindings_come_from_the_registry_only() -> None:
    for path in WIDGETS:
        module = importlib.import_module(f"workbench.old_screen.widgets.{path.stem}")
        registered = {binding.id for action in ACTIONS for binding in [action.binding()]}
        for found in vars(module).values():
            if isinstance(found, type) and found.__module__ == module.__name__ and "BINDINGS" in vars(found):
                ids = {getattr(binding, "id", None) for binding in vars(found)["BINDINGS"]}
                assert ids <= registered | ({None} if path.stem == "help" else set()), path.stem
    assert [keys_shown(BY_ID[name]) for name in ("zoom", "quit", "replay.filter")] == [
        "F9 or Ctrl+O",
        "Ctrl+Q",
        "/",
    ]
    assert {binding.id for binding in bindings("details")} == {"details.next", "details.previous"}
