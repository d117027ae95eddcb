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
    description: str
    quoted: bool = False


def dialect_words() -> tuple[CompletionWord, ...]:
    """The constructs of the dialect: functions, methods, the contract, imported types, keywords."""
    contract = IMPORTS["nagini_contracts.contracts"]
    completion_words = [
        CompletionWord(name, "contract" if name in contract else "function") for name in VOCABULARY
    ]
    completion_words += [
        CompletionWord(name, "contract" if names is contract else "type")
        for names in IMPORTS.values()
        for name in sorted(names)
        if name not in VOCABULARY
    ]
    completion_words += [CompletionWord(f".{name}", "method") for name in METHODS]
    return (*completion_words, *(CompletionWord(name, "keyword") for name in KEYWORDS))


def policy_words(terms: PolicyTerms) -> tuple[CompletionWord, ...]:
    """The arguments, constants, helpers, rules and known values of a policy."""
    completion_words = [CompletionWord(item.name, f"argument, {item.type.kind}") for item in terms.arguments]
    completion_words += [CompletionWord(name, "table") for name in terms.tables]
    completion_words += [CompletionWord(name, "set") for name in terms.sets]
    completion_words += [CompletionWord(name, "constant") for name in terms.constants]
    for record in terms.records.values():
        completion_words.append(CompletionWord(record.name, "record"))
        completion_words += [
            CompletionWord(name, f"field of {record.name}, {kind.kind}") for name, kind in record.fields
        ]
    completion_words += [CompletionWord(name, "helper") for name in terms.helpers]
    completion_words += [CompletionWord(rule.name, "rule") for rule in terms.rules]
    for item in terms.arguments:
        completion_words += [
            CompletionWord(value, f"value of {item.name}", quoted=True) for value in item.type.values
        ]
    for name, values in terms.sets.items():
        completion_words += _values(values.values, f"in {name}")
    for name, table in terms.tables.items():
        completion_words += _values(table.entries, f"key of {name}")
        for entry in table.entries.values():
            completion_words += _values(entry if isinstance(entry, frozenset) else (entry,), f"in {name}")
    return tuple({(word.text, word.quoted): word for word in reversed(completion_words)}.values())[::-1]


def _values(values: Iterable[object], description: str) -> list[CompletionWord]:
    return [
        CompletionWord(value, description, quoted=True)
        for value in sorted(v for v in values if isinstance(v, str))
    ]
