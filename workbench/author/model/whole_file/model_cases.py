"""The test cases of a model: short runs, each with the decision on its last call.

A case speaks of calls and of what their tools answered, as the logs do, and so of no policy. Each version of
a policy is decided on its own arguments of the case.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench.author.model.quotation_places import find_quote
from workbench.author.model.whole_file.blocks import NotUsable, block, blocks, line, read_json
from workbench.author.model.whole_file.design import Design
from workbench.dialect.lowered_policy import LoweredPolicy
from workbench.dialect.run_values import FIRST_SAID, LAST_SAID, SAID
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.model import (
    AgentSpec,
    Arguments,
    Case,
    Decision,
    Json,
    RecordedCall,
    Run,
    Span,
    Verdict,
)
from workbench.runs.expressions.moment import USER_TEXTS
from workbench.runs.extract.extractor import Extractor
from workbench.runs.extract.model_method import Reader
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier

_MOST = 60
_MOST_EARLIER = 40
_RUN = "case"
_SAID, _LAST_SAID, _FIRST_SAID = (USER_TEXTS[name] for name in (SAID, LAST_SAID, FIRST_SAID))
_ABOUT = {"expected", "requirement", "reason"}


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CallForm(_Form):
    """A call of a case; ``result`` is what its tool answered, as text or as the JSON of it."""

    tool: str
    arguments: dict[str, Json] = {}
    result: Json = None
    failed: bool = False
    time: str | None = None


class ModelCaseForm(_Form):
    """A case as a model writes it; ``said`` are the messages of the user before the call."""

    call: CallForm
    earlier: Annotated[tuple[CallForm, ...], Field(max_length=_MOST_EARLIER)] = ()
    context: dict[str, Json] = {}
    said: tuple[str, ...] = ()
    expected: Literal["allow", "ask", "deny"]
    requirement: str = ""
    reason: str = ""

    @property
    def run(self) -> Run:
        """The run whose last call is decided."""
        calls = (*self.earlier, self.call)
        return Run(_RUN, tuple(map(self._recorded, range(len(calls)), calls)), format="case")

    def _recorded(self, number: int, call: CallForm) -> RecordedCall:
        result = call.result
        said = "\n".join(self.said)
        heard = (said, self.said[-1], self.said[0]) if self.said else ()
        texts = dict(zip((_SAID, _LAST_SAID, _FIRST_SAID), heard, strict=False))
        texts |= {f"arguments.{name}": held for name, held in call.arguments.items() if isinstance(held, str)}
        return RecordedCall(
            _RUN,
            number,
            call.tool,
            call.arguments,
            texts={**texts, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
            context=self.context,
            result=result if isinstance(result, str | None) else json.dumps(result, ensure_ascii=False),
            time=call.time,
            failed=call.failed,
        )


def form_of_run(run: Run, expected: Verdict, requirement: str, reason: str) -> ModelCaseForm:
    """A run that was found as a case, with the decision that a person expects on its last call."""
    *earlier, last = (
        CallForm(
            tool=call.tool or "",
            arguments=dict(call.arguments or {}),
            result=call.result,
            failed=call.failed,
            time=call.time,
        )
        for call in run.calls
    )
    texts, said = run.calls[-1].texts, list[str]()
    if whole := texts.get(_SAID, ""):
        last_said = texts.get(_LAST_SAID, whole)
        said = [whole] if last_said == whole else [whole.removesuffix(last_said).strip(), last_said]
    return ModelCaseForm(
        call=last,
        earlier=tuple(earlier),
        context=dict(run.calls[-1].context),
        said=tuple(said),
        expected="allow" if expected is Verdict.ALLOW else "ask" if expected is Verdict.ASK else "deny",
        requirement=requirement,
        reason=reason,
    )


@dataclass(frozen=True, slots=True)
class RunCase:
    """A case that is a run; ``requirements`` are those that it is about."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    id: str
    form: ModelCaseForm
    requirements: tuple[str, ...] = ()
    reason: str = ""

    @property
    def expected(self) -> Verdict:
        """The expected decision on the last call."""
        return Verdict(self.form.expected)

    def shown(self) -> str:
        """The case as its writer wrote it, on one line."""
        data = self.form.model_dump(mode="json", exclude_defaults=True, exclude=_ABOUT)
        return json.dumps(data, ensure_ascii=False)


