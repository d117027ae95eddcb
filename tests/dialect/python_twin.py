"""A policy of calls as Python runs its text: no checker, no terms, no lowering.

The values of calls, records and context are read as everywhere; everything around them is Python's own.
Where a value that is not determined is met, nothing is said.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from types import ModuleType
from typing import cast, override

from tests.runs.expressions.small_agent import TYPES, reader
from workbench.dialect.run_values import SourceOf
from workbench.model import RecordedCall, RecordValue, Verdict
from workbench.policy.operations import Known
from workbench.policy.undetermined import IncompleteRecord, Undetermined
from workbench.runs.expressions.moment import Moment, Trace
from workbench.runs.world.earlier_calls import Earlier


class NotKnown(Exception):
    """A value is not determined."""


class PythonTwin:
    """The functions of a policy's text."""

    def __init__(self, source: str) -> None:
        """Run the text, which is one that a test wrote."""
        tree = ast.fix_missing_locations(_Clauses().visit(ast.parse(source)))
        space: dict[str, object] = {
            "__builtins__": {**vars(builtins), "__import__": _imported, "zip": _pairs, **_EXTREMES}
        }
        exec(compile(tree, "<policy>", "exec"), space)  # noqa: S102 # text of a test
        self._functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        self._space = space

    def verdict(self, run: Sequence[RecordedCall], index: int) -> Verdict | None:
        """The decision on a call; None if something that is not determined was met."""
        try:
            return self._verdict(Seen(run, index))
        except NotKnown:
            return None

    def _verdict(self, seen: Seen) -> Verdict:
        rules = [one for one in self._functions if one.name.startswith(("forbid_", "ask_", "permit_"))]
        about = [one for one in rules if self._is_about(one, seen.tool)]
        fired = {
            kind: [self._call(one, seen) for one in about if one.name.startswith(kind)]
            for kind in ("forbid_", "ask_", "permit_")
        }
        permitted = any(fired["permit_"]) if fired["permit_"] else self._space["DEFAULT"] == "allow"
        if any(fired["forbid_"]) or not permitted:
            return Verdict.DENY
        return Verdict.ASK if any(fired["ask_"]) else Verdict.ALLOW

    def function(self, name: str) -> Callable[..., object]:
        """A function of the text."""
        return cast("Callable[..., object]", self._space[name])

    def clauses(self, run: Sequence[RecordedCall], index: int, *, allowed: bool) -> Iterator[bool | None]:
        """The truth of each clause in the order of the file; None if not known, or about other calls."""
        seen = Seen(run, index)
        for one in self._functions:
            if not one.name.startswith("contract_"):
                continue
            found: list[Callable[[], object]] = []
            self._space["Ensures"] = found.append
            self._space["Result"] = lambda: allowed
            self._call(one, seen)
            for clause in found:
                yield self._truth(clause) if self._is_about(one, seen.tool) else None

    def _truth(self, clause: Callable[[], object]) -> bool | None:
        try:
            return bool(clause())
        except NotKnown:
            return None

    def _call(self, function: ast.FunctionDef, seen: Seen) -> object:
        return cast("Callable[..., object]", self._space[function.name])(seen.call, seen)

    @staticmethod
    def _is_about(function: ast.FunctionDef, tool: str) -> bool:
        annotation = function.args.args[0].annotation
        assert annotation is not None
        classes = ast.unparse(annotation).split(" | ")
        return "Call" in classes or any(TYPES.calls[name].tool == tool for name in classes)


class _Clauses(ast.NodeTransformer):
    """Makes clauses lazy, each by itself: what follows from a condition is read only where it holds."""

    @override
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "Implies":
            return ast.BoolOp(ast.Or(), [ast.UnaryOp(ast.Not(), node.args[0]), node.args[1]])
        if name == "Ensures":
            empty = ast.arguments([], [], None, [], [], None, [])
            return ast.Call(node.func, [ast.Lambda(empty, node.args[0])], [])
        if name == "looked_up":
            (record,) = node.args
            assert isinstance(record, ast.Call) and isinstance(record.func, ast.Attribute)
            asked = ast.Attribute(record.func.value, "is_looked_up", ast.Load())
            return ast.Call(asked, [ast.Constant(record.func.attr), *record.args], record.keywords)
        return node


def _imported(name: str, *_: object) -> ModuleType:
    if name in ("datetime", "decimal"):
        return builtins.__import__(name)
    made = ModuleType(name)
    if name == "agent":
        vars(made).update({one: type(one, (), {"tool": of.tool}) for one, of in TYPES.calls.items()})
        vars(made).update(Call=type("Call", (), {}), Run=Seen, looked_up=None)
    else:
        vars(made).update(Ensures=None, Implies=None, Result=None)
    return made


@dataclass(frozen=True, slots=True)
class _Value:
    """A call or a record: its fields, and those that are not determined."""

    fields: Mapping[str, Known]

    def __getattr__(self, name: str) -> object:
        held = shown(self.fields[name])
        parts = {
            one.partition(".")[2]: part for one, part in self.fields.items() if one.startswith(f"{name}.")
        }
        if parts and isinstance(held, str):
            read = _ReadText(held)
            read.parts = parts
            return read
        if parts and isinstance(held, datetime):
            return _Time.combine(held.date(), held.timetz())
        return held


