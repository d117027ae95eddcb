"""Small desks for the stateful tests: tools, typed arguments, pools of sentences and rules, logged calls.

Every text has its predicate beside it; see ``tests.app.stateful.said``.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.app.stateful.said import Answer, DeskCall, DeskSentence, Fact, Forbids, nothing
from workbench.guard import Guard, Outcome, ToolCall
from workbench.model import Json, Question, Value
from workbench.session import Session
from workbench.session.agent_file import read_agent

ELSE_ALLOWED = "Everything else is allowed."
ROLES = ("clerk", "guest", "boss")


@dataclass(frozen=True, slots=True)
class BuiltRule:
    """A rule: its condition as a person writes it into the policy, and the calls that it forbids."""

    written: str
    forbids: Forbids


@dataclass(frozen=True, slots=True)
class Desk:
    """An agent, what may be asked of its guard, and its logged calls.

    ``flag`` is the argument that changes of the agent spec make optional and back. ``told_by_draft`` says
    that only a draft tells an answer to the author.
    """

    name: str
    money: str
    other: str
    sentences: tuple[DeskSentence, ...]
    rules: Mapping[str, BuiltRule]
    flag: str = "checked"
    amounts: tuple[int, ...] = field(default=(50, 150))
    told_by_draft: bool = False

    @property
    def tools(self) -> tuple[str, str, str]:
        """The names of the tools: two that move money, and one that only looks."""
        return (self.money, self.other, "look")

    def calls(self) -> tuple[DeskCall, ...]:
        """Every combination of a tool, an amount, a role and the flag."""
        return tuple(
            DeskCall(tool, None if tool == "look" else amount, role, checked)
            for tool, amount, role, checked in itertools.product(
                self.tools, self.amounts, ROLES, (True, False)
            )
            if tool != "look" or amount == self.amounts[0]
        )

    def arguments(self, call: DeskCall) -> Mapping[str, Value]:
        """What is known of a call, by the names of the policy's arguments."""
        return {"tool": call.tool, "amount": call.amount, "role": call.role, self.flag: call.checked}

    def plain_answer(self, question: Question) -> str:
        """The answer to a question that no sentence of the desk expects; empty if a person leaves it open."""
        return question.default

    def facts(self, call: DeskCall) -> frozenset[Fact]:
        """The arguments of a call as pairs of name and value."""
        return frozenset(self.arguments(call).items())

    def guarded(self, guard: Guard, call: DeskCall) -> Outcome:
        """The decision of a guard on a call, in a run of its own."""
        arguments = {} if call.amount is None else {"amount": call.amount}
        context: dict[str, Json] = {"context": {"role": call.role, self.flag: call.checked}}
        with guard.run(context=context) as run:
            return run.check(ToolCall(call.tool, arguments))

    def agent_toml(self, *, optional: bool = False, note: str = "") -> str:
        """The agent file, with the flag optional or not; ``note`` is an additional argument without use."""
        parts = [f'name = "{self.name}"']
        for tool in self.tools:
            properties = "" if tool == "look" else 'amount = {type = "number"}'
            required = "" if tool == "look" else '"amount"'
            parts.append(
                f'[tools.{tool}]\ndescription = "The agent may {tool}."\n[tools.{tool}.parameters]\n'
                f'type = "object"\nproperties = {{{properties}}}\nrequired = [{required}]'
            )
        values = ", ".join(f'"{tool}"' for tool in self.tools)
        parts += [
            f'[arguments.tool]\ntype = "enum"\nvalues = [{values}]\n'
            'extract = {method = "jsonpath", path = "$.tool"}',
            '[arguments.amount]\ntype = "int"\noptional = true\n'
            'extract = {method = "jsonpath", path = "$.arguments.amount"}',
            '[arguments.role]\ntype = "enum"\nvalues = ["clerk", "guest", "boss"]\n'
            'extract = {method = "jsonpath", path = "$.context.context.role"}',
            f'[arguments.{self.flag}]\ntype = "bool"\n'
            + ("optional = true\n" if optional else "")
            + f'extract = {{method = "jsonpath", path = "$.context.context.{self.flag}"}}',
        ]
        if note:
            parts.append(
                f'[arguments.{note}]\ntype = "str"\noptional = true\n'
                f'extract = {{method = "jsonpath", path = "$.context.context.{note}"}}'
            )
        return "\n\n".join(parts) + "\n"

    def request_text(self, sentences: tuple[DeskSentence, ...]) -> str:
        """The request with these sentences, one a line."""
        return "\n".join([f"# The {self.name}", *(s.text for s in sentences), ELSE_ALLOWED]) + "\n"

    def log_lines(self) -> Iterator[str]:
        """The log: a run for each call, so that no call is in the history of another."""
        for number, call in enumerate(self.calls()):
            arguments = {} if call.amount is None else {"amount": call.amount}
            function = {"name": call.tool, "arguments": json.dumps(arguments)}
            message = {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
            }
            context = {"role": call.role, self.flag: call.checked}
            yield json.dumps({"id": f"run-{number}", "context": context, "messages": [message]})

    def lay_out(self, folder: Path, sentences: tuple[DeskSentence, ...], author: str = "rules") -> Session:
        """A new session of the desk in a folder, with its log and without a policy."""
        spec = read_agent(self.agent_toml())
        session = Session.create(folder, self.request_text(sentences), spec, title=self.name, author=author)
        self.write_log(folder)
        return session

    def write_log(self, folder: Path) -> None:
        """Write the log into the folder of a session."""
        (folder / "logs" / "calls.jsonl").write_text("\n".join(self.log_lines()) + "\n")


