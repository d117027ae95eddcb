"""The drawn ways on the architecture page agree with the code: each line is a call that its caller makes."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = ROOT / "workbench"
PAGE = (ROOT / "docs" / "reference" / "architecture.md").read_text(encoding="utf-8")
WAYS = ("A sentence's way, from file to verdict", "A call's way, from file to decision")
# A line of a drawing: its branch, its function, its package, the data that it passes on.
LINE = re.compile(r"((?:[│ ] {2})*(?:[├└]─ )?)([\w.]+) +([\w.]+)(?: {2,}(.*))?")
AS = re.compile(r"as (\w+):")

type Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Drawn:
    """A line of a drawing, with the line of its caller; ``port`` is the protocol that the caller knows."""

    function: str
    package: str
    depth: int
    port: str
    caller: Drawn | None

    @property
    def name(self) -> str:
        """The name by which the function is called."""
        return self.function.rpartition(".")[2]


@dataclass(frozen=True)
class Module:
    """A module of the workbench with its tree."""

    name: str
    tree: ast.Module


def drawing_of(text: str) -> list[Drawn]:
    """The lines of one drawing."""
    above: list[Drawn] = []
    lines: list[Drawn] = []
    for row in text.splitlines():
        parts = LINE.fullmatch(row)
        assert parts, f"no line of a drawing: {row}"
        depth = len(parts[1]) // 3
        assert depth <= len(above), f"it hangs from nothing: {row}"
        del above[depth:]
        port = AS.match(parts[4] or "")
        lines.append(Drawn(parts[2], parts[3], depth, port[1] if port else "", above[-1] if above else None))
        above.append(lines[-1])
    return lines


def drawings() -> list[list[Drawn]]:
    """The drawings of both ways."""
    parts = [PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0] for title in WAYS]
    return [drawing_of(text) for part in parts for text in re.findall(r"```\n(.*?)```", part, re.DOTALL)]


DRAWN = list(dict.fromkeys(line for drawing in drawings() for line in drawing))
CALLS = [line for line in DRAWN if line.caller is not None]


def label(line: Drawn) -> str:
    """The name of a test."""
    return f"{line.caller.function}-{line.function}" if line.caller else line.function


@cache
def modules(package: str) -> tuple[Module, ...]:
    """All modules of a package."""
    files = sorted(CODE.joinpath(*package.split(".")).rglob("*.py"))
    return tuple(
        Module(
            ".".join(file.relative_to(ROOT).with_suffix("").parts),
            ast.parse(file.read_text(encoding="utf-8")),
        )
        for file in files
    )


def members(node: ast.AST) -> dict[str, Function]:
    """The functions and classes of a module, or of a class."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {inner.name: inner for inner in ast.iter_child_nodes(node) if isinstance(inner, kinds)}


def definitions(line: Drawn) -> list[tuple[Module, Function]]:
    """The places in its package that define the function of a line."""
    places: list[tuple[Module, Function]] = []
    for module in modules(line.package):
        node: ast.AST | None = module.tree
        for name in line.function.split("."):
            node = members(node).get(name) if node is not None else None
        if node is not None:
            assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            places.append((module, node))
    return places


def used_names(node: ast.AST) -> Iterator[str]:
    """The names and attributes in a function."""
    for inner in ast.walk(node):
        match inner:
            case ast.Name(name, ast.Load()) | ast.Attribute(_, name, ast.Load()):
                yield name
            case _:
                pass


def reached_names(module: Module, function: Function) -> frozenset[str]:
    """The names in a function and in the private functions of its module that it calls."""
    private = {
        node.name: node
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and re.match(r"_[a-z]", node.name)
    }
    names: set[str] = set()
    waiting = [function]
    while waiting:
        new = set(used_names(waiting.pop())) - names
        names |= new
        waiting += [private[name] for name in new & private.keys()]
    return frozenset(names)


def knows(module: Module, line: Drawn) -> bool:
    """Whether a module defines a function, or the class of a method, or imports it from its package."""
    outer = line.function.partition(".")[0]
    if outer in members(module.tree):
        return True
    package = f"workbench.{line.package}"
    return any(
        f"{node.module}.".startswith(f"{package}.") and outer in {alias.name for alias in node.names}
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom)
    )


def makes(line: Drawn) -> bool:
    """Whether the caller of a line makes the call: it has the name, and its module knows the name's owner.

    For an object that is given for a protocol, the module knows the protocol.
    """
    assert line.caller is not None
    return any(
        line.name in reached_names(module, function) and (bool(line.port) or knows(module, line))
        for module, function in definitions(line.caller)
    )


@cache
def layers() -> list[set[str]]:
    """The layers of the import contract, from the highest."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    contract = tools["importlinter"]["contracts"][0]
    return [set(re.findall(r"\w+", layer)) for layer in contract["layers"]]


def height(package: str) -> int:
    """The number of the layer of a package, from the highest."""
    return next(place for place, layer in enumerate(layers()) if package.partition(".")[0] in layer)


def test_both_ways_are_drawn() -> None:
    assert len(drawings()) == 5
    assert len(DRAWN) > 50
    assert {drawing[0].function for drawing in drawings()} == {
        *("Workbench.check", "Runs.load", "Runs.decide", "Policy.guard", "Guard.check")
    }
    assert all(line.depth > 0 for drawing in drawings() for line in drawing[1:])


@pytest.mark.parametrize("line", DRAWN, ids=label)
def test_a_drawn_function_is_defined_once_in_its_package(line: Drawn) -> None:
    assert len(definitions(line)) == 1


@pytest.mark.parametrize("line", CALLS, ids=label)
def test_a_drawn_call_is_made_by_its_caller(line: Drawn) -> None:
    assert makes(line)


@pytest.mark.parametrize("drawing", drawings(), ids=lambda drawing: drawing[0].function)
def test_each_function_of_a_drawing_has_one_line(drawing: list[Drawn]) -> None:
    functions = [(line.package, line.function) for line in drawing]
    assert len(functions) == len(set(functions))


@pytest.mark.parametrize("line", CALLS, ids=label)
def test_no_drawn_call_goes_up(line: Drawn) -> None:
    """A caller knows an object of a higher layer by a protocol of its own layer, or of a lower one."""
    assert line.caller is not None
    if not line.port:
        assert height(line.package) >= height(line.caller.package)
        return
    (path,) = [
        path
        for path in CODE.rglob("*.py")
        if f"class {line.port}(Protocol" in path.read_text(encoding="utf-8")
    ]
    assert height(path.relative_to(CODE).parts[0]) >= height(line.caller.package)
    assert line.name in members(members(ast.parse(path.read_text(encoding="utf-8")))[line.port])


def test_a_wrong_line_is_noticed() -> None:
    """Two calls that change places are no longer those of the code."""
    drawing = next(drawing for drawing in drawings() if drawing[0].function == "Workbench.check")
    lines = {line.function: line for line in drawing}
    swapped = {"outline": "run_cases", "asked_of": "understood", "lower": "lower_goals"}
    for one, other in swapped.items():
        line = lines[one]
        assert makes(line)
        assert not makes(Drawn(lines[other].function, lines[other].package, line.depth, "", line.caller))
