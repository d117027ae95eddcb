"""The form for a case: what is expected, why, and every argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.model import Case, Kind, Verdict, WorkbenchError
from workbench.old_screen.entering import HINT, entered, typed
from workbench.old_screen.forms import Form, FormField, Misfit, Shape, Typed

if TYPE_CHECKING:
    from workbench.policy.terms import Parameter

MISSING = "(missing)"
_ARGUMENT = "argument."


def case_form(name: str, case: Case, parameters: Sequence[Parameter]) -> Form[Case]:
    """A form that begins with a case; ``parameters`` are the policy's arguments."""
    fields = (
        FormField("expected", "Expected", "the decision", Shape.CHOICE, tuple(Verdict)),
        FormField("reason", "Why", "the reason that the case exists"),
        FormField("requirements", "Requirements", "what it tests, separated by commas"),
        *(_field(parameter) for parameter in parameters),
    )
    values = {
        "expected": case.expected.value,
        "reason": case.reason,
        "requirements": ", ".join(case.requirements),
        **{_ARGUMENT + one.name: _begun(one, case) for one in parameters},
    }

    def read(answers: Typed) -> Case:
        arguments = {}
        for parameter in parameters:
            key = _ARGUMENT + parameter.name
            text = "" if answers[key] == MISSING else answers[key]
            try:
                arguments[parameter.name] = entered(parameter.name, text, parameter.type)
            except WorkbenchError as error:
                raise Misfit(key, str(error)) from error
        requirements = tuple(part.strip() for part in answers["requirements"].split(",") if part.strip())
        return replace(
            case,
            arguments=arguments,
            expected=Verdict(answers["expected"]),
            reason=answers["reason"].strip() or "made by a person",
            requirements=requirements,
            origin="human",
        )

    return Form(name, lambda _typed: fields, values, read, begin="expected")


def _choices(parameter: Parameter) -> tuple[str, ...]:
    """The words of an argument that has few."""
    if parameter.type.kind is Kind.BOOL:
        words = ("yes", "no")
    elif parameter.type.kind is Kind.ENUM:
        words = parameter.type.values
    else:
        return ()
    return (*words, MISSING) if parameter.type.optional else words


def _field(parameter: Parameter) -> FormField:
    words = _choices(parameter)
    shape = Shape.CHOICE if words else Shape.TEXT if parameter.type.kind is Kind.SET else Shape.WORD
    known = ", ".join(parameter.type.values[:8])
    hint = "" if words else f"{HINT[parameter.type.kind]}{': ' + known + ', ...' if known else ''}"
    optional = " or nothing" if parameter.type.optional and not words else ""
    return FormField(_ARGUMENT + parameter.name, parameter.name, hint + optional, shape, words)


def _begun(parameter: Parameter, case: Case) -> str:
    text = typed(case.arguments.get(parameter.name))
    return text or (MISSING if parameter.type.optional and _choices(parameter) else "")
