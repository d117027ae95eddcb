"""The prompts of the author, in plain words, each with one example from another world.

The fixed part comes first and the one requirement last, so that a server can keep what it read.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.author.openai.recording import Message
from workbench.model import AgentSpec, Argument, Kind

_MOST_VALUES = 120
_TYPES = {
    Kind.BOOL: "True or False",
    Kind.INT: "a whole number",
    Kind.DECIMAL: 'an exact decimal, written as Decimal("1.50")',
    Kind.STR: "a text",
    Kind.DATE: "a date, written as date(2026, 1, 31)",
    Kind.TIME: "a time of day, written as time(9, 0)",
    Kind.DATETIME: "a time, written as datetime(2026, 1, 31, 9, 0)",
}

EXPRESSIONS = """\
A condition is one Python expression over the arguments, in a small part of Python:
- and, or, not, ==, !=, <, <=, >, >=, in, not in, + - * on numbers
- an argument that is True or False is used as it is: vip, not vip
- a set of texts: any(x in NAMES for x in items), all(x in NAMES for x in items), \
any(x not in NAMES for x in items)
- a text: name.startswith("a"), name.endswith("b"), "c" in name, len(name) < 9
- an optional argument is compared only after: x is not None and ...
- NAMES is a list that you give in "lists" with a name in capitals; use lists for more than one text.
Nothing else: no imports, no other functions, no floats, no len of a set."""

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

USES = f"""\
You are given the rules for a software agent and the arguments that are known of each of its actions. \
Reply in JSON: "arguments" has the names of the arguments that decide the rules, from the list of arguments; \
"lacking" has an entry only for a rule that cannot be decided from the arguments: "rule" is its number and \
"fact" says in a few words what would have to be known. Usually "lacking" is empty.

Example. Arguments:
{_ARGUMENTS_EXAMPLE}
Rules:
R1: Readers younger than 16 may not borrow films.
R2: Readers who owe money may not borrow anything.
Reply:
{{"arguments": ["action", "years"], "lacking": [{{"rule": "R2", "fact": "whether the reader owes money"}}]}}\
"""

RULES = f"""\
You turn one requirement for a software agent into rules of a policy. A rule that forbids denies whenever \
its condition holds. Reply in JSON with "lists" and "rules". Each rule has "name" (small letters and \
underscores), "effect" ("forbid", or "permit" only where everything is denied that no rule permits), \
"when" (the condition) and "message" (one sentence for the person who is refused). A requirement that only \
says what is allowed anyway has no rules: "rules": [].

{EXPRESSIONS}

Example. Arguments:
{_ARGUMENTS_EXAMPLE}
What no rule forbids is allowed.
Requirement: "Films may be lent to readers from 16."
Reply:
{{"lists": [], "rules": [{{"name": "film_for_young_reader", "effect": "forbid", "when": "action == \
\\"lend_film\\" and years < 16", "message": "Readers younger than 16 may not borrow films."}}]}}"""

CLAUSES = f"""\
You write what must be true of every policy that meets a requirement for a software agent, so that a \
prover can check policies that others write. Reply in JSON with "lists" and "clauses". Each clause has \
"when" (a condition), "decision" ("allow" or "deny": what every action that meets the condition must get) \
and "comment" (the clause as a sentence). Say both what must be denied and what must be allowed. Two \
clauses never contradict each other.

{EXPRESSIONS}

Example. Arguments:
{_ARGUMENTS_EXAMPLE}
What no rule forbids is allowed.
Requirement: "Films may be lent to readers from 16."
Reply:
{{"lists": [], "clauses": [{{"when": "action == \\"lend_film\\" and years < 16", "decision": "deny", \
"comment": "Nobody younger than 16 borrows a film."}}, {{"when": "action == \\"lend_film\\" and years >= \
16", "decision": "allow", "comment": "From 16 on, films are lent."}}]}}"""

CASES = f"""\
You write test cases for one requirement for a software agent: actions with the decision that each must \
get. Choose a limit and both sides of it: two cases, three at most. Reply in JSON: "cases", each with \
"arguments" (a value for every argument), "expected" ("allow" or "deny") and "reason" (a few words).

Example. Arguments:
{_ARGUMENTS_EXAMPLE}
What no rule forbids is allowed.
Requirement: "Films may be lent to readers from 16."
Reply:
{{"cases": [{{"arguments": {{"action": "lend_film", "years": 15, "card": true}}, "expected": "deny", \
"reason": "one year too young"}}, {{"arguments": {{"action": "lend_film", "years": 16, "card": true}}, \
"expected": "allow", "reason": "just old enough"}}]}}"""


def describe(argument: Argument) -> str:
    """An argument as a line of a prompt: name, values, meaning."""
    type_ = argument.type
    listed = ", ".join(f'"{value}"' for value in type_.values[:_MOST_VALUES])
    match type_.kind:
        case Kind.ENUM:
            of = f"one of {listed}"
        case Kind.SET:
            of = f"a set of texts{f' such as {listed}' if listed else ''}"
        case _:
            of = _TYPES[type_.kind]
    optional = ", or None if not known" if type_.optional else ""
    meaning = f" ({argument.description})" if argument.description else ""
    return f"{argument.name}: {of}{optional}{meaning}"


def describe_agent(spec: AgentSpec, arguments: Sequence[Argument]) -> str:
    """The agent as every prompt shows it."""
    lines = [f"The agent: {spec.description or spec.name}", "Arguments:"]
    lines += [describe(argument) for argument in arguments]
    if spec.synonyms:
        lines.append("Words: " + "; ".join(f"{word} = {meaning}" for word, meaning in spec.synonyms.items()))
    return "\n".join(lines)


def default_sentence(otherwise: str) -> str:
    """What holds for everything else."""
    if otherwise == "allow":
        return "What no rule forbids is allowed."
    return "What no rule permits is denied."


def ask_for_analysis(request: str, spec: AgentSpec, arguments: Sequence[Argument]) -> tuple[Message, ...]:
    """The validator's prompt."""
    agent = describe_agent(spec, arguments)
    return (Message("system", ANALYSIS), Message("user", f"{agent}\n\nThe request:\n{request}"))


def ask_for_uses(
    statements: Sequence[tuple[str, str]], spec: AgentSpec, arguments: Sequence[Argument]
) -> tuple[Message, ...]:
    """The prompt of the arguments' schema."""
    rules = "\n".join(f"{id_}: {statement}" for id_, statement in statements)
    agent = describe_agent(spec, arguments)
    return (Message("system", USES), Message("user", f"{agent}\n\nRules:\n{rules}"))


def ask_for_part(
    system: str,
    spec: AgentSpec,
    arguments: Sequence[Argument],
    *,
    otherwise: str,
    statement: str,
    passage: str,
    assumptions: Sequence[str],
) -> tuple[Message, ...]:
    """The prompt of a generator, for one requirement under the assumptions made about it."""
    agent = describe_agent(spec, arguments)
    lines = [default_sentence(otherwise), f'Requirement: "{statement}"']
    if passage.strip() != statement:
        lines.append(f'It comes from this part of the request:\n"""\n{passage.strip()}\n"""')
    if assumptions:
        lines.append("Decided by the person who asks, whatever the text says:")
        lines += [f"- {assumption}" for assumption in assumptions]
    return (Message("system", system), Message("user", f"{agent}\n\n" + "\n".join(lines)))
