"""Decisions and changes in one line, for a person and for the agent."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from workbench.engines.compiled.explain import reason
from workbench.model import Decision, Value, Verdict
from workbench.policy.literals import literal
from workbench.runs.replay.counterfactual import Change, Counterfactual, Reach, Turning
from workbench.runs.replay.origins import Origin

_SHOWN = 80


def one_line(text: str, most: int = 0) -> str:
    """The text with its white space as single spaces, cut to ``most`` characters unless that is 0."""
    found = " ".join(text.split())
    return found[: most - 3] + "..." if most and len(found) > most else found


def shown(value: Value) -> str:
    """A value as it would stand in a policy, on one line and cut to a length that can be read."""
    if isinstance(value, Decimal):
        text = format(value, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return one_line(literal(value), _SHOWN)


def change_text(change: Change) -> str:
    """One change in words: ``amount = 100 instead of 250``, ``columns without "a", "b"``."""
    if isinstance(change.old, frozenset) and isinstance(change.new, frozenset) and not change.supplied:
        return _set_change(change.name, change.old, change.new)
    if change.one_of:
        wanted = f"{change.name} = one of {change.one_of}"
        return wanted if change.supplied else f"{wanted} instead of {shown(change.old)}"
    if change.supplied:
        return f"{change.name} = {shown(change.new)}"
    if change.invented:
        return f"{change.name} other than {shown(change.old)}"
    return f"{change.name} = {shown(change.new)} instead of {shown(change.old)}"


def _set_change(name: str, old: frozenset[str], new: frozenset[str]) -> str:
    parts: list[str] = []
    if gone := sorted(old - new):
        parts.append(f"without {_listed(gone)}")
    if more := sorted(new - old):
        parts.append(f"with {_listed(more)}")
    return f"{name} {' and '.join(parts)}"


def _listed(words: list[str]) -> str:
    more = len(words) - 8
    text = ", ".join(shown(word) for word in words[:8])
    return f"{text} and {more} more" if more > 0 else text


def message_for_agent(
    decision: Decision, turning: Turning, origins: Sequence[Origin] = (), wanted: Sequence[str] = ()
) -> str:
    """One line with reason and remedy for the agent.

    Args:
        decision: what is explained.
        turning: the smallest change to the other decision.
        origins: of the arguments.
        wanted: the messages of the permit rules that would fire after the change.

    A remedy outside the call (another user, another role) is not told: an agent that was misled
    would only learn what to pretend.
    """
    why = one_line(reason(decision))
    if decision.verdict is Verdict.ALLOW:
        return why
    parts = (why, *(one_line(text) for text in wanted))
    said = " ".join(part if part.endswith(".") else part + "." for part in parts)
    return f"{said} {_remedy(decision, turning.found, origins)}"


def _remedy(decision: Decision, found: Counterfactual | None, origins: Sequence[Origin]) -> str:
    if decision.verdict is Verdict.CANNOT_EVALUATE:
        own = [one.name for one in origins if one.missing is not None and one.reach is not Reach.GIVEN]
        if own:
            return f"State {', '.join(own)} plainly in the call."
        return "Nothing in this call can mend that; do not repeat it."
    if found is None or any(change.reach is Reach.GIVEN for change in found.changes):
        return "Nothing that you can change in this call would make it allowed; do not repeat it."
    if any(change.reach is Reach.TOOL for change in found.changes):
        return "This call is not allowed with any arguments; use another tool or leave it."
    return f"It would be allowed with {' and '.join(change_text(one) for one in found.changes)}."
