"""Nouns that are words of the language, nouns of the same words, and names of other scripts."""

from __future__ import annotations

import ast

import pytest

from tests.language.read_back import meanings, read_back
from workbench.dialect.call_types import agent_types
from workbench.language.language import Language
from workbench.session.agent_file import read_agent

AGENT = """\
name = "odd"

[tools.send]
[tools.send.parameters]
type = "object"
required = ["if", "or", "is_not", "total", "entries"]
[tools.send.parameters.properties]
if = {type = "string"}
or = {type = "boolean"}
is_not = {type = "number"}
total = {type = "number"}
the_user_said_yes = {type = "boolean"}
entries = {type = "array", items = {type = "string"}}
[tools.send.fields."größe"]
name = "size"
[tools.send.parameters.properties."größe"]
type = "number"

[tools.Send_]
class_name = "OtherSend"
parameters = {type = "object", properties = {total = {type = "number"}}, required = ["total"]}

[records.total]
key = "that_is"
fields.that_is = {type = "str"}
fields.and_or = {type = "int"}
look_up = {tool = "send", arguments = {if = "key"}}
"""
HEAD = """\
from decimal import Decimal

from agent import OtherSend, Run, Send, looked_up

DEFAULT = "allow"


def first(call: Send) -> bool:
    \"\"\"whether the total is more than 5 or the total is 3\"\"\"
    return call.or_


def second(call: Send) -> bool:
    \"\"\"whether it is large\"\"\"
    return call.total > Decimal("3")


def third(call: Send) -> bool:
    \"\"\"whether it is large\"\"\"
    return call.total > Decimal("4")


def arabic(call: Send) -> Decimal:
    \"\"\"المبلغ الكلي\"\"\"
    return call.total


def chinese(call: Send, run: Run) -> bool:
    \"\"\"金额过大 if“不行”\"\"\"
    return call.total > Decimal("9")


def of_stops(call: Send) -> bool:
    \"\"\"whether it is so, then; (a) not. And: more\"\"\"
    return call.total > Decimal("8")
"""
CONDITIONS = (
    'call.if_ == "if"',
    "call.or_",
    "not call.or_ and call.is_not > 3",
    "first(call)",
    "not first(call) and call.total > 5 or call.total == 3",
    "second(call) and not third(call)",
    "arabic(call) > 5",
    "chinese(call, run) or not chinese(call, run)",
    "of_stops(call) and (first(call) or not of_stops(call))",
    'run.total(call.if_) is None or run.total(call.if_).and_or > 3',
    'looked_up(run.total("if"))',
    "call.the_user_said_yes is not None and call.the_user_said_yes",
    'any(entry == "and" or entry == "or" for entry in call.entries)',
    "call.size is None or call.size > 3",
    'call.if_ in {"a, b or c", "“", "if the total is 5."}',
    'call.if_ == "a” or the total is “b"',
)  # fmt: skip


def policy(*conditions: str) -> Language:
    """The language of a policy with a rule for each condition."""
    rules = "".join(
        f'\n\ndef forbid_{number}(call: Send, run: Run) -> bool:\n    """R1: No."""\n    return {condition}\n'
        for number, condition in enumerate(conditions)
    )
    types = agent_types(read_agent(AGENT))
    return Language(types, HEAD + rules)


def known(conditions: tuple[str, ...]) -> tuple[str, ...]:
    """The conditions that the agent's fields allow."""
    fields = {one.name for one in agent_types(read_agent(AGENT)).calls["Send"].fields}
    return tuple(
        condition
        for condition in conditions
        if all(
            node.attr in fields
            for node in ast.walk(ast.parse(condition, mode="eval"))
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "call"
        )
    )


@pytest.mark.parametrize("condition", CONDITIONS)
def test_odd_nouns_are_written_so_that_they_are_read(condition: str) -> None:
    language = policy(condition)
    sentences = tuple(language.aloud())
    assert [one.name for one in sentences if not one.text] == []
    assert meanings(read_back(language, sentences)) == meanings(language.policy)
    assert known(CONDITIONS) == CONDITIONS


def test_tools_of_the_same_words_are_called_by_their_names() -> None:
    language = policy("call.total > 5")
    assert len(language.read("The agent must never use “send”.")) == 1
    assert len(language.read("The agent must never use “Send_”.")) == 1
    assert language.read("The agent must never send.") == ()


LOOKED_UP = """\
name = "mail"

[tools.read]
parameters = {type = "object", properties = {message_id = {type = "string"}}, required = ["message_id"]}
reads_only = true
[tools.find]
parameters = {type = "object", properties = {query = {type = "string"}}, required = ["query"]}
reads_only = true
[tools.forward.parameters]
type = "object"
required = ["message_id", "query"]
properties = {message_id = {type = "string"}, query = {type = "string"}}

[records.mail]
key = "id"
fields.id = {type = "str"}
look_up = {tool = "read", arguments = {message_id = "key"}}
[records.person]
key = "name"
fields.name = {type = "str"}
look_up = {tool = "find", arguments = {query = "key"}}
"""


def test_a_record_is_that_of_the_id_by_which_it_is_looked_up_and_of_no_other_parameter() -> None:
    source = 'from agent import Run\n\nDEFAULT = "deny"\n'
    language = Language(agent_types(read_agent(LOOKED_UP)), source)
    assert language.read("The agent must not forward if the mail exists.")
    assert not language.read("The agent must not forward if the person exists.")
    assert language.read("The agent must not forward if the person for the query exists.")
