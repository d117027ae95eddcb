"""The support desk of ``examples/refunds``: a session whose request the program reads."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from workbench.app.new_session import new_session

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "refunds"
DESCRIBED = {
    "approved": "whether a manager approved it",
    "in_eu": "whether the account is in the EU",
    "refunds_today": "how many refunds were issued today, this one included",
}
CHOSEN = {"boundary": "excluded", "conflict": "forbid", "default-decision": "deny"}
SAID = "Never change bank accounts."
"""What is answered to each kind of question, and said in place of the sentence that is not read."""


def refund_desk(folder: Path, *, open_kind: str = "") -> Path:
    """The session in a folder, with an answer to each question but those of ``open_kind``."""
    log, request = EXAMPLE / "runs.jsonl", EXAMPLE / "request.md"
    made = new_session(folder, request, agent=EXAMPLE / "tools.json", logs=[log], author="rules")
    with closing(made.workbench) as bench:
        made.draft()
        spec = bench.session.spec
        arguments = [
            replace(argument, description=DESCRIBED.get(argument.name, argument.description))
            for argument in spec.arguments
        ]
        bench.agent.set_spec(replace(spec, arguments=tuple(arguments)), "What the context says")
        for question in bench.questions.understand().open:
            kind = question.id.partition(":")[0]
            if kind == "unreadable":
                bench.questions.say(question, SAID)
            elif kind != open_kind:
                bench.questions.answer(question, CHOSEN[kind])
    return folder
