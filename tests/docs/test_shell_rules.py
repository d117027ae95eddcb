"""The table of the page about rules over commands of a shell: each command is decided as it says."""

from __future__ import annotations

import re
from pathlib import Path

from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.model import RecordedCall, Verdict
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.session.agent_file import read_agent

PAGE = Path(__file__).parents[2] / "docs" / "learn" / "your-agent.md"
SHELL_TOOL = """name = "coder"
[tools.run_shell]
cwd = "/repo"
shell = "bash"
fields.command = {type = "command"}
[tools.run_shell.parameters]
type = "object"
required = ["command"]
properties = {command = {type = "string"}}
"""


def test_the_rules_about_commands_decide_as_their_table_says() -> None:
    text = PAGE.read_text("utf-8").partition("## Rules about commands of a shell")[2]
    policy = (
        text.partition("```python\n")[2]
        .partition("```")[0]
        .replace("from agent", 'DEFAULT = "allow"\nfrom agent', 1)
    )
    spec = read_agent(SHELL_TOOL)
    lowered = lowered_policy(f'"""Commands."""\n{policy}', spec)
    extractor, compiled = Extractor(lowered.arguments, spec), compile_policy(lowered.terms)
    rows = re.findall(
        r"^\| (`.*) \| (.*) \|$", text.partition("What cannot be evaluated is not run")[0], re.MULTILINE
    )
    assert len(rows) >= 8
    for commands, told in rows:
        for command in re.findall(r"`([^`]+)`", commands):
            call = RecordedCall("r", 0, "run_shell", {"command": command})
            decision = decision_on(compiled, extractor.extract(call, ()))
            fired = re.match(r"`(forbid_\w+)`", told)
            assert [one.rule for one in decision.violations] == ([fired[1]] if fired else []), command
            assert fired or decision.verdict is Verdict.ALLOW, command
