"""What trying an argument of the sample session's agent gives."""

from __future__ import annotations

from dataclasses import replace

from workbench.model import AgentSpec, WorkbenchError
from workbench.old_screen.agent_state import AgentView, ArgumentEffect, SpecEdit
from workbench.old_screen.samples.sample import STEPS, sample_step
from workbench.old_screen.samples.sample_spec import COMMON, METHODS, PROPOSED, SPEC

VALUED = {"role": 40, "columns": 40, "rows": 38}
VIEW = AgentView(SPEC, METHODS, COMMON, VALUED, len(STEPS), PROPOSED)


def view_of(spec: AgentSpec) -> AgentView:
    """The sample's view with another spec."""
    names = {argument.name for argument in spec.arguments} | set(spec.not_proposed)
    return replace(VIEW, spec=spec, proposals=tuple(one for one in PROPOSED if one.name not in names))


def try_sample(edit: SpecEdit, at: int | None) -> ArgumentEffect:
    """As if only patterns that begin with ``limit`` were found; one that does not close is refused."""
    argument = edit.argument
    if argument is None or argument.extraction is None:
        return ArgumentEffect("")
    pattern = str(argument.extraction.options.get("pattern", ""))
    if pattern.count("(") != pattern.count(")"):
        place = f"argument {argument.name}, extraction {argument.extraction.method}"
        raise WorkbenchError(f"In {place}: the pattern {pattern!r} does not compile.")
    found = [extracted.get(edit.replaces) for _, extracted in map(sample_step, range(len(STEPS)))]
    valued = sum(item is not None and item.missing is None for item in found)
    lost = 0 if "limit" in pattern or argument.name != "rows" else valued
    return ArgumentEffect(
        argument.name,
        len(STEPS),
        len(STEPS),
        valued - lost,
        lost=lost,
        reasons={"the pattern does not match code": lost} if lost else {},
        step=STEPS[at] if at is not None else None,
        here=found[at] if at is not None else None,
    )
