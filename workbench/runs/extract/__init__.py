"""Extraction of the typed arguments of a policy from a step of a run, each with its place in the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from workbench.likeness import did_you_mean
from workbench.model import (
    AgentSpec,
    Argument,
    Demonstration,
    Extracted,
    Extraction,
    Json,
    LookedUp,
    Provenance,
    Step,
    Value,
    WorkbenchError,
)
from workbench.runs.extract.fitting import Fitting
from workbench.runs.extract.jsonpath import parse_path
from workbench.runs.extract.methods import FINDING, METHODS, TAUGHT
from workbench.runs.extract.model_method import ModelMethod, Reader, WantedValue
from workbench.runs.extract.options import Options
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing
from workbench.runs.values.json_paths import Pattern
from workbench.runs.values.step_paths import matches
from workbench.runs.values.zones import BadZone
from workbench.runs.world.record_arguments import BadHop
from workbench.runs.world.record_of_step import Database, RecordFinder

__all__ = ["FINDING", "METHODS", "MODEL", "TAUGHT", "Extractor", "Reader"]

# The one method that needs somebody to ask.
MODEL = "model"
_NAMES = (*METHODS, *TAUGHT, *FINDING, MODEL)


class Extractor:
    """Extracts the arguments of a policy as their extraction sources say."""

    def __init__(
        self,
        arguments: Sequence[Argument],
        spec: AgentSpec,
        reader: Reader | None = None,
        memory: Sequence[Demonstration] | None = None,
        database: Database | None = None,
    ) -> None:
        """Prepare all methods; raises WorkbenchError for an unknown method or a wrong option.

        ``reader`` asks a model for the arguments whose method is ``model``; without it they are missing.
        ``memory`` holds the session's demonstrations, which teach the arguments that say ``memory = true``;
        without it they are missing. ``database`` answers for records that a run tells nothing about.
        """
        finder = _finder(arguments, spec, database)
        self._finder = finder
        self._reader = reader
        self._arguments = tuple(_Prepared(argument, spec, reader, memory, finder) for argument in arguments)

    def extract(self, step: Step, history: Sequence[Step] = ()) -> Mapping[str, Extracted]:
        """Every argument of one step, in order; ``history`` holds the earlier steps of its run.

        What cannot be determined has ``missing`` set to the reason. An optional argument that the
        step certainly does not have is None.
        """
        self.ask_model([step])
        return {prepared.name: prepared.extract(step, history) for prepared in self._arguments}

    def elsewhere(self, tool: str) -> dict[str, Value]:
        """The values of the arguments that no call of a tool has: None, or what their extraction says."""
        step = Step("", 0, tool, {})
        extracted_by_name = {
            argument.name: argument.extract(step, ())
            for argument in self._arguments
            if argument.never_of(tool)
        }
        return {
            name: extracted.value
            for name, extracted in extracted_by_name.items()
            if extracted.missing is None
        }

    @property
    def asks_model(self) -> bool:
        """Whether a model reads one of the arguments."""
        return self._reader is not None and any(prepared.asks_model for prepared in self._arguments)

    def announce(self, steps: Iterable[Step]) -> None:
        """Tell the watcher of the model what reading these steps would cost."""
        if self._reader is not None:
            self._reader.announce(self._wanted_values(steps))

    def ask_model(self, steps: Iterable[Step]) -> None:
        """Let the model read what it is asked about these steps, several texts at the same time."""
        if self._reader is not None and self.asks_model:
            self._reader.ask(self._wanted_values(steps))

    def _wanted_values(self, steps: Iterable[Step]) -> list[WantedValue]:
        asking = [prepared for prepared in self._arguments if prepared.asks_model]
        wanted_values = (prepared.wanted_value(step) for step in steps for prepared in asking)
        return [wanted_value for wanted_value in wanted_values if wanted_value is not None]

    def wanted(self, step: Step, history: Sequence[Step] = ()) -> tuple[LookedUp, ...]:
        """The look-ups that would tell about unknown records of the step."""
        look_up_by_text = {str(looked_up): looked_up for looked_up in self._finder.wanted(step, history)}
        for prepared in self._arguments:
            for looked_up in prepared.wanted(step, history):
                look_up_by_text.setdefault(str(looked_up), looked_up)
        return tuple(look_up_by_text.values())


def _finder(arguments: Sequence[Argument], spec: AgentSpec, database: Database | None) -> RecordFinder:
    """What finds records; all record arguments of the agent count, since a hop may begin at another one."""
    own = {argument.name for argument in arguments}
    every = (*arguments, *(argument for argument in spec.arguments if argument.name not in own))
    try:
        return RecordFinder(every, spec.records, spec.zone, database)
    except BadHop as error:
        raise WorkbenchError(f"In the argument {error.argument}: {error}") from None
    except BadZone as error:
        raise WorkbenchError(f"In the agent spec: {error}.") from None
    except ModuleNotFoundError as error:
        raise WorkbenchError(f"In the patterns of a record: {_needs(error.name or '')}.") from None


class _Prepared:
    """One argument with its method, ready to be applied to many steps."""

    def __init__(
        self,
        argument: Argument,
        spec: AgentSpec,
        reader: Reader | None,
        memory: Sequence[Demonstration] | None,
        finder: RecordFinder,
    ) -> None:
        self.name = argument.name
        self._joins = finder.joins(argument.type)
        extraction = argument.extraction
        self._method_name = extraction.method if extraction else ""
        self._method: Method | None = None
        self._tools: frozenset[str] = frozenset()
        self._owners: frozenset[str] = frozenset()
        self._when: tuple[tuple[Pattern, Json], ...] = ()
        self._minimum = 0.0
        self._elsewhere: tuple[Json] | None = None
        if extraction is None:
            return
        if extraction.method not in _NAMES:
            hint = did_you_mean(extraction.method, _NAMES) or f"known are {', '.join(sorted(_NAMES))}"
            raise WorkbenchError(
                f"The argument {argument.name} has the unknown extraction {extraction.method!r}: {hint}"
            )
        options = Options(argument.name, extraction.method, extraction.options)
        self._tools = frozenset(options.texts("tools"))
        self._owners = self._tools or _with_a_path(extraction)
        self._when = _conditions(options)
        self._minimum = options.number("confidence")
        if options.has("elsewhere"):
            self._elsewhere = (options.value("elsewhere"),)
            if not self._when:
                self._tools = self._owners
            if not self._tools and not self._when:
                raise options.error(
                    "elsewhere needs tools, when or paths by tool, which say where it does not apply"
                )
        self._fitting = Fitting(argument.type, spec, options, finder.values)
        try:
            if extraction.method == MODEL:
                self._method = ModelMethod(argument, spec, options, reader)
            elif extraction.method in TAUGHT:
                self._method = TAUGHT[extraction.method](argument, spec, options, memory)
            elif extraction.method in FINDING:
                self._method = FINDING[extraction.method](argument, spec, options, finder)
            else:
                self._method = METHODS[extraction.method](argument, spec, options)
        except ModuleNotFoundError as error:
            self._method = _without(error.name or "")
            return
        options.done()

    def extract(self, step: Step, history: Sequence[Step]) -> Extracted:
        if self._method is None:
            return Extracted(missing="the session does not say how to extract it")
        try:
            found_value = self._find(self._method, step, history)
            return self._fitted(found_value)
        except Absent as absent:
            if self._fitting.type.optional:
                return Extracted(None, (Provenance(self._method_name),))
            return Extracted(missing=str(absent))
        except Missing as missing:
            return Extracted(missing=str(missing))
        except ModuleNotFoundError as error:
            return Extracted(missing=_needs(error.name or ""))
        except Exception as error:
            # A log is hostile: whatever a parser of it trips over must neither stop the replay nor allow.
            return Extracted(missing=f"{self._method_name} failed on this step ({type(error).__name__})")

    def never_of(self, tool: str) -> bool:
        """Whether the extraction says of a tool that its calls do not have the argument."""
        return bool(self._owners) and tool not in self._owners

    @property
    def asks_model(self) -> bool:
        """Whether a model reads it."""
        return isinstance(self._method, ModelMethod)

    def wanted_value(self, step: Step) -> WantedValue | None:
        """What a model is asked about a step; None where it is not asked."""
        if not isinstance(self._method, ModelMethod):
            return None
        try:
            return self._method.wanted(step) if self._outside(step) is None else None
        except Exception:  # what keeps the step from being read, extracting it tells
            return None

    def wanted(self, step: Step, history: Sequence[Step]) -> tuple[LookedUp, ...]:
        """The look-ups that would tell of what the elements of a list name."""
        if self._method is None or not self._joins:
            return ()
        try:
            found_value = self._find(self._method, step, history)
        except Missing:
            return ()
        return (*((found_value.look_up,) if found_value.look_up is not None else ()), *found_value.more)

    def _find(self, method: Method, step: Step, history: Sequence[Step]) -> FoundValue:
        outside = self._outside(step)
        return method(step, history) if outside is None else outside

    def _outside(self, step: Step) -> FoundValue | None:
        """The value of a call that does not have the argument, None for others; raises Absent without one."""
        if self._tools and step.tool is not None and step.tool not in self._tools:
            why = f"it is not an argument of {step.tool}"
        elif not all(_says(step, path, wanted) for path, wanted in self._when):
            why = "it is not an argument of this call"
        else:
            return None
        if self._elsewhere is None:
            raise Absent(why)
        return FoundValue(self._elsewhere[0], (Provenance("elsewhere"),))

    def _fitted(self, found_value: FoundValue) -> Extracted:
        if self._minimum:
            self._check_confidence(found_value)
        value = self._fitting.value(found_value)
        items = self._fitting.items(found_value)
        return Extracted(value, found_value.provenance, None, items, found_value.look_up, found_value.state)

    def _check_confidence(self, found_value: FoundValue) -> None:
        confidence = min((entry.confidence for entry in found_value.provenance), default=1.0)
        if confidence < self._minimum:
            raise Missing(f"it is not sure enough ({confidence:.2f} of {self._minimum:.2f} needed)")


def _with_a_path(extraction: Extraction) -> frozenset[str]:
    """The tools whose calls have the argument because a path is given for each; empty for one path of all.

    The paths of a history are those of earlier calls.
    """
    paths = extraction.options.get("path")
    return frozenset(paths) if extraction.method == "jsonpath" and isinstance(paths, Mapping) else frozenset()


def _conditions(options: Options) -> tuple[tuple[Pattern, Json], ...]:
    """The values that a call needs at some paths, for it to have the argument."""
    when = options.value("when")
    if when is None:
        return ()
    if not isinstance(when, dict) or not when:
        raise options.error("when must be a table of paths with the value at each")
    return tuple((parse_path(path, options), value) for path, value in when.items())


def _says(step: Step, path: Pattern, wanted: Json) -> bool:
    """Whether the one value at the path is the wanted one. Raises Missing where there are several."""
    try:
        placed_values = matches(step, path)
    except Absent:
        return False
    if len(placed_values) != 1:
        raise Missing(f"the call has {len(placed_values)} values where one decides")
    value = placed_values[0][0]
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def _without(package: str) -> Method:
    """A method that needs a package which is not installed: it gives no value."""

    def extract(_step: Step, _history: Sequence[Step]) -> FoundValue:
        raise Missing(_needs(package))

    return extract


def _needs(package: str) -> str:
    return f"reading it needs the package {package.partition('.')[0]}, which is not installed here"
