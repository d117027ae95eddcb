"""The names on the architecture page exist: objects with their arguments, modules, calls.

The drawn ways are in ``test_drawn_ways.py``.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = ROOT / "workbench"
PAGE = (ROOT / "docs" / "reference" / "architecture.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([\w.]+)` \| (.*) \|$", re.MULTILINE)
# A call or an attribute in a row: ``name(``, ``.name``, or a type.
NAMED = re.compile(r"(\w+)(?=\()|\.(\w+)|\b([A-Z]\w+)\b")
# A word of a drawing that can only be a name of the code.
DRAWN = re.compile(r"\b\w+(?:\.\w+)+\b|\b[a-z]+_\w+\b|\b[A-Z][a-z]+[A-Z]\w*\b")
FILES = ("md", "toml", "py", "json")


def part(title: str) -> str:
    """The text under a heading of the page."""
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def rows(title: str) -> list[tuple[str, str]]:
    return ROW.findall(part(title))


@cache
def words() -> frozenset[str]:
    """Every name that the code defines, and the names of its modules."""
    all_modules = [module for package in CODE.iterdir() for module in modules(package.stem)]
    names = (part for name, _ in all_modules for part in name.split("."))
    return frozenset(names).union(*(defined(tree) for _, tree in all_modules))


@cache
def modules(name: str) -> list[tuple[str, ast.Module]]:
    """The name and the tree of a module, or of each module of a package."""
    path = CODE.joinpath(*name.split("."))
    files = [path.with_suffix(".py")] if path.with_suffix(".py").is_file() else sorted(path.rglob("*.py"))
    return [
        (".".join(file.relative_to(CODE).with_suffix("").parts), ast.parse(file.read_text(encoding="utf-8")))
        for file in files
    ]


def defined(tree: ast.Module) -> frozenset[str]:
    """The functions, classes, methods and attributes that a module defines, and what it exports by name."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                names.add(name)
            case ast.Assign([ast.Name("__all__")], ast.List(exported)):
                names |= {str(item.value) for item in exported if isinstance(item, ast.Constant)}
            case ast.Name(name, ast.Store()) | ast.Attribute(_, name, ast.Store()):
                names.add(name)
            case _:
                pass
    return frozenset(names)


def is_module(name: str) -> bool:
    """Whether a name is that of a module or a package."""
    path = CODE.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def imported(tree: ast.Module) -> frozenset[str]:
    """The names that a module imports."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return frozenset(alias.asname or alias.name for node in imports for alias in node.names)


def argument_names(call: ast.expr | None) -> str:
    """The arguments of an object of a session, except the session."""
    assert isinstance(call, ast.Call)
    others = [
        argument.attr
        for argument in call.args
        if isinstance(argument, ast.Attribute) and argument.attr != "session"
    ]
    return ", ".join(others) or "the session"


def test_the_objects_of_a_session_are_given_what_the_table_says() -> None:
    """They are made at the start, or by a property where they are asked for first."""
    arguments_by_object: dict[str, str] = {}
    for node in ast.walk(modules("app.workbench")[0][1]):
        match node:
            case ast.Assign([ast.Attribute(ast.Name("self"), name)], ast.Call(ast.Name()) as call):
                arguments_by_object[name] = argument_names(call)
            case ast.FunctionDef(name, decorator_list=[ast.Name("cached_property")], body=[*_, last]):
                assert isinstance(last, ast.Return)
                arguments_by_object[name] = argument_names(last.value)
            case _:
                pass
    assert {name: rest.partition(" | ")[0] for name, rest in rows("An open session")} == {
        name: others for name, others in arguments_by_object.items() if not name.startswith("_")
    }


@pytest.mark.parametrize(
    ("module", "calls"), rows("Calls between the parts"), ids=lambda text: str(text).partition(" ")[0]
)
def test_a_module_has_the_calls_that_the_table_lists(module: str, calls: str) -> None:
    """Functions, methods and attributes are defined there; a type may be imported."""
    trees = [tree for _, tree in modules(module)]
    assert trees, f"there is no module {module}"
    has = frozenset[str]().union(*map(defined, trees))
    types = has.union(*map(imported, trees))
    for code in re.findall(r"`([^`]+)`", calls):
        if is_module(code):
            continue
        for groups in NAMED.findall(code.partition("->")[0]):
            name = next(str(group) for group in groups if group)
            if name in {"None", "True", "False"}:
                continue
            assert name in (types if name[0].isupper() else has), f"{module} has no {name}"


def test_the_drawn_ways_name_what_the_code_has() -> None:
    drawings = re.findall(r"```\n(.*?)```", PAGE, re.DOTALL)
    named = {name for drawing in drawings for name in DRAWN.findall(drawing)}
    assert len(named) > 40
    unknown = {
        name for name in named if name.rpartition(".")[2] not in FILES and not set(name.split(".")) <= words()
    }
    assert unknown <= {"WebSocket"}
