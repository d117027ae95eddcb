"""The checked text of a policy as Python functions that compute it.

Only this module of the workbench executes policy text. It takes ``PolicyTerms``, which only the checker
makes, drops imports, annotations and contract, and runs the rest in a namespace with only ``any``, ``all``,
``len``, ``sum``, ``frozenset`` and the file's own definitions. The values of records are ``RecordValue``: the
classes of the text are never made.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from types import CodeType

from workbench.model import RecordValue, field_of
from workbench.policy.checker.bodies import without_docstring
from workbench.policy.checker.constants import literal
from workbench.policy.checker.scope import File
from workbench.policy.checker.syntax_tree import read
from workbench.policy.deciding import Test
from workbench.policy.evaluate import normalised
from workbench.policy.names import CLAUSE_LETTERS
from workbench.policy.problems import PolicyError, Problems
from workbench.policy.result_cache import Recent
from workbench.policy.rule_names import RULES
from workbench.policy.terms import PolicyTerms


@dataclass(frozen=True, slots=True)
class _Unit:
    """One definition as code, with the constants that it names; the code is None if nothing is defined."""

    code: CodeType | None
    constants: Mapping[str, object]


# Names that RecordValue uses itself: fields with these names are no attributes of its values.
_OWN_NAMES = frozenset(RecordValue.__slots__)

_units: Recent[tuple[str, str, str], _Unit] = Recent(4096)


class _Prepare(ast.NodeTransformer):
    """Turns the text of the dialect into plain expressions whose literals are made only once."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.constants: dict[str, object] = {}

    def visit_Call(self, node: ast.Call) -> ast.expr:  # the name is the visitor's protocol
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("Decimal", "date", "time", "datetime", "timedelta"):
            return self._keep(literal(node, self.file))
        if name == "Result":
            return ast.Name("_result", ast.Load())
        self.generic_visit(node)
        if name == "Implies":
            return ast.BoolOp(ast.Or(), [ast.UnaryOp(ast.Not(), node.args[0]), node.args[1]])
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:  # as above
        self.generic_visit(node)
        if node.attr not in _OWN_NAMES:
            return node
        return ast.Call(ast.Name("_field_of", ast.Load()), [node.value, ast.Constant(node.attr)], [])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:  # as above
        self.generic_visit(node)
        value = self.constants.get(node.operand.id) if isinstance(node.operand, ast.Name) else None
        if isinstance(node.op, ast.USub) and isinstance(value, Decimal):
            return self._keep(value.copy_negate())
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:  # as above
        node.body = without_docstring(node.body)
        node.returns = None
        for parameter in node.args.args:
            parameter.annotation = None
        self.generic_visit(node)
        return node

    def _keep(self, value: object) -> ast.expr:
        digest = sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()
        name = f"_constant_{digest}"
        self.constants[name] = value
        return ast.Name(name, ast.Load())


def _prepared(text: str, prepare: _Prepare, _label: str) -> ast.stmt:
    """A constant or rule."""
    definition: ast.stmt = prepare.visit(ast.parse(text).body[0])
    return definition


def _clause_function(identity: str) -> str:
    """The name of the function of a clause."""
    return f"_clause_{identity}"


def _clause(text: str, prepare: _Prepare, label: str) -> ast.stmt:
    """A condition of the contract, defined as a lambda."""
    statement = ast.parse(text).body[0]
    assert isinstance(statement, ast.Expr)
    return ast.Assign([ast.Name(_clause_function(label), ast.Store())], prepare.visit(statement.value))


def _compiled(statements: list[ast.stmt]) -> CodeType:
    return compile(ast.fix_missing_locations(ast.Module(statements, [])), "<policy>", "exec")


class PolicyProgram:
    """The functions of one policy. Each definition is compiled once for all texts that hold it."""

    def __init__(self, policy: PolicyTerms) -> None:
        """Define constants and rules."""
        self._policy = policy
        self._read = read(policy.source)
        self._problems = Problems(self._read.source)
        vocabulary: dict[str, object] = {
            "any": any,
            "all": all,
            "len": len,
            "sum": sum,
            "frozenset": frozenset,
        }
        hidden: dict[str, object] = {"__builtins__": {}, "_in_utc": normalised, "_field_of": field_of}
        self._space: dict[str, object] = {**hidden, **vocabulary}
        allow: ast.FunctionDef | None = None
        self._rules: dict[str, str] = {}
        own = {rule.name for rule in policy.rules}  # a part of a policy has the text of the whole
        for node in without_docstring(self._read.tree.body):
            if isinstance(node, ast.FunctionDef):
                if node.name == "allow":
                    allow = node
                    continue
                if node.name.startswith(RULES) and node.name not in own:
                    continue
                text = self._problems.segment(node)
                if node.name.startswith(RULES):
                    self._rules[node.name] = text
                self._define("", text, _prepared)
            elif isinstance(node, ast.Assign) and not isinstance(node.value, ast.Subscript):
                self._define("", self._problems.segment(node), _prepared)
        if allow is None:
            raise PolicyError([])
        self._allow = allow
        self.rules: Mapping[str, Test] = {rule.name: self._function(rule.name) for rule in policy.rules}

    @cached_property
    def clauses(self) -> Mapping[str, Test]:
        """The conditions of the contract by id, as functions of all arguments and, last, the result."""
        names = ", ".join(argument.name for argument in self._policy.arguments)
        test_by_id: dict[str, Test] = {}
        for identity, condition in self._conditions():
            text = f"lambda {names}, _result: (\n{self._problems.segment(condition)}\n)"
            self._define(identity, text, _clause)
            test_by_id[identity] = self._function(_clause_function(identity))
        return test_by_id

    def _conditions(self) -> Iterator[tuple[str, ast.expr]]:
        counts = dict.fromkeys(CLAUSE_LETTERS.values(), 0)
        for node in self._allow.body:
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                letter = CLAUSE_LETTERS[call.func.id]
                counts[letter] += 1
                yield f"{letter}{counts[letter]}", call.args[0]

    def _define(self, label: str, text: str, make: Callable[[str, _Prepare, str], ast.stmt | None]) -> bool:
        """Run the statement that ``make`` makes of a text of the policy; False if it makes none."""
        key = (make.__name__, label, text)
        unit = _units.get(key)
        if unit is None:
            file = File(self._read, Problems(text), self._read.places)
            file.imported.update(("Decimal", "date", "time", "datetime", "timedelta"))
            prepare = _Prepare(file)
            statement = make(text, prepare, label)
            unit = _Unit(None if statement is None else _compiled([statement]), prepare.constants)
            _units.put(key, unit)
        self._run(unit)
        return unit.code is not None

    def _run(self, unit: _Unit) -> None:
        self._space.update(unit.constants)
        if unit.code is not None:
            exec(unit.code, self._space)  # noqa: S102 # the text passed the checker

    def _function(self, name: str) -> Test:
        return self._space[name]  # type: ignore[return-value] # made by a definition above
