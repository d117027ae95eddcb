"""Which replayed steps a filter shows."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.model import Step, StepDecision, Verdict
from workbench.old_screen.state import Replayed
from workbench.old_screen.value_text import value_text

KINDS = {
    "allow": Verdict.ALLOW,
    "deny": Verdict.DENY,
    "cannot": Verdict.CANNOT_EVALUATE,
    "cannot-evaluate": Verdict.CANNOT_EVALUATE,
}


EXACT = ("in", "cause")
SPELLINGS = {"trace": "run"}
"""What a prefix may also be called."""
_PART = re.compile(r'(?:"[^"]*"?|[^\s"])+')


def parts_of(text: str) -> tuple[str, ...]:
    """The parts of a filter: separated by spaces, which double quotes keep."""
    return tuple(part for found in _PART.findall(text) if (part := found.replace('"', "")))


def quoted(name: str) -> str:
    """A name as a part of a filter can hold it."""
    return f'"{name}"' if re.search(r"\s", name) else name


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter: a verdict, flipped steps only, rules, and words; all must hold.

    Written ``is:deny``, ``is:flipped``, ``is:retrieval`` (the last change of the memory changed what it
    retrieves), ``rule:NAME``, ``rules:A,B`` (exactly these), ``tool:NAME``,
    ``run:NAME`` (a part of its name), ``in:NAME`` (all of it), ``cause:KEY`` (a group of denials) and plain
    words, separated by spaces; double quotes hold a part with spaces together.
    A word is looked for in the run, the tool, the rules, the items, the arguments and
    the texts of the log, without regard to case.
    """

    verdict: Verdict | None = None
    flipped: bool = False
    rules: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    exactly: frozenset[str] | None = None
    whole_runs: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    retrieval: bool = False

    @classmethod
    def parse(cls, text: str) -> Filter:
        """Read a filter; what is no known prefix is a word."""
        verdict: Verdict | None = None
        flipped = retrieval = False
        exactly: frozenset[str] | None = None
        named: dict[str, list[str]] = {"rule": [], "tool": [], "run": [], "in": [], "cause": []}
        words: list[str] = []
        for part in parts_of(text):
            prefix, _, rest = part.partition(":")
            prefix = SPELLINGS.get(prefix, prefix)
            if prefix == "is" and rest == "flipped":
                flipped = True
            elif prefix == "is" and rest == "retrieval":
                retrieval = True
            elif prefix == "is" and rest in KINDS:
                verdict = KINDS[rest]
            elif prefix == "rules":
                exactly = frozenset(name for name in rest.casefold().split(",") if name)
            elif prefix in named and rest:
                named[prefix].append(rest if prefix in EXACT else rest.casefold())
            else:
                words.append(part.casefold())
        rules, tools, runs, whole_runs, causes = (tuple(found) for found in named.values())
        return cls(verdict, flipped, rules, tuple(words), tools, runs, exactly, whole_runs, causes, retrieval)

    def rows(self, replayed: Replayed, cancelled: threading.Event) -> Sequence[int]:
        """The indices of the steps that the filter shows, in order; fewer once cancelled."""
        if self == Filter():
            return range(len(replayed.decisions))
        patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in self.words]
        shown: list[int] = []
        caused = [frozenset(replayed.caused_by(key)) for key in self.causes]
        for index, decided in enumerate(replayed.decisions):
            if index % 512 == 0 and cancelled.is_set():
                break
            if not all(index in steps for steps in caused):
                continue
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
        if self.retrieval and index not in replayed.retrieves:
            return False
        names = [violation.rule.casefold() for violation in decision.violations]
        if not all(any(rule in name for name in names) for rule in self.rules):
            return False
        if self.exactly is not None and self.exactly != frozenset(names):
            return False
        step = replayed.steps[index]
        if not all(tool in (step.tool or "").casefold() for tool in self.tools):
            return False
        if not all(run in step.run.casefold() for run in self.runs):
            return False
        if any(whole != step.run for whole in self.whole_runs):
            return False
        return all(_mentions(pattern, replayed.steps[index], decided) for pattern in patterns)


def _mentions(pattern: re.Pattern[str], step: Step, decided: StepDecision) -> bool:
    decision = decided.decision
    if pattern.search(step.run) or pattern.search(step.tool or ""):
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
    parts = parts_of(text)
    return tuple(part for part in parts if not Filter.parse(part).rows(replayed, cancelled))
