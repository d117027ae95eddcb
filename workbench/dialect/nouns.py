"""The words and units of a session: what sentences call a class, field or function, and what it counts.

The keys of ``[nouns]`` and ``[units]`` in ``agent.toml`` are names of ``agent.pyi``: ``PayInvoice`` a tool,
``Booking`` a record, ``Booking.starts_at`` a field. A name without a capital is a function of the policy.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from workbench.likeness import did_you_mean
from workbench.model import ArgumentType, ContextField, Kind, RecordType, WorkbenchError

CONTEXT = "Context"
"""The class of the values of the application's context."""
_MOST_LETTERS = 80
_UNIT = re.compile(r"[^\s\d{}\[\]|:@“”\"'(),.;<>=_-]{1,20}")
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Characters that nobody sees, and those that turn the direction of what stands around them."""


def check_nouns(
    nouns: Mapping[str, str],
    units: Mapping[str, str],
    classes: Iterable[RecordType],
    context: Mapping[str, ContextField],
) -> None:
    """Check that words are words, units are those of numbers, and that what they are about exists.

    Raises WorkbenchError. A name of a function is checked where the policy is known (``check_facts``).
    """
    types: dict[str, ArgumentType | None] = {f"{CONTEXT}.{name}": one.type for name, one in context.items()}
    for one in classes:
        types[one.name] = None
        types |= {f"{one.name}.{name}": type_ for name, type_ in one.fields if "." not in name}
    for name, words in nouns.items():
        _check_name(name, types, "nouns")
        check_words(name, words)
    for name, unit in units.items():
        _check_name(name, types, "units")
        if not _UNIT.fullmatch(unit) or any(unicodedata.category(one) in _HIDDEN for one in unit):
            raise WorkbenchError(
                f'"{unit}" cannot be the unit of {name} in agent.toml; it is one word, as "EUR".'
            )
        if not is_fact(name) and not _is_number(types[name]):
            raise WorkbenchError(f"{name} has a unit in agent.toml and is no number.")


def check_words(name: str, words: str) -> None:
    """Check that a noun can stand in a sentence. Raises WorkbenchError."""
    wrong = (
        "is empty" if not words.strip() else
        f"has more than {_MOST_LETTERS} letters" if len(words) > _MOST_LETTERS else
        "has a quotation mark, bracket or brace" if set(words) & set('“”"{}()[]') else
        "has a character that is not seen" if any(unicodedata.category(one) in _HIDDEN for one in words) else
        "has blanks at its ends or two in a row" if words != " ".join(words.split()) else
        ""
    )  # fmt: skip
    if wrong:
        raise WorkbenchError(f"The noun of {name} in agent.toml {wrong}.")


def check_facts(nouns: Mapping[str, str], units: Mapping[str, str], facts: Iterable[str]) -> None:
    """Check that words and units of functions are those of functions of a policy. Raises WorkbenchError."""
    known = set(facts)
    for table, given in (("nouns", nouns), ("units", units)):
        for name in filter(is_fact, given):
            if name not in known:
                hint = did_you_mean(name, known, ' Did you mean "{}"?')
                raise WorkbenchError(
                    f'[{table}] of agent.toml names "{name}", which is no function of the policy.{hint}'
                )


def is_fact(name: str) -> bool:
    """Whether a name is that of a function, and not of a class or field."""
    return "." not in name and not name[:1].isupper()


def _check_name(name: str, known: Mapping[str, ArgumentType | None], table: str) -> None:
    if name in known or is_fact(name):
        return
    hint = did_you_mean(name, known, 'Did you mean "{}"?') or "It is a class or field of agent.pyi."
    raise WorkbenchError(f'[{table}] of agent.toml names "{name}", which the agent does not have. {hint}')


def _is_number(type_: ArgumentType | None) -> bool:
    element = type_ if type_ is None or type_.element is None else type_.element
    return element is not None and element.kind in (Kind.INT, Kind.DECIMAL)
