"""Calls that a person tries: one a line, each decided by the policy; nothing is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, cast

from workbench.model import CallDecision, ImportProblem, Json, Kind, RecordedCall, Verdict, WorkbenchError
from workbench.runs.values.jsontext import BadJson, parse_json
from workbench.runs.world.earlier_calls import Earlier

if TYPE_CHECKING:
    from workbench.app.results import Logs, Replay
    from workbench.app.runs import CallExplanation, Runs
    from workbench.dialect.call_types import AgentTypes, CallType
    from workbench.engines.compiled.compile import CompiledPolicy
    from workbench.policy.terms import PolicyTerms
    from workbench.runs.extract.extractor import Extractor
    from workbench.runs.replay.filtering import Filters

MOST_LINES = 2_000
NOTE = "#"
"""The first character of a line that is no call."""
_GAVE = re.compile(r'\s->\s*(?=[\[{"])')
"""What stands before the result of a call: such a call ran, and the lines below come after it."""
_MOST_ARROWS = 20
RUN = "tried"
_OF_CALL = ("tool", "arguments", "result")
"""The texts that are parts of a call; all others stood before it."""
_TYPED_ALONE = ("command", "path", "url", "mail_address", "sql", "code")
"""The kinds of which a line may be the text, the likeliest first."""


@dataclass(frozen=True, slots=True)
class Before:
    """What stands before a tried call, in words: the calls of a run, and perhaps the lines above.

    What was said, the context, the time and the folder are those of the recorded call that it is ``like``.
    """

    like: RecordedCall | None = None
    calls: tuple[RecordedCall, ...] = ()
    lines_above: bool = False


def placed(logs: Logs, position: int | None, calls: int = 0, *, lines_above: bool = False) -> Before:
    """What stands before a call that is tried at a recorded one: as many ``calls`` of its run."""
    if position is None or position >= len(logs.calls):
        return Before(logs.calls[0] if logs.calls else None, lines_above=lines_above)
    first = position
    while first and logs.calls[first - 1].run == logs.calls[position].run:
        first -= 1
    earlier = logs.calls[first : first + calls]
    return Before(logs.calls[position], tuple(earlier), lines_above)


@dataclass(frozen=True, slots=True)
class TriedCall:
    """A line with its number (from 0), and the decision on its call as the last one of a run.

    ``problem`` says why the line is no call; it has no decision then.
    """

    line: int
    run: tuple[RecordedCall, ...] = ()
    decided: CallDecision | None = None
    problem: str = ""

    def shown(self) -> tuple[RecordedCall, CallDecision]:
        """The call and its decision, named by the number of the line."""
        assert self.decided is not None
        call = replace(self.run[-1], run=RUN, index=self.line + 1)
        return call, replace(self.decided, run=RUN, index=self.line + 1)


@dataclass(frozen=True, slots=True)
class _Written:
    """The call that a line says."""

    tool: str
    arguments: Mapping[str, Json]
    result: str | None = None


@dataclass
class LineDecider:
    """Decides the lines of a text by one policy; a line that was decided before is not decided again."""

    runs: Runs
    terms: PolicyTerms
    types: AgentTypes
    logs: Logs
    before: Before
    _known: dict[tuple[str, str], tuple[tuple[RecordedCall, ...], CallDecision]] = field(
        default_factory=dict[tuple[str, str], tuple[tuple[RecordedCall, ...], CallDecision]]
    )
    _deciding: tuple[Extractor, CompiledPolicy] | None = None

    def decide(self, text: str) -> tuple[TriedCall, ...]:
        """Every line that is not blank and no note, with the decision on it or why there is none."""
        lines = text.splitlines()
        if len(lines) > MOST_LINES:
            raise WorkbenchError(f"At most {MOST_LINES:,} lines are tried at once; these are {len(lines):,}.")
        found: list[TriedCall] = []
        above = self.before.calls
        for number, tool, written in self._said(lines):
            try:
                said = self._with_result(tool, written)
                call = self._recorded(said, above)
            except WorkbenchError as error:
                found.append(TriedCall(number, problem=str(error)))
                continue
            key = call.tool or "", json.dumps(call.arguments, sort_keys=True, ensure_ascii=False)
            is_first = above is self.before.calls
            known = self._known.get(key) if is_first and not self.before.lines_above else None
            run, decided = known or self._decided((*above, call))
            if is_first:
                self._known[key] = run, decided
            if said.result is not None:
                above = (*above, replace(call, result=said.result))
            elif self.before.lines_above:
                above = (*above, _ended(call, decided))
            found.append(TriedCall(number, run, decided))
        return tuple(found)

    def is_of(self, terms: PolicyTerms, logs: Logs, before: Before) -> bool:
        """Whether these decide."""
        return self.terms is terms and self.logs is logs and self.before == before

    def explain(self, tried: TriedCall) -> CallExplanation:
        """Why a line is decided as it is."""
        assert tried.decided is not None
        return self.runs.explain_call(self.terms, self.logs, tried.run, tried.decided)

    def _decided(self, run: tuple[RecordedCall, ...]) -> tuple[tuple[RecordedCall, ...], CallDecision]:
        from workbench.engines.compiled.compile import compile_policy
        from workbench.runs.replay.decide import decision_on

        if self._deciding is None:
            self._deciding = self.runs.extractor(self.terms.sources), compile_policy(self.terms)
        extractor, policy = self._deciding
        call = run[-1]
        read = extractor.extract(call, Earlier(run, len(run) - 1))
        return run, CallDecision(call.run, call.index, decision_on(policy, read), read)

    # --- from a line to a call

    def _said(self, lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
        """The number, the tool and the rest of every line that says a call."""
        present = self.first_tool
        for number, line in enumerate(lines):
            text = line.strip()
            if not text or text.startswith(NOTE):
                continue
            tool, rest = self._named(text)
            if tool and not rest:
                present = tool
            else:
                yield number, tool or present, rest

    def _named(self, text: str) -> tuple[str, str]:
        """The tool that a line names before a colon or an object, and the rest; else no tool."""
        name, mark, rest = text.partition(":")
        if mark and name.strip() in self._tools:
            return name.strip(), rest.strip()
        name, mark, rest = text.partition("{")
        if mark and name.strip() in self._tools:
            return name.strip(), f"{mark}{rest}"
        return "", text

    @property
    def _tools(self) -> Mapping[str, CallType]:
        return {one.tool: one for one in self.types.calls.values()}

    @property
    def first_tool(self) -> str:
        """The tool of a line before any tool is named: the one of the recorded call, or of commands."""
        tools, like = self._tools, self.before.like
        if like is not None and like.tool is not None and like.tool in tools:
            return like.tool
        alone = [_Alone.of(one) for one in tools.values()]
        typed = [(_TYPED_ALONE.index(one.kind), one.tool) for one in alone if one.kind]
        return min(typed, default=(0, next(iter(tools), "")))[1]

    def _with_result(self, tool: str, text: str) -> _Written:
        """The call of a line, with what it gave: JSON behind an arrow, an object, a list or a quoted text."""
        for arrow in islice(_GAVE.finditer(text), _MOST_ARROWS):
            result = text[arrow.end() :].strip()
            try:
                given = parse_json(result)
            except BadJson:
                continue
            written = self._read(tool, text[: arrow.start()].strip())
            return replace(written, result=given if isinstance(given, str) else result)
        return self._read(tool, text)

    def _read(self, tool: str, text: str) -> _Written:
        alone = _Alone.of(self._tools[tool]) if tool in self._tools else _Alone("", "", "")
        try:
            value = parse_json(text, unique_keys=True) if text.startswith("{") else text
        except BadJson as error:
            if not alone.key:
                raise WorkbenchError(f"The arguments are no JSON: {error}") from error
            value = text
        if isinstance(value, dict):
            given = cast("Mapping[str, Json]", value)
            named, inner = given.get("tool"), given.get("arguments")
            if isinstance(named, str) and isinstance(inner, dict):
                return _Written(named, cast("Mapping[str, Json]", inner))
            return _Written(tool, given)
        if not alone.key:
            keys = ", ".join(one.key for one in self._tools[tool].fields) if tool in self._tools else ""
            of = f" with {keys}" if keys else ""
            raise WorkbenchError(f"A call of {tool or 'no tool'} is no single text: write it as JSON{of}.")
        return _Written(tool, {alone.key: text})

    def _recorded(self, written: _Written, before: Sequence[RecordedCall]) -> RecordedCall:
        """The call as if it was recorded after others."""
        like = self.before.like or RecordedCall(RUN, 0, None, None)
        arguments, type_ = dict(written.arguments), self._tools.get(written.tool)
        folder = "" if type_ is None else type_.cwd_parameter
        if folder and folder not in arguments:
            known = (like.arguments or {}).get(folder) or like.context.get(folder)
            arguments |= {} if known is None else {folder: known}
        texts = {name: text for name, text in like.texts.items() if name.partition(".")[0] not in _OF_CALL}
        texts |= {"tool": written.tool, "arguments": json.dumps(arguments, ensure_ascii=False)}
        texts |= {f"arguments.{name}": value for name, value in arguments.items() if isinstance(value, str)}
        run = before[0].run if before else RUN
        return RecordedCall(run, len(before), written.tool, arguments, texts, like.context, time=like.time)


@dataclass(frozen=True, slots=True)
class _Alone:
    """The one argument of a tool's calls that a plain line is; empty keys if there is none."""

    tool: str
    key: str
    kind: str

    @staticmethod
    def of(type_: CallType) -> _Alone:
        own = [one for one in type_.fields if one.name != type_.cwd_parameter]
        for kind in _TYPED_ALONE:
            if (found := next((one for one in own if one.kind == kind), None)) is not None:
                return _Alone(type_.tool, found.key, kind)
        only = own if len(own) == 1 else [one for one in own if not one.type.optional]
        if len(only) == 1 and only[0].type.kind is Kind.STR:
            return _Alone(type_.tool, only[0].key, "")
        return _Alone(type_.tool, "", "")


