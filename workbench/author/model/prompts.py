"""The prompts of the author, in plain words, each with one example from another world.

The fixed part comes first and the one passage last, so that a server can cache the common prefix.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.author.model.recording import Message
from workbench.model import AgentSpec, Argument, ArgumentType, Kind

_MOST_VALUES = 120
_TYPES = {
    Kind.BOOL: "True or False",
    Kind.INT: "a whole number",
    Kind.DECIMAL: 'an exact decimal, written as Decimal("1.50")',
    Kind.STR: "a text",
    Kind.DATE: "a date, written as date(2026, 1, 31)",
    Kind.TIME: "a time of day, written as time(9, 0)",
    Kind.DATETIME: "a time, written as datetime(2026, 1, 31, 9, 0)",
    Kind.DURATION: "a duration, written as timedelta(hours=24)",
}

_ARGUMENTS_EXAMPLE = """\
action: one of "lend_book", "lend_film", "other" (what the desk does)
years: a whole number (the reader's age)
card: True or False (whether the reader has a card)"""

ANALYSIS = """\
You read a request that says what a software agent may and may not do, and find its rules. Reply in JSON:
- "title": what the request is about, in a few words.
- "rules": every rule, one for each thing that is allowed, forbidden or required; what only describes the \
agent or its users is no rule; lines such as "Action: ..." and "Condition: ..." that stand together are one \
rule. "quote" is copied from \
the request letter by letter: a sentence or the beginning of a list, never your own words. "statement" \
says the whole rule so that it can be read alone, exceptions included.
- "otherwise": what holds for everything that no rule speaks of: "allow" or "deny" where the request says \
it, else "unsaid".
- "doubts": only where two readings would decide differently: a contradiction, a word without a clear \
meaning, a limit that may or may not be included. Each with a quote, a question, and two to four readings, \
each a complete statement of the rule as read. An empty list if nothing is in doubt.

Example of a request:
Films may be lent to readers from 16. Everything else is allowed.
Example of a reply:
{"title": "Lending films", "rules": [{"quote": "Films may be lent to readers from 16.", "statement": \
"Readers younger than 16 may not borrow films; readers of 16 and older may."}, {"quote": "Everything else \
is allowed.", "statement": "Lending anything else is allowed."}], "otherwise": "allow", "doubts": []}"""

SENTENCE = """\
You are given a request that says what a software agent may and may not do, and one sentence of it. Reply \
in JSON: "kind" is "rule" if the sentence allows, forbids or requires something of the agent's actions, else \
"context"; "statement" says the rule so that it can be read alone, or repeats the sentence."""

USES = f"""\
You are given the rules for a software agent and the arguments that are known of each of its actions. \
Reply in JSON with one entry for each rule: "arguments" has the names of the arguments that decide it, from \
the list of arguments; "lacking" says in a few words what would have to be known and is no argument. It is \
"" if the arguments are enough, as they usually are.

Example. Arguments:
{_ARGUMENTS_EXAMPLE}
Rules:
R1: Readers younger than 16 may not borrow films.
R2: Readers who owe money may not borrow anything.
R3: Books are lent to everybody who has a card.
Reply:
{{"rules": [{{"rule": "R1", "arguments": ["action", "years"], "lacking": ""}}, {{"rule": "R2", "arguments": \
["action"], "lacking": "whether the reader owes money"}}, {{"rule": "R3", "arguments": ["action", "card"], \
"lacking": ""}}]}}"""

_FORMS_EXAMPLE = """\
action: one of "lend_book", "lend_film", "open_shelves", "other" (what the desk does)
reader: one of "child", "adult", "member of staff" (who asks)
years: a whole number (the reader's age)
card: True or False (whether the reader has a card)
shelves: a set of texts (the shelves that are opened)"""

_TESTS = """\
A test compares one argument, as in the examples; the tests of a list hold together. LIST_1 stands for a \
list of the passage. Only where no test can say it, a test is {"expression": "..."}: one Python expression \
over the arguments with and, or, not, comparisons, in, any(x in items for x in shelves)."""

RULES = f"""\
You turn one passage of a request for a software agent into rules, as JSON. Each rule has "name" (small \
letters and underscores), "effect" and tests.
- "allowed only if": "needs" has the tests that must hold, "when" the tests that say which actions the rule \
is about.
- "forbidden": every action for which all tests of "when" hold is denied.
- "allowed": every action for which all tests of "when" hold is allowed.
A passage that only says what is allowed anyway, or announces what follows, has "rules": []. {_TESTS}

Examples. Arguments:
{_FORMS_EXAMPLE}

Passage: "Films may be lent to readers from 16."
{{"rules": [{{"name": "film_from_16", "effect": "allowed only if", "needs": [{{"argument": "years", "is": \
"at least", "value": 16}}], "when": [{{"argument": "action", "is": "one of", "values": ["lend_film"]}}]}}]}}

Passage: "Action: lend a book
Condition: card == false"
{{"rules": [{{"name": "book_condition", "effect": "allowed only if", "needs": [{{"argument": "card", "is": \
false}}], "when": [{{"argument": "action", "is": "one of", "values": ["lend_book"]}}]}}]}}

Passage: "Readers without a card may not borrow books."
{{"rules": [{{"name": "no_book_without_card", "effect": "forbidden", "when": [{{"argument": "action", "is": \
"one of", "values": ["lend_book"]}}, {{"argument": "card", "is": false}}]}}]}}

Passage: "Staff may open:
- LIST_1"
{{"rules": [{{"name": "shelves_for_staff", "effect": "allowed only if", "needs": [{{"argument": "shelves", \
"is": "all in", "values": "LIST_1"}}], "when": [{{"argument": "reader", "is": "one of", "values": ["member \
of staff"]}}]}}]}}

Passage: "Grown-ups may open:
- LIST_1"
{{"rules": [{{"name": "shelves_for_adults", "effect": "allowed only if", "needs": [{{"argument": "shelves", \
"is": "all in", "values": "LIST_1"}}], "when": [{{"argument": "reader", "is": "one of", "values": \
["adult"]}}]}}]}}

Passage: "Lending anything else is allowed."
{{"rules": []}}"""

CLAUSES = f"""\
You read one passage of a request for a software agent and say, as JSON, which actions every right policy \
must deny and which it must allow, so that a policy that somebody else writes can be checked. Each clause \
has "when" (a list of tests that hold together) and "decision". First the clauses that deny, then those \
that allow. Where the passage says who may, those who may not are denied; where it says who may not, the \
others are allowed. A passage that only announces what follows has "clauses": []. {_TESTS}

Examples. Arguments:
{_FORMS_EXAMPLE}

Passage: "Films may be lent to readers from 16."
{{"clauses": [{{"when": [{{"argument": "action", "is": "one of", "values": ["lend_film"]}}, {{"argument": \
"years", "is": "less than", "value": 16}}], "decision": "deny"}}, {{"when": [{{"argument": "action", \
"is": "one of", "values": ["lend_film"]}}, {{"argument": "years", "is": "at least", "value": 16}}], \
"decision": "allow"}}]}}

Passage: "Readers without a card may not borrow books."
{{"clauses": [{{"when": [{{"argument": "action", "is": "one of", "values": ["lend_book"]}}, {{"argument": \
"card", "is": false}}], "decision": "deny"}}, {{"when": [{{"argument": "action", "is": "one of", \
"values": ["lend_book"]}}, {{"argument": "card", "is": true}}], "decision": "allow"}}]}}

Passage: "Staff may open:
- LIST_1"
{{"clauses": [{{"when": [{{"argument": "reader", "is": "one of", "values": ["member of staff"]}}, \
{{"argument": "shelves", "is": "any not in", "values": "LIST_1"}}], "decision": "deny"}}, {{"when": \
[{{"argument": "reader", "is": "one of", "values": ["member of staff"]}}, {{"argument": "shelves", "is": \
"all in", "values": "LIST_1"}}], "decision": "allow"}}]}}

Passage: "Grown-ups may open:
- LIST_1"
{{"clauses": [{{"when": [{{"argument": "reader", "is": "one of", "values": ["adult"]}}, {{"argument": \
"shelves", "is": "any not in", "values": "LIST_1"}}], "decision": "deny"}}, {{"when": [{{"argument": \
"reader", "is": "one of", "values": ["adult"]}}, {{"argument": "shelves", "is": "all in", "values": \
"LIST_1"}}], "decision": "allow"}}]}}

Passage: "Lending anything else is allowed."
{{"clauses": [{{"when": [{{"argument": "action", "is": "one of", "values": ["other"]}}], "decision": \
"allow"}}]}}"""

CASES = f"""\
You write test cases for one passage of a request for a software agent: actions with the decision that \
each must get. Choose a limit and both sides of it: two cases, three at most. Reply in JSON: "cases", each \
with "arguments" (a value for every argument), "expected" ("allow" or "deny") and "reason" (a few words).

Example. Arguments:
{_ARGUMENTS_EXAMPLE}
What no rule forbids is allowed.

Passage: "Films may be lent to readers from 16."
Reply:
{{"cases": [{{"arguments": {{"action": "lend_film", "years": 15, "card": true}}, "expected": "deny", \
"reason": "one year too young"}}, {{"arguments": {{"action": "lend_film", "years": 16, "card": true}}, \
"expected": "allow", "reason": "just old enough"}}]}}"""


def describe(argument: Argument, *, few: bool = False) -> str:
    """An argument as a line of a prompt: name, values (with ``few``, none of a set), meaning."""
    meaning = f" ({argument.description})" if argument.description else ""
    return f"{argument.name}: {_described(argument.type, few=few)}{meaning}"


def _described(type_: ArgumentType, *, few: bool) -> str:
    most_values = 0 if few and type_.kind is Kind.SET else _MOST_VALUES
    listed = ", ".join(f'"{value}"' for value in type_.values[:most_values])
    if type_.record is not None:
        fields = (f"{name}: {_described(kind, few=few)}" for name, kind in type_.record.fields)
        of = f"a record {type_.record.name} with the fields [{'; '.join(fields)}]"
    elif type_.kind is Kind.LIST and type_.element is not None:
        of = f"a list, each element of which is {_described(type_.element, few=few)}"
    elif type_.kind is Kind.ENUM:
        of = f"one of {listed}"
    elif type_.kind is Kind.SET:
        members = "whole numbers" if type_.element is not None else "texts"
        of = f"a set of {members}{f' such as {listed}' if listed else ''}"
    else:
        of = _TYPES[type_.kind]
    return f"{of}{', or None if not known' if type_.optional else ''}"


def describe_agent(spec: AgentSpec, arguments: Sequence[Argument], *, few: bool = False) -> str:
    """The description of the agent that every prompt contains."""
    lines = [f"The agent: {spec.description or spec.name}", "Arguments:"]
    lines += [describe(argument, few=few) for argument in arguments]
    if spec.synonyms:
        lines.append("Words: " + "; ".join(f"{word} = {meaning}" for word, meaning in spec.synonyms.items()))
    return "\n".join(lines)


def default_sentence(otherwise: str) -> str:
    """The sentence about the decision for everything else."""
    if otherwise == "allow":
        return "What no rule forbids is allowed."
    return "What no rule permits is denied."


def ask_for_analysis(
    request: str, spec: AgentSpec, arguments: Sequence[Argument], *, few: bool = False, decided: str = ""
) -> tuple[Message, ...]:
    """The validator's prompt; with ``few``, names replace lists of values in the request.

    ``decided`` is the part that shows actions that were decided before.
    """
    agent = describe_agent(spec, arguments, few=few)
    gap = "\n\n" if decided else ""
    return (
        Message("system", ANALYSIS),
        Message("user", f"{agent}\n\n{decided}{gap}The request:\n{request}"),
    )


def ask_for_sentence(request: str, sentence: str) -> tuple[Message, ...]:
    """The prompt about one sentence for which the analysis has neither rule nor context."""
    return (
        Message("system", SENTENCE),
        Message("user", f"The request:\n{request}\n\nThe sentence:\n{sentence}"),
    )


def ask_for_uses(
    statements: Sequence[tuple[str, str]], spec: AgentSpec, arguments: Sequence[Argument]
) -> tuple[Message, ...]:
    """The prompt of the arguments' schema."""
    rules = "\n".join(f"{id_}: {statement}" for id_, statement in statements)
    agent = describe_agent(spec, arguments, few=True)
    return (Message("system", USES), Message("user", f"{agent}\n\nRules:\n{rules}"))


def ask_for_part(
    system: str,
    spec: AgentSpec,
    arguments: Sequence[Argument],
    *,
    otherwise: str,
    passage: str,
    few: bool,
    assumptions: Sequence[str],
    decided: str = "",
) -> tuple[Message, ...]:
    """The prompt of a generator, for one passage under the assumptions made about it.

    With ``few``, the values of sets are left out: the passage names none of them. ``decided`` is the part
    that shows actions that were decided before.
    """
    agent = describe_agent(spec, arguments, few=few)
    lines = ["", decided, ""] if decided else []
    lines += [default_sentence(otherwise), "", f'Passage: "{passage}"']
    if assumptions:
        lines.append("Decided by the person who asks, whatever the passage says:")
        lines += [f"- {assumption}" for assumption in assumptions]
    return (Message("system", system), Message("user", f"{agent}\n" + "\n".join(lines)))
