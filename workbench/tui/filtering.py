"""Which replayed steps a filter shows."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.model import Step, StepDecision, Verdict
from workbench.tui.shown import value_text
from workbench.tui.state import Replayed

KINDS = {
    "allow": Verdict.ALLOW,
    "deny": Verdict.DENY,
    "cannot": Verdict.CANNOT_EVALUATE,
    "cannot-evaluate": Verdict.CANNOT_EVALUATE,
}


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter: a verdict, flipped steps only, rules, and words; all must hold.

    Written ``is:deny``, ``is:flipped``, ``rule:NAME``, ``rules:A,B`` (exactly these), ``tool:NAME``,
    ``trace:NAME`` and plain words, separated by spaces.
    A word is looked for in the trace, the tool, the rules, the items, the arguments and
    the texts of the log, without regard to case.
    """

    verdict: Verdict | None = None
    flipped: bool = False
    rules: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    exactly: frozenset[str] | None = None

    @classmethod
    def parse(cls, text: str) -> Filter:
        """Read a filter; what is no known prefix is a word."""
        verdict: Verdict | None = None
        flipped = False
        exactly: frozenset[str] | None = None
        named: dict[str, list[str]] = {"rule": [], "tool": [], "trace": []}
        words: list[str] = []
        for part in text.split():
            prefix, _, rest = part.partition(":")
            if prefix == "is" and rest == "flipped":
                flipped = True
            elif prefix == "is" and rest in KINDS:
                verdict = KINDS[rest]
            elif prefix == "rules":
                exactly = frozenset(name for name in rest.casefold().split(",") if name)
            elif prefix in named and rest:
                named[prefix].append(rest.casefold())
            else:
                words.append(part.casefold())
        rules, tools, traces = (tuple(named[name]) for name in ("rule", "tool", "trace"))
        return cls(verdict, flipped, rules, tuple(words), tools, traces, exactly)

    def rows(self, replayed: Replayed, cancelled: threading.Event) -> Sequence[int]:
        """The indices of the steps that the filter shows, in order; fewer once cancelled."""
        if self == Filter():
            return range(len(replayed.decisions))
        patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in self.words]
        shown: list[int] = []
        for index, decided in enumerate(replayed.decisions):
            if index % 512 == 0 and cancelled.is_set():
                break
            if self._holds(replayed, index, decided, patterns):
                shown.append(index)
        return shown

    def _holds(
        self, replayed: Replayed, index: int, decided: StepDecision, patterns: Sequence[re.Pattern[str]]
    ) -> bool:
        decision = decided.decision
        if self.verdict is not None and decision.verdict is not self.verdict:
            return False
        if self.flipped and not replayed.flipped(index):
            return False
        names = [violation.rule.casefold() for violation in decision.violations]
        if not all(any(rule in name for name in names) for rule in self.rules):
            return False
        if self.exactly is not None and self.exactly != frozenset(names):
            return False
        step = replayed.steps[index]
        if not all(tool in (step.tool or "").casefold() for tool in self.tools):
            return False
        if not all(trace in step.trace.casefold() for trace in self.traces):
            return False
        return all(_mentions(pattern, replayed.steps[index], decided) for pattern in patterns)


def _mentions(pattern: re.Pattern[str], step: Step, decided: StepDecision) -> bool:
    decision = decided.decision
    if pattern.search(step.trace) or pattern.search(step.tool or ""):
        return True
    for violation in decision.violations:
        if pattern.search(violation.rule) or any(pattern.search(item) for item in violation.items):
            return True
    if any(pattern.search(value_text(value)) for value in decision.arguments.values()):
        return True
    if any(pattern.search(reason) for reason in decision.reasons):
        return True
    return any(pattern.search(text) for text in step.texts.values())


def culprits(text: str, replayed: Replayed, cancelled: threading.Event) -> tuple[str, ...]:
    """The parts of a filter that hide every step alone; none where only all of them together do."""
    parts = tuple(text.split())
    return tuple(part for part in parts if not Filter.parse(part).rows(replayed, cancelled))


@dataclass(frozen=True, slots=True)
class Group:
    """Steps that are not allowed for one cause: what it is, how many, and the filter that shows them."""

    title: str
    verdict: Verdict
    count: int
    runs: int
    filter: str


def groups(replayed: Replayed) -> tuple[Group, ...]:
    """The steps that are not allowed by cause, the largest group first."""
    found: dict[tuple[Verdict, str, str], list[int]] = {}
    for index, decided in enumerate(replayed.decisions):
        decision = decided.decision
        if decision.verdict is Verdict.ALLOW:
            continue
        if decision.verdict is Verdict.DENY:
            cause = " ".join(violation.rule for violation in decision.violations)
        else:
            cause = "; ".join(decision.reasons)
        found.setdefault((decision.verdict, cause, replayed.steps[index].tool or ""), []).append(index)
    made = [_group(key, steps, replayed) for key, steps in found.items()]
    return tuple(sorted(made, key=lambda group: (-group.count, group.title)))


def _group(key: tuple[Verdict, str, str], steps: Sequence[int], replayed: Replayed) -> Group:
    verdict, cause, tool = key
    title = (cause or "no rule permits it") + (f" in {tool}" if tool else "")
    if verdict is Verdict.DENY:
        parts = ["is:deny", f"rules:{','.join(cause.split())}"]
    else:
        parts = ["is:cannot", *cause.split()]
    parts += [f"tool:{word}" for word in tool.split()]
    runs = len({replayed.steps[index].trace for index in steps})
    return Group(title, verdict, len(steps), runs, " ".join(parts))