def _ended(call: RecordedCall, decided: CallDecision) -> RecordedCall:
    """A tried call as later ones know it: one that is allowed ran and told nothing, another did not run."""
    return replace(call, ran=decided.decision.verdict is Verdict.ALLOW, result="")


def replayed(decider: LineDecider, text: str, filters: Filters) -> tuple[Replay, Logs]:
    """The decided lines of a text as a replay of a log with one run, and that log."""
    from workbench.app.results import Logs, Replay
    from workbench.runs.replay.filtering import filtered
    from workbench.runs.replay.summary import summarise

    tried = decider.decide(text)
    decided = [one.shown() for one in tried if one.decided is not None]
    calls = tuple(call for call, _ in decided)
    decisions = tuple(decision for _, decision in decided)
    problems = tuple(ImportProblem(RUN, one.line + 1, one.problem) for one in tried if one.problem)
    found = filtered(calls, decisions, filters)
    shown = tuple(decisions[position] for position in found.positions)
    replay = Replay(shown, summarise(decisions), found.emptied, decider.terms)
    return replay, Logs(calls=calls, problems=problems)


def as_line(call: RecordedCall) -> str:
    """A recorded call as a line that says it."""
    return f"{call.tool or ''} {json.dumps(dict(call.arguments or {}), ensure_ascii=False)}"
