"""The rules and clauses of a policy as Python functions.

Only this module of the workbench executes a policy. It takes terms, which only the checker of the dialect and
what is made of its terms can be, and never a text: each term becomes a syntax tree of one expression, which
runs in a namespace with only ``any``, ``all``, ``len``, ``sum`` and the constants of the policy. The values
of records are ``RecordValue``.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import CodeType

from workbench.engines.compiled.python_tree import FIELD_OF, RESULT, PythonTree, table_name
from workbench.model import field_of
from workbench.policy.deciding import Test
from workbench.policy.result_cache import Recent
from workbench.policy.terms import PolicyTerms, Term


@dataclass(frozen=True, slots=True)
class _Unit:
    """A term as the code of a function, with the constants that it names."""

    code: CodeType
    constants: Mapping[str, object]


_units: Recent[tuple[tuple[str, ...], Term], _Unit] = Recent(4096)
_VOCABULARY: Mapping[str, object] = {
    "__builtins__": {},
    "any": any,
    "all": all,
    "len": len,
    "sum": sum,
    FIELD_OF: field_of,
}


class PolicyProgram:
    """The functions of one policy. Each term is compiled once for all policies that hold it."""

    def __init__(self, policy: PolicyTerms) -> None:
        """Define the rules."""
        self._policy = policy
        tables = {table_name(name): table.entries for name, table in policy.tables.items()}
        self._space = {**_VOCABULARY, **tables}
        self.rules: Mapping[str, Test] = {
            rule.name: self._function([parameter.name for parameter in rule.parameters], rule.body)
            for rule in policy.rules
        }

    @cached_property
    def clauses(self) -> Mapping[str, Test]:
        """The conditions of the contract by id, as functions of all arguments and, last, the result."""
        names = [*(argument.name for argument in self._policy.arguments), RESULT]
        stated = (*self._policy.preconditions, *self._policy.clauses)
        return {clause.id: self._function(names, clause.term) for clause in stated}

    def _function(self, parameters: Sequence[str], term: Term) -> Test:
        key = (tuple(parameters), term)
        unit = _units.get(key)
        if unit is None:
            tree = PythonTree()
            arguments = ast.arguments([], [ast.arg(name) for name in parameters], None, [], [], None, [])
            function = ast.Lambda(arguments, tree.expression(term))
            expression = ast.fix_missing_locations(ast.Expression(function))
            unit = _Unit(compile(expression, "<policy>", "eval"), tree.constants)
            _units.put(key, unit)
        test: Test = eval(unit.code, {**self._space, **unit.constants})  # noqa: S307 # made of checked terms
        return test
