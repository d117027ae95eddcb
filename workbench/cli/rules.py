"""The command ``rules``, which reads the rules of a policy aloud."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from workbench.clean_text import one_line
from workbench.cli.open_session import reading
from workbench.cli.output import paint, write, write_json
from workbench.cli.parameters import AsJson, OtherPolicy, SessionPath, policy_text
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.rules import RuleAloud


def rules(session: SessionPath, policy: OtherPolicy = None, as_json: AsJson = False) -> int:
    """Read each rule of the policy aloud as a sentence."""
    from workbench.app.json_output.results import RULE_ALOUD

    with reading(session) as bench:
        rule_alouds = bench.rules.aloud(policy_text(policy))
    if as_json:
        for rule in rule_alouds:
            write_json(RULE_ALOUD.write(rule))
        return 0
    for line in _aloud_lines(rule_alouds):
        write(line)
    return 0


def _aloud_lines(rule_alouds: Iterable[RuleAloud]) -> Iterator[str]:
    """Lines on each rule of the policy as a sentence."""
    rules = tuple(rule_alouds)
    for rule in rules:
        ids = f"  {', '.join(rule.requirements)}" if rule.requirements else ""
        yield f"{paint(rule.name, Tone.TITLE)}{ids}"
        yield f"  {one_line(rule.sentence)}"
    if not rules:
        yield "The policy has no rule."
