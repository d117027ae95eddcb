"""A program as the approver of calls: it shows the call to a person and prints the approver."""

from __future__ import annotations

import json
from collections.abc import Sequence

from workbench.guard.approval import Approval, NobodyAnswered
from workbench.guard.calls import Outcome
from workbench.guard.strategy import reason_of

LONGEST_NAME = 100
REFUSED = 1
"""The exit code of a program whose person said no."""


def program_approval(words: Sequence[str], *, timeout: float) -> Approval:
    """Put every call about which the policy asks to a program, which has ``timeout`` seconds.

    The program gets the call as one line of JSON on its standard input: ``run``, ``tool``,
    ``arguments``, ``context``, ``reason`` and ``rules`` (each with ``rule``, ``message`` and ``items``). To
    approve, it exits with 0 and prints the approver's name as its first line. If a person says no, it exits
    with 1, or with 0 and no name. Anything else denies too, and counts as silence.
    """

    def ask(outcome: Outcome) -> str:
        import subprocess  # most guards never ask

        try:
            process = subprocess.run(
                [*words],
                input=json.dumps(_shown(outcome)) + "\n",
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise NobodyAnswered from None
        if process.returncode not in (0, REFUSED):
            raise NobodyAnswered
        first, _, _ = process.stdout.strip().partition("\n")
        name = "".join(character for character in first if character.isprintable())
        return name[:LONGEST_NAME] if process.returncode == 0 else ""

    return Approval(ask, timeout=timeout)


def _shown(outcome: Outcome) -> dict[str, object]:
    call = outcome.call
    return {
        "run": call.run,
        "tool": call.tool,
        "arguments": call.arguments if call.arguments is None else dict(call.arguments),
        "context": dict(call.context),
        "reason": reason_of(outcome.decision),
        "rules": [
            {"rule": violation.rule, "message": violation.message, "items": list(violation.items)}
            for violation in outcome.decision.violations
        ],
    }
