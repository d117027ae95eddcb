"""What a rule reads, by its text: of its call, of the run, and the texts that it compares with."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from workbench.clarify.written.book import Book
from workbench.policy.checker.syntax_tree import statements

_OF_USER = frozenset(("said", "last_said", "first_said", "source"))
"""Attributes of runs and of values that tell what the user wrote."""


@dataclass
class RuleReading:
    """What a rule reads of its call, with what its facts and constants say: parts by field, and texts.

    ``lacking`` has the fields of which its facts say what holds where a call has none, and ``earlier`` the
    classes of the earlier calls that it reads. ``asks_user`` is whether it reads what the user wrote.
    """

    parts: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    texts: dict[str, None] = field(default_factory=dict[str, None])
    lacking: set[str] = field(default_factory=set[str])
    reads_run: bool = False
    earlier: dict[str, None] = field(default_factory=dict[str, None])
    asks_user: bool = False


def reading_of(book: Book, name: str) -> RuleReading:
    """What the rule of a policy reads, by its text; nothing of one that the lowering adds."""
    if name not in book.readings:
        reader = _Reader(_defined(book.language.source))
        if (node := reader.functions.get(name)) is not None:
            reader.read(node, {node.args.args[0].arg: ""} if node.args.args else {})
        book.readings[name] = reader.found
    return book.readings[name]


@dataclass(frozen=True, slots=True)
class _Defined:
    """The functions and constants of a policy by name."""

    functions: Mapping[str, ast.FunctionDef]
    constants: Mapping[str, ast.expr]


@lru_cache(maxsize=2)
def _defined(source: str) -> _Defined:
    body = statements(source)
    constants = {
        target.id: node.value
        for node in body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    return _Defined({node.name: node for node in body if isinstance(node, ast.FunctionDef)}, constants)


class _Reader:
    """Reads a function of a policy with the facts that it calls and the constants that it names."""

    def __init__(self, defined: _Defined) -> None:
        self.functions, self._constants = defined.functions, defined.constants
        self.found = RuleReading()
        self._seen: set[str] = set()

    def read(self, node: ast.AST, meaning: Mapping[str, str]) -> None:
        """Add what a part of the policy reads; ``meaning`` has its names of the call and of fields."""
        docstring = ast.get_docstring(node, clean=False) if isinstance(node, ast.FunctionDef) else None
        every = list(ast.walk(node))
        names = {**meaning, **_elements(every, meaning)}
        within = {id(part.value) for part in every if isinstance(part, ast.Attribute)}
        self.found.asks_user |= any(
            isinstance(part, ast.Attribute) and part.attr in _OF_USER for part in every
        )
        for part in every:
            match part:
                case ast.Attribute() if id(part) not in within:
                    self._read_part(_chain(part, names))
                case ast.Constant(value=str(text)) if text != docstring:
                    self.found.texts[text] = None
                case ast.Name(id=name):
                    self._named(name)
                case ast.Call(func=ast.Name(id=name), args=given):
                    self._called(name, given, names)
                case ast.Call(func=ast.Attribute(attr="earlier"), args=given):
                    self.found.earlier |= {one.id: None for one in given if isinstance(one, ast.Name)}
                case _:
                    continue

    def _read_part(self, chain: tuple[str, ...]) -> None:
        if chain:
            field, *part = chain
            self.found.parts.setdefault(field, set()).add(part[0] if part else "")

    def _named(self, name: str) -> None:
        if name == "run":
            self.found.reads_run = True
        elif name in self._constants and name not in self._seen:
            self._seen.add(name)
            self.read(self._constants[name], {})

    def _called(self, name: str, given: Sequence[ast.expr], names: Mapping[str, str]) -> None:
        """A fact, whose parameters are the call or fields of it."""
        if name not in self.functions or name in self._seen:
            return
        self._seen.add(name)
        parameters = zip(self.functions[name].args.args, given, strict=False)
        chains = {parameter.arg: (_chain(one, names), one) for parameter, one in parameters}
        inner = {
            parameter: ".".join(chain[:1])
            for parameter, (chain, one) in chains.items()
            if chain or (isinstance(one, ast.Name) and one.id in names)
        }
        self.read(self.functions[name], inner)
        for part in ast.walk(self.functions[name]):
            if isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.Is):
                self.found.lacking.update(_chain(part.left, inner)[:1])


def _elements(parts: Sequence[ast.AST], names: Mapping[str, str]) -> Mapping[str, str]:
    """The names of elements of fields, each with its field."""
    found: dict[str, str] = {}
    for part in parts:
        if isinstance(part, ast.comprehension) and isinstance(part.target, ast.Name):
            chain = _chain(part.iter, names)
            if len(chain) == 1:
                found[part.target.id] = chain[0]
    return found


def _chain(node: ast.AST, names: Mapping[str, str]) -> tuple[str, ...]:
    """The field and part that an expression reads of the call; empty for another one."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.insert(0, node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in names:
        return ()
    return tuple(filter(None, (names[node.id], *attributes)))
