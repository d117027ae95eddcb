"""The test cases of a model, in the types of the arguments, and the rules its contract finds in context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from workbench.author.model.expression_check import line
from workbench.author.model.quotation_places import find_quote
from workbench.author.model.whole_file.blocks import NotUsable, block, blocks, read_json
from workbench.author.model.whole_file.design import Design
from workbench.model import Case, Json, Span, Value, Verdict
from workbench.runs.extract.extractor import Extractor
from workbench.runs.values.coerce import coerce_whole
from workbench.runs.values.found_value import Missing

_MOST = 60


class ModelCaseForm(BaseModel):
    """A case as a model writes it."""

    model_config = ConfigDict(extra="ignore")

    arguments: dict[str, Json]
    expected: Literal["allow", "deny"]
    requirement: str = ""
    reason: str = ""


_CASES = TypeAdapter(list[ModelCaseForm])


def read_cases(reply: str, design: Design) -> tuple[tuple[Case, ...], list[str]]:
    """The cases whose values fit their types, and the faults of the other cases. Raises NotUsable.

    A case need not give an argument that the called tool does not have: the agent file gives its value.
    """
    data = read_json(block(reply, "json"), "The block ```json")
    if isinstance(data, dict) and isinstance(data.get("cases"), list):
        data = data["cases"]
    try:
        forms = _CASES.validate_python(data)[:_MOST]
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the top"
        raise NotUsable(f"The block ```json is no list of cases, at {place}: {first['msg']}.") from None
    case_by_input: dict[str, Case] = {}
    wrong: list[str] = []
    ids = {requirement.id for requirement in design.requirements}
    extractor = Extractor(design.spec.arguments, design.spec)
    for number, form in enumerate(forms, 1):
        try:
            stated_values = _values(form.arguments, design)
        except NotUsable as error:
            wrong.append(f"Case {number} (“{line(form.reason)[:80]}”): {error}")
            continue
        tool = _tool(stated_values, design)
        values = {**(extractor.elsewhere(tool) if tool else {}), **stated_values}
        expected = Verdict(form.expected)
        key = repr(sorted(values.items(), key=lambda item: item[0]))
        if key in case_by_input and case_by_input[key].expected is not expected:
            wrong.append(f"Case {number} has the arguments of another case and expects something else.")
            continue
        about = (form.requirement,) if form.requirement in ids else ()
        name = f"model-{(form.requirement if about else 'r').lower()}-{number}"
        reason = f"{form.requirement}: {line(form.reason)[:300]}" if about else line(form.reason)[:300]
        case_by_input.setdefault(key, Case(name, values, expected, reason, about, "model"))
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


def _values(raw_values: Mapping[str, Json], design: Design) -> dict[str, Value]:
    types = {argument.name: argument.type for argument in design.spec.arguments}
    values: dict[str, Value] = {}
    for name, value in raw_values.items():
        if name not in types:
            raise NotUsable(f"there is no argument {name[:60]!r}.")
        try:
            values[name] = coerce_whole(value, types[name])
        except Missing as missing:
            raise NotUsable(f"{name} does not fit: {missing}.") from None
    return values


def _tool(values: Mapping[str, Value], design: Design) -> str:
    """The tool that a case calls; empty if the case does not give it."""
    for argument in design.spec.arguments:
        at = argument.extraction
        if at is not None and at.method == "jsonpath" and at.options.get("path") == "$.tool":
            return str(values.get(argument.name, ""))
    return ""


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
