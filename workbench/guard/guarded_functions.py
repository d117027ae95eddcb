"""Python functions as guarded tools."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from workbench.guard.calls import ToolCall
from workbench.guard.look_alike_names import hides, twin
from workbench.model import Json

if TYPE_CHECKING:
    from workbench.guard.enforce import Guard


def guarded[**P, R](
    guard: Guard, function: Callable[P, R], name: str, context: Mapping[str, Json]
) -> Callable[P, R]:
    """The function, sync or async, with the guard's decision before its body starts.

    The body gets the checked arguments: the defaults are bound, and lists, mappings and sets are copied, so
    that a holder of the originals cannot change them after the decision.
    """
    shown_name = name or getattr(function, "__name__", type(function).__name__)
    tool = _Tool(shown_name, inspect.signature(function), context)
    run = cast("Callable[..., R]", function)
    if inspect.iscoroutinefunction(function):

        async def guarded_async(*args: P.args, **kwargs: P.kwargs) -> object:
            bound = tool.bound(args, kwargs)
            outcome = await guard.require_async(bound.call)
            try:
                result = await cast(Awaitable[object], run(*bound.args, **bound.kwargs))
            except Exception as error:
                guard.fail(outcome, error)
                raise
            guard.finish(outcome, result)
            return result

        return cast("Callable[P, R]", _shown_as(function, tool.signature, guarded_async))

    def guarded_sync(*args: P.args, **kwargs: P.kwargs) -> R:
        bound = tool.bound(args, kwargs)
        outcome = guard.require(bound.call)
        try:
            result = run(*bound.args, **bound.kwargs)
        except Exception as error:
            guard.fail(outcome, error)
            raise
        if not inspect.isawaitable(result):  # a result still to be awaited has not ended
            guard.finish(outcome, result)
        return result

    return _shown_as(function, tool.signature, guarded_sync)


class _Bound(typing.NamedTuple):
    """A call, and the arguments that the function gets if it may run."""

    call: ToolCall
    args: tuple[object, ...]
    kwargs: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Tool:
    """A function in the form that the guard needs: its name and parameters, and the context of its calls."""

    name: str
    signature: inspect.Signature
    context: Mapping[str, Json]

    def bound(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> _Bound:
        """A call with copies of these arguments; if they do not fit the function, the call has none."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            return _Bound(ToolCall(self.name, None, self.context), args, kwargs)
        bound.apply_defaults()
        for parameter, value in bound.arguments.items():
            bound.arguments[parameter] = _copied(value)
        call = ToolCall(self.name, _flat(self.signature, bound.arguments), self.context)
        return _Bound(call, bound.args, bound.kwargs)


def _shown_as[C: Callable[..., object]](
    function: Callable[..., object], signature: inspect.Signature, wrapper: C
) -> C:
    """The wrapper with the function's name, docstring and signature, and no access to the function itself."""
    functools.update_wrapper(wrapper, function)
    del wrapper.__dict__["__wrapped__"]  # frameworks unwrap, and would call the unguarded function
    wrapper.__dict__["__signature__"] = signature
    try:
        wrapper.__annotations__ = typing.get_type_hints(function, include_extras=True)
    except Exception:  # an annotation that cannot be resolved stays a text
        return wrapper
    return wrapper


def _copied(value: object) -> object:
    """The value with copies of all lists, tuples, mappings and sets in it."""
    match value:
        case dict():
            items = cast("dict[object, object]", value)
            return {key: _copied(item) for key, item in items.items()}
        case list():
            return [_copied(item) for item in cast("list[object]", value)]
        case set():
            return set(cast("set[object]", value))
        case tuple() if type(value) is tuple:  # pyright: ignore[reportUnknownArgumentType]  of anything
            return tuple(_copied(item) for item in cast("tuple[object, ...]", value))
        case _:
            return value


def _flat(signature: inspect.Signature, bound: Mapping[str, object]) -> Mapping[str, Json] | None:
    """The bound arguments as one mapping; ``**kwargs`` are spread, ``*args`` become a list.

    None if a spread name equals, or a reader could mistake it for, the name of a parameter: it would be
    unclear which of the two the check sees.
    """
    flat: dict[str, object] = {}
    for name, value in bound.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            spread = cast(Mapping[str, object], value)
            for key in spread:
                if key in flat or hides(key) or twin(key, {*flat, *(spread.keys() - {key})}):
                    return None
            flat.update(spread)
        else:
            flat[name] = list(cast(tuple[object, ...], value)) if isinstance(value, tuple) else value
    return cast(Mapping[str, Json], flat)  # tools may pass any object; extraction checks types
