"""The words that may stand in a policy: constructs of the dialect, and the names and values of one policy.

For completion in an editor. The constructs come from the checker's own tables, so that nothing is
offered that the checker refuses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.policy.checker.function_calls import METHODS, VOCABULARY
from workbench.policy.names import IMPORTS
from workbench.policy.terms import PolicyTerms

KEYWORDS = ("and", "or", "not", "in", "is", "if", "else", "for", "return", "True", "False", "None")


@dataclass(frozen=True, slots=True)
class CompletionWord:
    """A word, and what it is in a few words. A ``quoted`` one stands in a string."""

    text: str
    what: str
    quoted: bool = False


def dialect_words() -> tuple[CompletionWord, ...]:
    """The constructs of the dialect: functions, methods, the contract, imported types, keywords."""
    contract = IMPORTS["nagini_contracts.contracts"]
    found = [CompletionWord(name, "contract" if name in contract else "function") for name in VOCABULARY]
    found += [
        CompletionWord(name, "contract" if names is contract else "type")
        for names in IMPORTS.values()
        for name in sorted(names)
        if name not in VOCABULARY
    ]
    found += [CompletionWord(f".{name}", "method") for name in METHODS]
    return (*found, *(CompletionWord(name, "keyword") for name in KEYWORDS))


def policy_words(terms: PolicyTerms) -> tuple[CompletionWord, ...]:
    """The arguments, constants, helpers, rules and known values of a policy."""
    found = [CompletionWord(item.name, f"argument, {item.type.kind}") for item in terms.arguments]
    found += [CompletionWord(name, "table") for name in terms.tables]
    found += [CompletionWord(name, "set") for name in terms.sets]
    found += [CompletionWord(name, "constant") for name in terms.constants]
    for record in terms.records.values():
        found.append(CompletionWord(record.name, "record"))
        found += [
            CompletionWord(name, f"field of {record.name}, {kind.kind}") for name, kind in record.fields
        ]
    found += [CompletionWord(name, "helper") for name in terms.helpers]
    found += [CompletionWord(rule.name, "rule") for rule in terms.rules]
    for item in terms.arguments:
        found += [CompletionWord(value, f"value of {item.name}", quoted=True) for value in item.type.values]
    for name, values in terms.sets.items():
        found += _values(values.values, f"in {name}")
    for name, table in terms.tables.items():
        found += _values(table.entries, f"key of {name}")
        for entry in table.entries.values():
            found += _values(entry if isinstance(entry, frozenset) else (entry,), f"in {name}")
    return tuple({(word.text, word.quoted): word for word in reversed(found)}.values())[::-1]


def _values(values: Iterable[object], what: str) -> list[CompletionWord]:
    return [
        CompletionWord(value, what, quoted=True) for value in sorted(v for v in values if isinstance(v, str))
    ]