def read_cases(reply: str, design: Design) -> tuple[tuple[RunCase, ...], list[str]]:
    """The cases of a reply, and the faults of the other cases. Raises NotUsable."""
    data = read_json(block(reply, "json"), "The block ```json")
    if isinstance(data, dict) and isinstance(data.get("cases"), list):
        data = data["cases"]
    if not isinstance(data, list):
        raise NotUsable("The block ```json is no list of cases.")
    case_by_input: dict[str, RunCase] = {}
    wrong: list[str] = []
    ids = {requirement.id for requirement in design.requirements}
    tools = {tool.name for tool in design.spec.tools}
    for number, item in enumerate(data[:_MOST], 1):
        try:
            form = ModelCaseForm.model_validate(item)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            place = ".".join(map(str, first["loc"])) or "the top"
            wrong.append(f"Case {number} (“”): it does not have the asked form at {place}: {first['msg']}.")
            continue
        named = f"Case {number} (“{line(form.reason)[:80]}”)"
        strange = [call.tool for call in (*form.earlier, form.call) if tools and call.tool not in tools]
        if strange:
            wrong.append(f"{named}: the agent has no tool {strange[0][:60]!r}.")
            continue
        key = json.dumps(form.model_dump(mode="json", exclude=_ABOUT))
        if key in case_by_input and case_by_input[key].expected != form.expected:
            wrong.append(f"{named}: another case has the same run and expects something else.")
            continue
        about = (form.requirement,) if form.requirement in ids else ()
        name = f"model-{(form.requirement if about else 'r').lower()}-{number}"
        reason = f"{form.requirement}: {line(form.reason)[:300]}" if about else line(form.reason)[:300]
        case_by_input.setdefault(key, RunCase(name, form, about, reason))
    return tuple(case_by_input.values()), wrong


def alike(wrong: Sequence[str]) -> list[str]:
    """The faults of cases, in one sentence for all cases with the same fault."""
    named: dict[str, list[str]] = {}
    for text in wrong:
        case, _, reason = text.partition("): ")
        named.setdefault(reason or text, []).append(f"{case})" if reason else "")
    return [
        reason
        if not cases[0]
        else f"{cases[0]}{f' and {len(cases) - 1} more' if cases[1:] else ''}: {reason}"
        for reason, cases in named.items()
    ]


# --- a case under a policy --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DecidedCase:
    """A case with the arguments that a policy takes of it, and the decision as a replay makes it."""

    case: RunCase
    arguments: Arguments
    decision: Decision

    @property
    def undetermined(self) -> bool:
        """Whether the run leaves open what the decision rests on; such a call is not allowed."""
        return self.decision.verdict is Verdict.CANNOT_EVALUATE

    def as_case(self) -> Case:
        """The case over the policy's arguments."""
        case = self.case
        return Case(case.id, self.arguments, case.expected, case.reason, case.requirements, "model")


class CasesUnder:
    """Decides cases under one policy."""

    def __init__(self, lowered: LoweredPolicy, spec: AgentSpec, reader: Reader) -> None:
        """Take the policy and its agent; ``reader`` reads texts that the agent spec leaves to a model."""
        self.compiled: CompiledPolicy = compile_policy(lowered.terms)
        self.extractor = Extractor(lowered.terms.sources, spec, reader)

    def decided(self, case: RunCase) -> DecidedCase:
        """The decision on the last call of the case's run."""
        calls = case.form.run.calls
        extracted = self.extractor.extract(calls[-1], Earlier(calls, len(calls) - 1))
        known = {name: item.value for name, item in extracted.items() if item.missing is None}
        return DecidedCase(case, known, decision_on(self.compiled, extracted))

    def read_ahead(self, calls: Sequence[RecordedCall]) -> None:
        """Say what it costs that a model reads the texts of these calls, and let it read them."""
        if self.extractor.asks_model:
            self.extractor.announce(calls)
            self.extractor.ask_model(calls)

    def all_decided(self, cases: Sequence[RunCase]) -> list[DecidedCase]:
        """The decisions on cases; a model reads the texts of all of them ahead."""
        self.read_ahead([case.form.run.calls[-1] for case in cases])
        return [self.decided(case) for case in cases]

    def over_arguments(self, cases: Sequence[RunCase]) -> tuple[Case, ...]:
        """The cases over the policy's arguments, without those whose run does not determine the decision."""
        return tuple(one.as_case() for one in self.all_decided(cases) if not one.undetermined)


def read_rules_in_context(reply: str, design: Design, request: str) -> tuple[Span, ...]:
    """The places that were taken as context and that the contract's call reads as rules."""
    try:
        text = blocks(reply).get("json")
        data = read_json(text, "") if text else None
    except NotUsable:
        return ()
    quotes = data.get("rules") if isinstance(data, dict) else None
    spans: list[Span] = []
    for quote in quotes if isinstance(quotes, list) else ():
        place = find_quote(request, quote) if isinstance(quote, str) else None
        if place is not None:
            spans += [span for span in design.context if span.start < place.end and place.start < span.end]
    return tuple(dict.fromkeys(spans))
