"""Demonstrations as cases: the policy has to decide the action of a demonstration as its code does.

In this way demonstrations shape the draft of an author that asks no model: cases test the draft.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from workbench.app.results import complete
from workbench.clean_text import clean
from workbench.model import ACT, Case, Demonstration, Json, RecordedCall, Verdict

if TYPE_CHECKING:
    from workbench.app.guard_texts import GuardTexts
    from workbench.guardagent.toolbox import Toolbox
    from workbench.policy.terms import PolicyTerms
    from workbench.runs.extract.extractor import Extractor

ORIGIN = "demonstration"
_DECISIONS: Mapping[object, Verdict] = {0: Verdict.ALLOW, 1: Verdict.DENY}


@dataclass(frozen=True, slots=True)
class DemonstratedCase:
    """A demonstration with its case and what the policy decides of it, or why there is none."""

    demonstration: str
    case: Case | None
    decided: Verdict | None = None
    why: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the policy decides as the demonstration does; True if there is no case."""
        return self.case is None or self.decided is self.case.expected


def demonstrated_cases(
    demonstrations: Iterable[Demonstration], terms: PolicyTerms, extractor: Extractor, toolbox: Toolbox
) -> tuple[DemonstratedCase, ...]:
    """The enabled demonstrations as cases; their guardrail code runs in the sandbox."""
    from workbench.engines.compiled.compile import compile_policy

    policy = compile_policy(terms)
    demonstrated: list[DemonstratedCase] = []
    for demonstration in demonstrations:
        if not demonstration.enabled:
            continue
        case_or_reason = _case(
            demonstration, [argument.name for argument in terms.arguments], extractor, toolbox
        )
        if isinstance(case_or_reason, str):
            demonstrated.append(DemonstratedCase(demonstration.id, None, why=case_or_reason))
        else:
            demonstrated.append(
                DemonstratedCase(
                    demonstration.id, case_or_reason, policy.decide(case_or_reason.arguments).verdict
                )
            )
    return tuple(demonstrated)


def with_demonstrated(cases: Sequence[Case], demonstrated: Iterable[DemonstratedCase]) -> tuple[Case, ...]:
    """The cases, with those of demonstrations replaced by the given ones."""
    other_cases = [case for case in cases if case.origin != ORIGIN]
    return (
        *other_cases,
        *(demonstrated_case.case for demonstrated_case in demonstrated if demonstrated_case.case is not None),
    )


def toolbox_of(texts: GuardTexts) -> Toolbox:
    """The functions that guardrail code may call: those of the paper, and the session's own.

    Raises WorkbenchError for a file of functions that is not there or outside the subset.
    """
    from workbench.guardagent.toolbox import Toolbox

    toolbox = Toolbox.standard()
    for name, text in texts.own_functions:
        toolbox = toolbox.with_written(text, name)
    return toolbox


def _case(
    demonstration: Demonstration, names: Sequence[str], extractor: Extractor, toolbox: Toolbox
) -> Case | str:
    """The case of a demonstration, or the reason why it has none."""
    from workbench.guardagent.sandbox import execute

    call = _call(demonstration)
    extracted = extractor.extract(call, ())
    extracted_by_name = {name: extracted[name] for name in names if name in extracted}
    arguments = complete(extracted_by_name)
    if arguments is None or not extracted_by_name:
        missing = [
            f"{name}: {item.missing}" for name, item in extracted_by_name.items() if item.missing is not None
        ]
        return missing[0] if missing else "the session does not say how to read all arguments"
    inputs: dict[str, Json] = {name: call.texts[name] for name in ("agent_input", "agent_output")}
    execution = execute(demonstration.code, inputs, toolbox)
    label = execution.values.get("label")
    if execution.error or isinstance(label, bool) or label not in _DECISIONS:
        return f"its code gives no decision: {execution.error or f'label is {label!r}'[:80]}"
    reason = f"The demonstration {demonstration.id}: {' '.join(demonstration.plan[2].split())}"
    return Case(f"demonstration-{demonstration.id}", arguments, _DECISIONS[label], reason, origin=ORIGIN)


def _call(demonstration: Demonstration) -> RecordedCall:
    """The action of a demonstration as a recorded call, with a tool if its output is a tool call in JSON."""
    from workbench.runs.logs.importer import key_values

    texts = {
        "agent_input": clean(demonstration.agent_input),
        "agent_output": clean(demonstration.agent_output),
    }
    context = key_values(texts["agent_input"])
    match _parsed(texts["agent_output"]):
        case {"tool": str(tool), "arguments": dict(arguments)}:
            return RecordedCall(
                demonstration.id, 0, tool, arguments, {**texts, "arguments": json.dumps(arguments)}, context
            )
        case _:
            return RecordedCall(
                demonstration.id, 0, ACT, {"output": demonstration.agent_output}, texts, context
            )


def _parsed(text: str) -> Json:
    try:
        return cast("Json", json.loads(text))
    except ValueError:
        return None
