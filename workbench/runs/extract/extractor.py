"""The extractor: the arguments of a policy from a call of a run, each by its expression."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.guard.look_alike_names import property_names, unclear_keys
from workbench.model import (
    TOOL_ARGUMENT,
    AgentSpec,
    Argument,
    Demonstration,
    Element,
    Extracted,
    Json,
    Kind,
    LookedUp,
    Provenance,
    RecordedCall,
    Value,
    WorkbenchError,
    span_of,
)
from workbench.runs.values.coerce import coerce
from workbench.runs.values.found_value import Missing, needs_package
from workbench.runs.values.zones import BadZone
from workbench.runs.world.earlier_calls import run_before
from workbench.runs.world.record_finder import RecordFinder
from workbench.runs.world.reports import NotUnderstood

if TYPE_CHECKING:
    from workbench.dialect.run_values import CheckedExpressions
    from workbench.runs.expressions.moment import AgentReader
    from workbench.runs.extract.expression import ExpressionOfArgument, ExpressionsOfAgent
    from workbench.runs.extract.model_method import Reader, WantedText
    from workbench.runs.extract.text_readings import PreparedReading
    from workbench.runs.world.database import FolderDatabase


class Extractor:
    """Extracts the arguments of a policy by their expressions."""

    def __init__(
        self,
        arguments: Sequence[Argument],
        spec: AgentSpec,
        reader: Reader | None = None,
        memory: Sequence[Demonstration] | None = None,
        database: FolderDatabase | None = None,
        expressions: CheckedExpressions | None = None,
    ) -> None:
        """Prepare all expressions; raises WorkbenchError for a wrong one, or a reading with a wrong option.

        ``reader`` asks a model for the readings whose method is ``model``; without it they are missing.
        ``memory`` holds the session's demonstrations, the examples of the readings with ``memory = true``;
        without it they are missing. ``database`` answers for records that do not appear in the run.
        ``expressions`` are those of the arguments, if they were checked before.
        """
        self.arguments = tuple(arguments)
        self._spec = spec
        self._finder = _finder(spec, database, self._not_understood)
        self._checked = expressions
        self._of_agent: ExpressionsOfAgent | None = None
        self._reader = reader
        self._memory = memory
        self._tool = next((one for one in arguments if _is_tool(one)), None)
        self._tools = {tool.name: tool for tool in spec.tools}
        self._names: dict[str, frozenset[str]] = {}
        self._unread = "the session does not say how to extract it"
        try:
            self._expressions = dict(self._prepared())
        except ModuleNotFoundError as error:
            self._expressions, self._unread = {}, needs_package(error.name or "")

    def _prepared(self) -> Iterator[tuple[str, ExpressionOfArgument]]:
        for argument in self.arguments:
            if argument.expression is not None:
                # Only policies of calls load what evaluates expressions.
                from workbench.runs.extract.expression import ExpressionOfArgument

                yield argument.name, ExpressionOfArgument(argument, argument.expression, self._agent())

    def extract(self, call: RecordedCall, history: Sequence[RecordedCall] = ()) -> Mapping[str, Extracted]:
        """Every argument of one call, in order; ``history`` holds the earlier calls of its run.

        An expression over the calls of other tools plays no part in this call and is left out. An argument
        that cannot be determined has ``missing`` set to the reason; none of them can if the tool could read a
        key of the call otherwise, or if the log does not name the tool, which may be one that the agent does
        not have. An optional argument that the call certainly does not have is None.
        """
        read = self.reading(call, history)
        items = ((argument.name, read(argument)) for argument in self.arguments)
        extracted = {name: item for name, item in items if item is not None}
        is_refused = call.arguments is None and "arguments" in call.texts
        return _not_determinable(extracted) if is_refused else extracted

    def reading(
        self, call: RecordedCall, history: Sequence[RecordedCall]
    ) -> Callable[[Argument], Extracted | None]:
        """What reads one argument of a call, as ``extract`` has it; None for one that plays no part."""
        why = unclear_keys(call.arguments or {}, self._names_of(call.tool or ""))
        if call.tool is None and self._tool is not None and self._tool.type.kind is Kind.ENUM:
            why = "the log does not say which tool the call is of"
        if not why:
            self.ask_model([call])
        run = run_before(history)

        def read(argument: Argument) -> Extracted | None:
            prepared = self._expressions.get(argument.name)
            if why:
                return Extracted(missing=why, needed=True)
            if argument is self._tool:
                return _tool_of(call, argument)
            if prepared is None:
                return Extracted(missing=self._unread)
            return None if prepared.left_out(call.tool) else prepared.extract(call, run)

        return read

    def _names_of(self, tool: str) -> frozenset[str]:
        """The names of all properties of the calls of a tool."""
        if tool not in self._names:
            known = self._tools.get(tool)
            self._names[tool] = frozenset() if known is None else property_names(dict(known.parameters))
        return self._names[tool]

    def elements(
        self, name: str, call: RecordedCall, history: Sequence[RecordedCall], truth: bool
    ) -> Collection[Element]:
        """The elements of lists because of which an argument, a condition, is true or false at a call."""
        prepared = self._expressions.get(name)
        return () if prepared is None else prepared.elements(call, history, truth)

    def _agent(self) -> ExpressionsOfAgent:
        """The expressions of all arguments and their evaluator, which only policies of calls have."""
        if self._of_agent is None:
            from workbench.runs.expressions.evaluator import Evaluator
            from workbench.runs.expressions.moment import AgentReader
            from workbench.runs.extract.expression import ExpressionsOfAgent

            checked = self._checked or _checked(self.arguments, self._spec)
            reader = AgentReader(self._spec, checked.calls, self._finder, self._readings())
            self._of_agent = ExpressionsOfAgent(checked, Evaluator(reader))
        return self._of_agent

    def _readings(self) -> Mapping[str, PreparedReading]:
        if not self._spec.readings:
            return {}
        from workbench.runs.extract.text_readings import prepared_readings

        return prepared_readings(self._spec, self._reader, self._memory, self._finder.values)

    @property
    def agent_reader(self) -> AgentReader:
        """What reads the calls and records of the agent."""
        return self._agent().evaluator.reader

    def _not_understood(self, tool: str, arguments: Mapping[str, Json]) -> str:
        return self._agent().evaluator.reader.not_understood(tool, arguments)

    @property
    def asks_model(self) -> bool:
        """Whether a model reads one of the arguments."""
        return self._reader is not None and any(one.asks_model for one in self._expressions.values())

    def announce(self, calls: Iterable[RecordedCall]) -> None:
        """Report to the watcher of the model what reading these calls would cost."""
        if self._reader is not None:
            self._reader.announce(self._wanted_texts(calls))

    def ask_model(self, calls: Iterable[RecordedCall]) -> None:
        """Let the model read the texts of these calls, several at the same time."""
        if self._reader is not None and self.asks_model:
            self._reader.ask(self._wanted_texts(calls))

    def _wanted_texts(self, calls: Iterable[RecordedCall]) -> list[WantedText]:
        asking = [prepared for prepared in self._expressions.values() if prepared.asks_model]
        return [wanted for call in calls for prepared in asking for wanted in prepared.wanted_texts(call)]

    def wanted(self, call: RecordedCall, history: Sequence[RecordedCall] = ()) -> tuple[LookedUp, ...]:
        """The look-ups that would give unknown records of the call."""
        look_up_by_text: dict[str, LookedUp] = {}
        for prepared in self._expressions.values():
            for looked_up in prepared.wanted(call, history):
                look_up_by_text.setdefault(str(looked_up), looked_up)
        return tuple(look_up_by_text.values())


def _checked(arguments: Sequence[Argument], spec: AgentSpec) -> CheckedExpressions:
    # An exported file has no checker.
    from workbench.dialect.argument_expressions import checked_expressions

    return checked_expressions(arguments, spec)


def _is_tool(argument: Argument) -> bool:
    return argument.name == TOOL_ARGUMENT and argument.expression is None


def _tool_of(call: RecordedCall, argument: Argument) -> Extracted:
    """The tool of a call; needed if it is none that the agent has."""
    if call.tool is None:
        return Extracted(missing="the log does not say the tool of the call")
    try:
        tool = coerce(call.tool, argument.type)
    except Missing as missing:
        return Extracted(missing=str(missing), needed=True)
    text = call.texts.get("tool")
    if text is None:
        return Extracted(tool, (Provenance("expression"),))
    return _whole_tool(tool, text)


@lru_cache(maxsize=1_024)
def _whole_tool(tool: Value, text: str) -> Extracted:
    """The tool of all calls that name it so."""
    return Extracted(tool, (Provenance("expression", "tool", (span_of(text, 0, len(text)),)),))


def _not_determinable(extracted: Mapping[str, Extracted]) -> Mapping[str, Extracted]:
    """The values of a call whose arguments are a text and no object: a guard refuses it, whatever is read.

    Where a log does not have the arguments of a call at all, a decision hangs on them only if it reads them.
    """
    if any(item.missing is not None for item in extracted.values()):
        return {
            name: item if item.missing is None else replace(item, needed=True)
            for name, item in extracted.items()
        }
    return {
        name: Extracted(missing="the arguments of the call are unknown", needed=True) for name in extracted
    }


def _finder(spec: AgentSpec, database: FolderDatabase | None, not_understood: NotUnderstood) -> RecordFinder:
    try:
        return RecordFinder(spec.records, spec.zone, database, spec.schema, spec.errors, not_understood)
    except BadZone as error:
        raise WorkbenchError(f"In the agent spec: {error}.") from None
    except ModuleNotFoundError as error:
        raise WorkbenchError(f"In the patterns of a record: {needs_package(error.name or '')}.") from None
