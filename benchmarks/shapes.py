"""Policies of a given size, for measuring how the checks grow."""

from __future__ import annotations

from collections.abc import Iterable

HEAD = '''"""A policy made up for a measurement."""

from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

'''

ROLES = ("physician", "nursing", "general administration")


def columns_of(count: int) -> list[str]:
    """Return names of ``count`` columns, six to a table."""
    return [f"table{index // 6}.column{index % 6}" for index in range(count)]


def readable(count: int) -> dict[str, list[str]]:
    """Return the columns of ``count`` that each role may read: overlapping halves and a third."""
    names = columns_of(count)
    return {
        ROLES[0]: [name for index, name in enumerate(names) if index % 2 == 0],
        ROLES[1]: [name for index, name in enumerate(names) if index % 4 < 2],
        ROLES[2]: [name for index, name in enumerate(names) if index % 3 == 0],
    }


def hospital(columns: int = 62, *, swap: bool = False) -> str:
    """Return the policy of a role table, one exact clause for each role.

    ``swap`` plants a mistake in the table: two roles exchange one column.
    """
    allowed = readable(columns)
    table = {role: list(names) for role, names in allowed.items()}
    if swap:
        table[ROLES[1]].remove(table[ROLES[1]][1])
    rows = "\n".join(f'    "{role}": {{{_quoted(names)}}},' for role, names in table.items())
    clauses = "\n".join(
        f"    # R{number}: A {role} may read exactly the listed columns.\n"
        f'    Ensures(Implies(role == "{role}", Result() == all(column in {{{_quoted(allowed[role])}}} '
        "for column in columns)))"
        for number, role in enumerate(ROLES, 1)
    )
    return f"""{HEAD}Role = Literal[{_quoted(ROLES)}]

READABLE = {{
{rows}
}}


def forbid_unreadable_column(role: Role, columns: frozenset[str]) -> bool:
    \"\"\"R1, R2, R3: A role may read only the columns listed for it.\"\"\"
    return any(column not in READABLE[role] for column in columns)


def allow(role: Role, columns: frozenset[str]) -> bool:
{clauses}
    return not (forbid_unreadable_column(role, columns))
"""


def cards(rules: int, *, slip: int | None = None) -> str:
    """Return a policy of rule cards, each with a clause of its own.

    Card i is about one action and a boundary; every fourth card also tests a part of a text, every fourth a
    set. ``slip`` moves the boundary of that card in the rule, not in the clause.
    """
    actions = _quoted(f"action {index}" for index in range(rules))
    parameters = "action: Action, age: int, amount: Decimal, text: str, tags: frozenset[str]"
    names = "action, age, amount, text, tags"
    parts = [f"{HEAD}Action = Literal[{actions}]\n"]
    for index in range(rules):
        condition = _condition(index, 1 if index == slip else 0)
        parts.append(
            f"\n\ndef forbid_{index}({parameters}) -> bool:\n"
            f'    """R{index}: Card {index}."""\n    return {condition}\n'
        )
    clauses = "\n".join(
        f"    # R{index}: Card {index}.\n    Ensures(Implies({_condition(index, 0)}, not Result()))"
        for index in range(rules)
    )
    calls = " or ".join(f"forbid_{index}({names})" for index in range(rules))
    parts.append(f"\n\ndef allow({parameters}) -> bool:\n{clauses}\n    return not ({calls})\n")
    return "".join(parts)


def _condition(index: int, move: int) -> str:
    about = f'action == "action {index}"'
    match index % 4:
        case 0:
            return f"{about} and age < {18 + index % 50 - move}"
        case 1:
            return f'{about} and amount > Decimal("{100 + index + move}.50")'
        case 2:
            return f'{about} and text.startswith("word{index}") and age < {18 + index % 50 - move}'
        case _:
            return f'{about} and any(tag == "tag{index}" for tag in tags) and age < {18 + index % 50 - move}'


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)
