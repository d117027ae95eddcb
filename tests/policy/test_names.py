"""The name that an argument gets is one that a compiled policy can have."""

from __future__ import annotations

import builtins
import keyword

from tests.plain_policies import check
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Verdict
from workbench.policy.names import RESERVED, usable

_WORDS = {*RESERVED, *keyword.kwlist, *keyword.softkwlist, *dir(builtins), "role", "Role", "from_"}
NAMES = sorted(word for word in _WORDS if not word.startswith("_"))


def test_a_policy_decides_by_an_argument_of_any_usable_name() -> None:
    """Its functions hide none of what conditions call."""
    assert {"role", "match", "print_", "sum_"} <= {*map(usable, NAMES)}
    for name in map(usable, NAMES):
        condition = f"len({name}) == 1 and any({name} == e for e in LETTERS)"
        rule = f'def forbid_it({name}: str) -> bool:\n    """R1: No."""\n    return {condition}\n\n\n'
        allow = f"def allow({name}: str) -> bool:\n    return not forbid_it({name})\n"
        policy = compile_policy(check(f'LETTERS = {{"a", "b"}}\n\n\n{rule}{allow}'))
        verdicts = [policy.decide({name: text}).verdict for text in ("a", "c", "ab")]
        assert verdicts == [Verdict.DENY, Verdict.ALLOW, Verdict.ALLOW], name
