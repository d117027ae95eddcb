"""The toolbox of guardrail code: functions that a model may call (GuardAgent 4.3).

It has the two functions of the paper, the one for risk levels, and functions that a user registers: of a
module that can be imported, or of a file of the session that is written in the subset of guardrail code. They
are pure: they take and return plain data, so that a sandbox process can offer them.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.guardagent.subset import check_subset
from workbench.model import Problem, WorkbenchError

type ToolFunction = Callable[..., object]


def check_access(
    role: str, needed: Mapping[str, Sequence[str]], readable: Mapping[str, Mapping[str, Sequence[str]]]
) -> tuple[bool, dict[str, list[str]]]:
    """Whether ``role`` may read all ``needed`` columns by database, and the inaccessible ones.

    Args:
        role: the user's role, such as "physician".
        needed: the columns that the agent's output reads, by database.
        readable: for each role, the columns that it may read, by database; the whole list of the request.
    """
    allowed = readable.get(role, {})
    inaccessible = {
        database: [column for column in columns if column not in allowed.get(database, ())]
        for database, columns in needed.items()
    }
    missing = {database: columns for database, columns in inaccessible.items() if columns}
    unknown: dict[str, list[str]] = {
        database: [] for database in needed if database not in allowed and database not in missing
    }
    unreadable = {**missing, **unknown}
    return not unreadable, unreadable


def check_rule(
    action: str, facts: Mapping[str, object], rules: Mapping[str, Sequence[tuple[str, str, object, str]]]
) -> tuple[bool, list[str]]:
    """Whether ``action`` keeps its rules, and the messages of those it breaks.

    Args:
        action: the action that the agent takes, such as "book_hotel".
        facts: the facts of the user, such as {"age": 17}; one that is not known breaks every rule about it.
        rules: for each action, its rules (fact, operator, value, message) with an operator of
            ``== != < <= > >=``; all rules of the request.
    """
    broken = [
        message
        for fact, operator, value, message in rules.get(action, ())
        if fact not in facts or not _compare(facts[fact], operator, value)
    ]
    return not broken, broken


def risk_level(violations: Sequence[str], levels: Sequence[str] = ()) -> str | int:
    """The level of risk: the number of violated rules, or its name (the paper's CSQA task).

    Args:
        violations: the rules that are violated.
        levels: the names of the levels, from that of no violation on, such as ["none", "low", "high"]; the
            last one stands for all further violations too.
    """
    return levels[min(len(violations), len(levels) - 1)] if levels else len(violations)


def _compare(left: object, operator: str, right: object) -> bool:
    """Whether the comparison holds; values that have no order, and unknown operators, never hold."""
    if operator == "==":
        return left == right
    if operator == "!=":
        return left != right
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    if not numbers and not (isinstance(left, str) and isinstance(right, str)):
        return False
    less = bool(left < right)  # pyright: ignore[reportOperatorIssue, reportUnknownArgumentType, reportUnknownVariableType]  both are numbers or both texts
    equal = left == right
    holds = {"<": less, "<=": less or equal, ">": not less and not equal, ">=": not less}
    return holds.get(operator, False)


@dataclass(frozen=True, slots=True)
class Toolbox:
    """Named functions with their signatures and docstrings, as a prompt shows them.

    ``source`` is the text of the functions that the session defines; the sandbox checks it again and runs it.
    """

    functions: Mapping[str, ToolFunction]
    written: tuple[_WrittenFunction, ...] = ()
    source: str = ""

    @property
    def names(self) -> frozenset[str]:
        """The names of all functions."""
        return frozenset(self.functions) | {written_function.name for written_function in self.written}

    @classmethod
    def standard(cls) -> Toolbox:
        """The functions of the paper."""
        return cls({"check_access": check_access, "check_rule": check_rule, "risk_level": risk_level})

    @classmethod
    def empty(cls) -> Toolbox:
        """No functions: the model may define its own inside the subset."""
        return cls({})

    def with_function(self, function: ToolFunction) -> Toolbox:
        """The toolbox with one more function, which the sandbox imports by its module and name.

        Raises WorkbenchError if the name is taken or private, or if no import could find the function.
        """
        name = function.__name__
        if name in self.names or name.startswith("_"):
            raise WorkbenchError(f"The toolbox cannot take {name!r}: choose another, public name.")
        if function.__qualname__ != name or function.__module__ == "__main__":
            raise WorkbenchError(
                f"The toolbox cannot take {name!r}: define it at the top of a module that can be imported."
            )
        return replace(self, functions={**self.functions, name: function})

    def with_written(self, source: str, path: str) -> Toolbox:
        """The toolbox with the functions of a session's file; raises WorkbenchError where one is wrong."""
        added = _written_functions(source, path, self.names)
        return replace(self, written=(*self.written, *added), source=f"{self.source}\n\n{source}".strip())

    def described(self) -> str:
        """Each function as its module begins it: its signature, and its whole docstring below."""
        return "\n".join(
            f"def {name}{signature}:\n{textwrap.indent(f'"""{says}"""', '    ')}"
            for name, signature, says in self.listed()
        )

    def listed(self) -> tuple[tuple[str, str, str], ...]:
        """Name, signature and docstring of each function."""
        built_in = (
            (name, _signature(function), inspect.getdoc(function) or "")
            for name, function in self.functions.items()
        )
        return (*built_in, *((one.name, one.signature, one.docstring) for one in self.written))


def _signature(function: ToolFunction) -> str:
    """The signature as its module writes it; the short names of types say enough."""
    return str(inspect.signature(function)).replace("'", "")


# --- A session's own functions for guardrail code, written in the subset of guardrail code
#
# They are checked like guardrail code, and run only in the sandbox: a session may come from a stranger.


@dataclass(frozen=True, slots=True)
class _WrittenFunction:
    """A function as a prompt shows it: its name, its signature as written, and its docstring."""

    name: str
    signature: str
    docstring: str


def _written_functions(
    source: str, path: str, known_names: Collection[str] = ()
) -> tuple[_WrittenFunction, ...]:
    """The functions that a file of functions defines.

    Args:
        source: the file's text, hostile until checked.
        path: the name of the file in messages.
        known_names: names that its code may call and that none of its functions may take.

    Raises:
        WorkbenchError: the text is outside the subset, or contains more than functions and a docstring.
    """
    problems = [*check_subset(source, known_names)]
    if not problems:
        problems += _beside_functions(source)
    if problems:
        first = problems[0]
        raise WorkbenchError(f"{path}:{first.line or 1}: {first.message} {first.instead}".strip())
    tree = ast.parse(source)
    return tuple(_function(node) for node in tree.body if isinstance(node, ast.FunctionDef))


def _beside_functions(source: str) -> list[Problem]:
    return [
        Problem("A file of functions holds functions only.", "Move it into a function.", node.lineno)
        for place, node in enumerate(ast.parse(source).body)
        if not isinstance(node, ast.FunctionDef) and not (place == 0 and _is_text(node))
    ]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _function(node: ast.FunctionDef) -> _WrittenFunction:
    result = "" if node.returns is None else f" -> {ast.unparse(node.returns)}"
    docstring = ast.get_docstring(node) or ""
    return _WrittenFunction(node.name, f"({ast.unparse(node.args)}){result}", docstring)