class _ReadText(str):
    """A text with typed parts."""

    parts: Mapping[str, Known]

    def __getattr__(self, name: str) -> object:
        return shown(self.parts[name])


class _Time(datetime):
    """A point in time, whose weekday is no method."""

    @property
    def weekday(self) -> int:  # type: ignore[override] # as in a policy
        return self.isoweekday()


@dataclass(frozen=True, slots=True)
class _Decided:
    """The decided call, whose texts know where they came from."""

    fields: Mapping[str, Known]
    moment: Moment

    def __getattr__(self, name: str) -> object:
        if name == "tool":
            return shown(self.moment.tool)
        held = shown(self.fields[name])
        if not isinstance(held, str):
            return held
        text = _Text(held)
        text.found = lambda: shown(self.moment.source(SourceOf((name,)), Trace()))
        return text


class _Text(str):
    """A text of the decided call."""

    found: Callable[[], object]

    @property
    def source(self) -> object:
        return self.found()


@dataclass(frozen=True, slots=True)
class _Earlier(_Value):
    """An earlier call, which knows where in the run it was made."""

    at_: int


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a run: its calls are those of the run at some places."""

    run: Seen
    places: range

    def earlier(self, *classes: type) -> list[_Earlier]:
        return [call for call in self.run.earlier(*classes) if call.at_ in self.places]

    def since(self, marks: Iterable[_Earlier]) -> _Part:
        last = max((call.at_ for call in marks), default=-1)
        return _Part(self.run, range(max(self.places.start, last + 1), self.places.stop))

    def until(self, marks: Iterable[_Earlier]) -> _Part:
        first = min((call.at_ for call in marks), default=self.places.stop)
        return _Part(self.run, range(self.places.start, min(self.places.stop, first)))


@dataclass(slots=True)
class Seen:
    """What a policy calls ``run``."""

    calls: Sequence[RecordedCall]
    index: int
    moment: Moment = field(init=False)

    def __post_init__(self) -> None:
        last = self.calls[self.index]
        self.moment = Moment(reader(), last, Earlier(tuple(self.calls), self.index))

    @property
    def moment_of_calls(self) -> Moment:
        """The moment at which the earlier calls are read."""
        return self.moment

    @property
    def tool(self) -> str:
        return self.calls[self.index].tool or ""

    @property
    def call(self) -> object:
        """The decided call."""
        of = self.moment.of
        names = [name for name, _ in of.decided.fields] if of is not None else ["time"]
        call = shown(self.moment.decided(names))
        return _Decided(call.fields, self.moment) if isinstance(call, _Value) else call

    @property
    def context(self) -> object:
        seen = self

        class Context:
            def __getattr__(self, name: str) -> object:
                return shown(seen.moment.context(name))

        return Context()

    def earlier(self, *classes: type) -> list[_Earlier]:
        tools = [str(vars(one)["tool"]) for one in classes]
        found = cast("list[_Value]", shown(self.moment_of_calls.earlier(tools)))
        places = [at for at, call in enumerate(self.calls[: self.index]) if call.ran and call.tool in tools]
        return [_Earlier(call.fields, at) for call, at in zip(found, places, strict=True)]

    def since(self, marks: Iterable[_Earlier]) -> _Part:
        return self._whole.since(marks)

    def until(self, marks: Iterable[_Earlier]) -> _Part:
        return self._whole.until(marks)

    @staticmethod
    def last(marks: Iterable[_Earlier]) -> _Earlier | None:
        return max(marks, key=lambda call: call.at_, default=None)

    @property
    def _whole(self) -> _Part:
        return _Part(self, range(self.index))

    def is_looked_up(self, record: str, *keys: Known, as_of: _Earlier | None = None) -> object:
        return shown(self._moment_of(as_of).is_looked_up(record, keys, Trace()))

    def _moment_of(self, call: _Earlier | None) -> Moment:
        """The moment of this decision, or that of an earlier one."""
        return self.moment if call is None else Seen(self.calls, call.at_).moment

    def __getattr__(self, record: str) -> Callable[..., object]:
        if record not in TYPES.records:
            raise AttributeError(record)

        def at(*keys: Known, as_of: _Earlier | None = None) -> object:
            return shown(self._moment_of(as_of).record(record, keys, Trace()))

        return at


def _pairs(left: Sequence[object], right: Sequence[object]) -> Iterator[tuple[object, object]]:
    if len(left) != len(right):
        raise NotKnown
    return zip(left, right, strict=True)


def _of_something(extreme: Callable[..., object], *values: object, **default: object) -> object:
    """An extreme, which is not known of nothing."""
    try:
        return extreme(*values, **default)
    except ValueError:
        raise NotKnown from None


_EXTREMES = {"min": partial(_of_something, min), "max": partial(_of_something, max)}


def shown(value: Known) -> object:
    """A value as Python sees it; raises NotKnown for one that is not determined."""
    if isinstance(value, Undetermined):
        raise NotKnown
    if isinstance(value, RecordValue):
        lacking: Mapping[str, Known] = value.lacking if isinstance(value, IncompleteRecord) else {}
        return _Value({**dict(value.fields), **lacking})
    return [shown(one) for one in value] if isinstance(value, tuple) else value
