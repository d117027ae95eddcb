"""The form for a demonstration: what the agent was asked and did, the plan, and the guardrail code."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from workbench.model import Demonstration
from workbench.old_screen.forms import Form, FormField, Misfit, Shape, Typed
from workbench.old_screen.spec_forms import unused

PLAN = (
    "what the request says about this",
    "what the agent did",
    "what follows from both",
    "how the guardrail code finds it out",
)
_FIELDS = (
    FormField("id", "Name", "short, and not used by another one"),
    FormField("enabled", "Enabled", "whether it may be retrieved", Shape.CHOICE, ("yes", "no")),
    FormField("input", "Agent input", "what the agent was asked", Shape.TEXT),
    FormField("output", "Agent output", "what the agent did", Shape.TEXT),
    *(
        FormField(f"plan.{number}", f"Plan {number}", hint, Shape.TEXT)
        for number, hint in enumerate(PLAN, start=1)
    ),
    FormField("code", "Guardrail code", "what a guard would run", Shape.TEXT),
)


def demonstration_form(known: Sequence[Demonstration], begun: Demonstration) -> Form[Demonstration]:
    """A demonstration, added or edited; ``known`` are those of the session."""
    old = any(one.id == begun.id for one in known)

    def read(typed: Typed) -> Demonstration:
        name = unused(typed, "id", {one.id for one in known} - {begun.id})
        for key, what in (("input", "what the agent was asked"), ("output", "what the agent did")):
            if not typed[key].strip():
                raise Misfit(key, f"Type {what}: by it the demonstration is found.")
        _check_code(typed["code"])
        plan = typed["plan.1"], typed["plan.2"], typed["plan.3"], typed["plan.4"]
        return Demonstration(
            name, typed["input"], typed["output"], plan, typed["code"], typed["enabled"] == "yes"
        )

    values = {
        "id": begun.id,
        "enabled": "yes" if begun.enabled else "no",
        "input": begun.agent_input,
        "output": begun.agent_output,
        **{f"plan.{number}": text for number, text in enumerate(begun.plan, start=1)},
        "code": begun.code,
    }
    title = f"Demonstration {begun.id}" if old else "Another demonstration"
    return Form(
        title, lambda _typed: _FIELDS, values, read, tried=True, begin="plan.1" if not old else "input"
    )


def _check_code(code: str) -> None:
    """Guardrail code must at least be Python; what it may do is checked where it would run."""
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        place = f" in line {line}" if line else ""
        raise Misfit("code", f"This is not Python{place}.") from error
