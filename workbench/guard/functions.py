"""Python functions as guarded tools."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, cast

from workbench.guard.calls import ToolCall
from workbench.model import Json

if TYPE_CHECKING:
    from workbench.guard.enforce import Guard


def guarded[**P, R](
    guard: Guard, function: Callable[P, R], name: str, context: Mapping[str, Json]
) -> Callable[P, R]:
    """The function, sync or async, with the guard's decision before its body starts."""
    signature = inspect.signature(function)
    tool = name or getattr(function, "__name__", type(function).__name__)

    def call_of(args: tuple[object, ...], kwargs: Mapping[str, object]) -> ToolCall:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return ToolCall(tool, None, context)
        bound.apply_defaults()
        return ToolCall(tool, _flat(signature, bound.arguments), context)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def guarded_async(*args: P.args, **kwargs: P.kwargs) -> object:
            outcome = await guard.require_async(call_of(args, kwargs))
            try:
                result = await cast(Awaitable[object], function(*args, **kwargs))
            except Exception as error:
                guard.finish(outcome, f"{type(error).__name__}: {error}")
                raise
            guard.finish(outcome, result)
            return result

        return guarded_async  # pyright: ignore[reportReturnType]  R is the coroutine that function returns

    @functools.wraps(function)
    def guarded_sync(*args: P.args, **kwargs: P.kwargs) -> R:
        outcome = guard.require(call_of(args, kwargs))
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            guard.finish(outcome, f"{type(error).__name__}: {error}")
            raise
        guard.finish(outcome, None if inspect.isawaitable(result) else result)
        return result

    return guarded_sync


def _flat(signature: inspect.Signature, bound: Mapping[str, object]) -> Mapping[str, Json] | None:
    """The bound arguments as one mapping; ``**kwargs`` are spread, ``*args`` become a list.

    None where a spread name is also a parameter's: which of the two the check would see is open.
    """
    flat: dict[str, object] = {}
    for name, value in bound.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            spread = cast(Mapping[str, object], value)
            if flat.keys() & spread.keys():
                return None
            flat.update(spread)
        else:
            flat[name] = list(cast(tuple[object, ...], value)) if isinstance(value, tuple) else value
    return cast(Mapping[str, Json], flat)  # tools may pass any object; extraction checks types
