"""Rules that a person chose for a sentence, as conditions of the dialect, and words that add nothing to it.

The answer about an unread sentence may be rules, one on each line: ``require: SCOPE => CONDITION`` (denied in
the scope unless the condition holds), ``forbid:`` (denied where both hold) or ``permit:`` (permitted there).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.author.rules.norms import Effect, Norm
from workbench.author.rules.request_text import plain
from workbench.model import Argument, WorkbenchError
from workbench.policy.check import check_condition
from workbench.policy.terms import Parameter

_LINE = re.compile(r"(require|forbid|permit): (.+?) => (.+)")


def is_rules(answer: str) -> bool:
    """Whether an answer is rules, as ``rule_line`` writes them."""
    lines = answer.strip().splitlines()
    return bool(lines) and all(_LINE.fullmatch(line) for line in lines)


def rule_line(effect: Effect, scope: str, condition: str) -> str:
    """A rule as a line of an answer."""
    return f"{effect.value}: {scope} => {condition}"


def told_norms(
    answer: str, requirement: str, message: str, arguments: Iterable[Argument]
) -> tuple[Norm, ...]:
    """The norms of an answer that is rules; raises WorkbenchError where one is not in the dialect."""
    parameters = tuple(Parameter(argument.name, argument.type) for argument in arguments)
    norms: list[Norm] = []
    for line in answer.strip().splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            raise WorkbenchError(f"{line!r} is no rule: write EFFECT: SCOPE => CONDITION.")
        scope, condition = (check_condition(match[place], parameters) for place in (2, 3))
        norms.append(Norm(requirement, Effect(match[1]), scope, condition, plain(message), complete=True))
    return tuple(norms)


def without_words(text: str, words: Iterable[str]) -> str:
    """The text without the words that a person said add nothing to it."""
    for word in words:
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w),?", " ", text, flags=re.I)
    return re.sub(r"\s+([.,;!?])", r"\1", re.sub(r"\s+", " ", text)).strip()
