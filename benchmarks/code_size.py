"""The size of the program: code lines, files and functions by package, import cycles, single importers.

Run: python benchmarks/code_size.py

A code line has code: no blank line, no comment, no docstring. A file that this Python cannot parse ends the
count with its name. An import cycle is a set of modules that import each other when they are loaded; imports
inside functions and under TYPE_CHECKING are none.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
    tokenize.ENCODING,
}  # fmt: skip
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DOCUMENTED = (ast.Module, ast.ClassDef, *FUNCTIONS)


@dataclass(frozen=True, slots=True)
class Module:
    """A file: its dotted name, its package below ``workbench``, and what is counted of it.

    ``loaded`` has the modules that it imports when it is loaded, ``imported`` all that it imports.
    """

    name: str
    package: str
    lines: int
    functions: int
    loaded: frozenset[str]
    imported: frozenset[str]


def modules(folder: Path) -> tuple[Module, ...]:
    """The modules of a package; exits with the name of a file that cannot be parsed."""
    trees: dict[str, tuple[ast.Module, str]] = {}
    packages: set[str] = set()
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        try:
            tree = ast.parse(text, str(path))
        except SyntaxError as error:
            sys.exit(f"{path}:{error.lineno}: this file cannot be parsed ({error.msg}).")
        name = ".".join(path.relative_to(folder.parent).with_suffix("").parts)
        if path.name == "__init__.py":
            name = name.removesuffix(".__init__")
            packages.add(name)
        trees[name] = tree, text
    return tuple(
        Module(
            name,
            name.split(".")[1] if name in packages or name.count(".") > 1 else "(modules at the top)",
            len(code_lines(tree, text)),
            sum(isinstance(node, FUNCTIONS) for node in ast.walk(tree)),
            frozenset(_imports(_loaded(tree), frozenset(trees))) - {name},
            frozenset(_imports(ast.walk(tree), frozenset(trees))) - {name},
        )
        for name, (tree, text) in trees.items()
        if name != folder.name
    )


def code_lines(tree: ast.Module, text: str) -> set[int]:
    """The numbers of the lines with code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines |= {*range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node) is not None:
            docstring = node.body[0]
            lines -= {*range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1)}
    return lines


def _loaded(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes that run when a module is loaded."""
    waiting: list[ast.AST] = [*tree.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*FUNCTIONS, ast.Lambda)):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        yield node
        waiting += ast.iter_child_nodes(node)


def _imports(nodes: Iterator[ast.AST], names: frozenset[str]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in names:
                    yield inner
                elif node.module in names:
                    yield node.module


def cycle(found: tuple[Module, ...]) -> list[str]:
    """A cycle of modules that import each other when they are loaded; empty if there is none."""
    try:
        TopologicalSorter({module.name: module.loaded for module in found}).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def importers(found: tuple[Module, ...]) -> Counter[str]:
    """How many modules import each module, ever."""
    names = {module.name for module in found}
    return Counter(name for module in found for name in module.imported if name in names)


def main() -> int:
    """Print the counts."""
    found = modules(ROOT / "workbench")
    packages: dict[str, list[Module]] = defaultdict(list)
    for module in found:
        packages[module.package].append(module)
    print("| package | code lines | files | functions |\n|---|---:|---:|---:|")
    rows = sorted(packages.items(), key=lambda item: -sum(module.lines for module in item[1]))
    for package, its_modules in [*rows, ("all", list(found))]:
        lines, functions = (
            sum(getattr(module, what) for module in its_modules) for what in ("lines", "functions")
        )
        print(f"| {package} | {lines:,} | {len(its_modules)} | {functions:,} |")
    single = [name for name, count in importers(found).items() if count == 1]
    print(f"\n{len(single)} modules have a single importer")
    circle = cycle(found)
    print(f"import cycle: {' -> '.join(circle) or 'none'}")
    return 1 if circle else 0


if __name__ == "__main__":
    sys.exit(main())
