"""The text of a policy as the body of a function.

Inside a function the policy's names are local, so they cannot collide with names of the code around it. The
contract is kept as comments that begin with ``#|`` in the first column: it does not run, and a reader of the
file sees what was proved.
"""

from __future__ import annotations

import ast
import io
import tokenize

from workbench.model import WorkbenchError

_INDENT = "    "
_CONTRACT = "#|"
_CALLS = ("Requires", "Ensures")
_MODULE = "nagini_contracts.contracts"


def enclosed(source: str) -> str:
    """The lines of a checked policy, indented, with its contract as comments."""
    lines = source.split("\n")
    contract = _contract_lines(source)
    inner = _inside_strings(source)
    enclosed_lines: list[str] = []
    for number, line in enumerate(lines, 1):
        if number in contract:
            enclosed_lines.append(_CONTRACT + line)
        else:
            enclosed_lines.append(line if number in inner or not line else _INDENT + line)
    return "\n".join(enclosed_lines)


def _inside_strings(text: str) -> frozenset[int]:
    """The numbers of the lines that begin inside a string, where every space counts."""
    line_numbers: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING:
                line_numbers.update(range(token.start[0] + 1, token.end[0] + 1))
    except (tokenize.TokenError, SyntaxError):
        return frozenset()
    return frozenset(line_numbers)


def _contract_lines(source: str) -> frozenset[int]:
    """The lines of the contract and its import. Raises WorkbenchError if they contain anything else."""
    contract: set[int] = set()
    other_lines: set[int] = set()
    tree = ast.parse(source)
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == _MODULE:
            contract |= _lines(statement)
        elif isinstance(statement, ast.FunctionDef):
            body = {node for node in statement.body if is_contract(node)}
            contract.update(*(_lines(node) for node in body))
            other_lines.update(range(statement.lineno, statement.body[0].lineno))
            other_lines.update(*(_lines(node) for node in statement.body if node not in body))
        else:
            other_lines |= _lines(statement)
    if shared := sorted(contract & other_lines):
        raise WorkbenchError(
            f"policy.py:{shared[0]}: the contract shares a line with something else. "
            "Put each statement on lines of its own, then export again."
        )
    return frozenset(contract)


def _lines(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def is_contract(node: ast.stmt) -> bool:
    """Whether a statement is a clause of the contract."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _CALLS
