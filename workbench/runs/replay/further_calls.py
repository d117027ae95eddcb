"""Values over a run that a further call of the agent can change, and by calls of which class."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

from workbench.dialect.run_values import LAST
from workbench.model import RecordValue, Value

_EARLIER, _SINCE = "earlier", "since"


@lru_cache(maxsize=1024)
def classes_of_calls(expression: str) -> Sequence[str]:
    """The classes of the calls by which an expression over the run becomes true, or a larger number.

    Empty if it is no ``any``, count or sum over earlier calls, and no last call. Calls before the first of
    some calls do not become more once there is such a call, so ``until`` gives none.
    """
    try:
        node = ast.parse(expression, mode="eval").body
    except SyntaxError:
        return ()
    match node:
        case ast.Call(
            func=ast.Name(id="any" | "sum"),
            args=[ast.GeneratorExp(generators=[ast.comprehension(iter=calls)])],
        ):
            return tuple(_of_run(calls, _EARLIER))
        case ast.Call():
            return tuple(_of_run(node, LAST))
        case _:
            return ()


def _of_run(node: ast.expr, method: str) -> Iterator[str]:
    """The classes that a method of the run, or of the run since some calls, is given."""
    match node:
        case ast.Call(func=ast.Attribute(value=run, attr=name), args=args) if name == method:
            while isinstance(run, ast.Call) and isinstance(run.func, ast.Attribute):
                if run.func.attr != _SINCE:
                    return
                run = run.func.value
            if isinstance(run, ast.Name):
                yield from (one.id for one in args if isinstance(one, ast.Name))
        case _:
            return


def comes_by_calls(old: Value, new: Value, *, supplied: bool) -> bool:
    """Whether further calls change a value so: something becomes true or known, and a number grows."""
    if isinstance(new, bool):
        return new
    if new is None:
        return False
    if supplied or old is None or isinstance(new, RecordValue):
        return True
    return not isinstance(new, str | frozenset | tuple) and new > old  # type: ignore[operator] # of one type