def desk_of(
    name: str,
    money: str,
    other: str,
    flag: str,
    *,
    sentences: tuple[DeskSentence, ...] = (),
    told_by_draft: bool = False,
) -> Desk:
    """A desk with two tools that move money; its sentences have the same forms with other words.

    ``sentences`` replace the pool of sentences.
    """

    def is_money(call: DeskCall) -> bool:
        return call.tool == money

    def is_other(call: DeskCall) -> bool:
        return call.tool == other

    def above(call: DeskCall, most: int = 100) -> bool:
        return call.amount is not None and call.amount > most

    pool = (
        DeskSentence(f"Guests must not {money}.", lambda call: is_money(call) and call.role == "guest"),
        DeskSentence(
            f"Clerks may {money} up to 100.",
            lambda call: is_money(call) and call.role == "clerk" and above(call),
        ),
        DeskSentence(f"Only the boss may {other}.", lambda call: is_other(call) and call.role != "boss"),
        DeskSentence(
            f"Guests may {other} only if it was {flag}.",
            lambda call: is_other(call) and call.role == "guest" and not call.checked,
        ),
        DeskSentence(
            f"To {other} needs a careful person.",
            answers=(
                Answer(
                    f'require: tool in {{"{other}"}} => {flag}',
                    lambda call: is_other(call) and not call.checked,
                    by_rule=True,
                ),
                Answer(
                    f'forbid: tool == "{other}" => role == "guest" and not {flag}',
                    lambda call: is_other(call) and call.role == "guest" and not call.checked,
                    by_rule=True,
                ),
                Answer(
                    f"Clerks must not {other}.",
                    lambda call: is_other(call) and call.role == "clerk",
                ),
                Answer("context", nothing),
            ),
        ),
        DeskSentence(
            "Large sums are forbidden.",
            answers=(
                Answer(
                    f'forbid: tool == "{money}" => amount is None or amount > 100',
                    lambda call: is_money(call) and above(call),
                    by_rule=True,
                ),
                Answer(
                    f"Clerks may {other} up to 100.",
                    lambda call: is_other(call) and call.role == "clerk" and above(call),
                ),
                Answer(
                    f'forbid: tool == "{money}" => not {flag} and role == "clerk"',
                    lambda call: is_money(call) and call.role == "clerk" and not call.checked,
                    by_rule=True,
                ),
                Answer("context", nothing),
            ),
        ),
        DeskSentence(
            f"A clerk may {money} if it was {flag}.",
            answers=(
                Answer("only", lambda call: is_money(call) and call.role == "clerk" and not call.checked),
                Answer("also", nothing),
            ),
        ),
    )
    rules = {
        f"forbid_{money}_by_clerk": BuiltRule(
            f'tool == "{money}" and role == "clerk"',
            lambda call: is_money(call) and call.role == "clerk",
        ),
        f"forbid_{other}_unseen": BuiltRule(
            f'tool == "{other}" and not {flag}',
            lambda call: is_other(call) and not call.checked,
        ),
        "forbid_look_by_guest": BuiltRule(
            'tool == "look" and role == "guest"',
            lambda call: call.tool == "look" and call.role == "guest",
        ),
    }
    return Desk(name, money, other, sentences or pool, rules, flag, told_by_draft=told_by_draft)


DESKS = (
    desk_of("desk", "pay", "refund", "checked"),
    desk_of("store", "order", "cancel", "approved"),
)
