"""Finding the argument that a quantity or a literal is about, if the sentence does not name it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache

from workbench.author.argument_terms import (
    among,
    any_of,
    compared,
    conjuncts,
    names,
    opposite,
    text_test,
)
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.quantities import Quantity
from workbench.author.rules.words import split_words, stem, word_set
from workbench.model import Argument, Kind, Scalar
from workbench.policy.terms import (
    Comparison,
    StringTestKind,
    Term,
)
from workbench.policy.types import NUMBERS
from workbench.runs.values.name_words import NAMED_IN_REQUESTS

_MONEY = frozenset(map(stem, NAMED_IN_REQUESTS["amount"]))
_PATH = frozenset(map(stem, NAMED_IN_REQUESTS["path"]))
_ADDRESS = frozenset(map(stem, word_set("recipient to address email mail sender receiver cc bcc recipients")))
_COMMAND = frozenset(map(stem, NAMED_IN_REQUESTS["command"]))
_HOST = frozenset(map(stem, word_set("host hostname domain")))
_RECEIVERS = word_set("recipient recipients to receiver addressee destination target")
_SENDERS = word_set("sender from source origin")
AGGREGATE = frozenset(map(stem, word_set("today daily week weekly month monthly total overall per times")))
_COUNTING = frozenset(map(stem, word_set("many number count times")))
_DOMAIN = re.compile(r"@?[\w-]+(\.[\w-]+)+")
_FILE = re.compile(
    r"[\w-]+(\.[\w-]+)*\.(html?|pdf|txt|csv|tsv|json|jsonl|xml|ya?ml|toml|ini|cfg|conf|log|lock|env|bak|tmp|exe|dll|bat|"
    r"jar|js|jsx|ts|tsx|css|php|sql|sqlite|db|ipynb|docx?|xlsx?|pptx?|odt|ods|png|jpe?g|gif|svg|webp|mp[34]|wav|tar|gz|"
    r"tgz|7z|pem|key|crt|md|py|sh|zip|rs|mov|java)",
    re.I,
)
_ALSO_DOMAINS = ("md", "py", "sh", "zip", "rs", "mov")
_CODES = re.compile(r"\b(EUR|USD|GBP|CHF)\b|([€$£])")
_SIGNS = {"€": "EUR", "$": "USD", "£": "GBP"}


class UnreadableError(Exception):
    """A phrase that the author cannot read; ``subject`` is the word at which reading failed.

    ``consulted`` are the answers looked up until then; None if that is not known.
    """

    def __init__(self, reason: str, subject: str = "", kind: str = "unreadable") -> None:
        """Keep the reason, the word, and the kind of trouble."""
        super().__init__(reason)
        self.consulted: Mapping[str, str | None] | None = None
        self.reason = reason
        self.subject = subject
        self.kind = kind


class SeveralFactsError(UnreadableError):
    """A word that fits several facts, with ``options`` by name: each of them is a reading."""

    def __init__(self, word: str, options: tuple[str, ...]) -> None:
        """Keep the word and its options."""
        super().__init__(f"“{word}” can be said of {' or of '.join(options)}", word, "undefined")
        self.options = options


@lru_cache(maxsize=4096)
def _described(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in split_words(text))


def words_of(argument: Argument, described: bool = True) -> frozenset[str]:
    """The stems of the argument's name and, unless left out, its description."""
    text = f"{argument.name} {argument.description}" if described else argument.name
    return _described(text)


def compare(
    lexicon: Lexicon, reference: str | None, operator: str, quantity: Quantity, word: str, people: bool
) -> Term:
    """The comparison of the argument meant with the quantity.

    ``people`` says that the phrase is about a person, so that a bare number is an age.
    """
    argument = lexicon.argument(reference) if reference else _argument_for(lexicon, quantity, people)
    if argument.type.optional and argument.type.kind is Kind.BOOL:
        raise UnreadableError(f"{argument.name} is not a quantity", argument.name)
    _check_unit(argument, quantity)
    return compared(argument, Comparison(operator), _fit(argument, quantity.value), word)


def _argument_for(lexicon: Lexicon, quantity: Quantity, people: bool) -> Argument:
    name = type(quantity.value).__name__
    if name in ("date", "time"):
        return _only(lexicon.of_kind(Kind(name)), f"a {name}")
    # A field of a record is meant only where the phrase names its fact.
    numbers = tuple(argument for argument in lexicon.of_kind(*NUMBERS) if "." not in argument.name)
    ages = tuple(argument for argument in numbers if "age" in split_words(argument.name))
    if quantity.unit == "years" or (not quantity.unit and people):
        return _only(ages, "an age")
    other_numbers = tuple(argument for argument in numbers if argument not in ages)
    if quantity.unit:
        return _only(_unqualified(_plain(_of_money(other_numbers, quantity.unit))), "an amount of money")
    return _only(_plain(other_numbers), "a number")


def has_money(lexicon: Lexicon) -> bool:
    """Whether some argument is an amount of money."""
    return any(map(is_money, lexicon.of_kind(*NUMBERS)))


def _of_money(numbers: tuple[Argument, ...], unit: str) -> tuple[Argument, ...]:
    """The amounts of money among numbers: those in the same currency, else those with words for money."""
    in_same_currency = tuple(number for number in numbers if _currency_of(number) == unit)
    sounding = tuple(
        number for number in numbers if number.type.kind is Kind.DECIMAL or "number" not in words_of(number)
    )
    return in_same_currency or tuple(argument for argument in sounding if words_of(argument) & _MONEY)


def _unqualified(candidates: tuple[Argument, ...]) -> tuple[Argument, ...]:
    """The one amount with a plain name, else all: “original amount” would need its full name."""
    plainly_named = tuple(candidate for candidate in candidates if {stem(candidate.name.lower())} <= _MONEY)
    return plainly_named if len(plainly_named) == 1 else candidates


def _plain(candidates: tuple[Argument, ...]) -> tuple[Argument, ...]:
    """The arguments about one action; an argument that counts or sums several actions has to be named."""
    single = tuple(candidate for candidate in candidates if not is_aggregate(candidate))
    return single if len(candidates) > 1 and single else candidates


def is_aggregate(argument: Argument) -> bool:
    """Whether an argument counts or sums several actions."""
    history = argument.extraction is not None and argument.extraction.method == "history"
    return history or bool(words_of(argument) & AGGREGATE)


def unit_argument(lexicon: Lexicon, stems_: frozenset[str]) -> Argument | None:
    """The numeric argument that a noun after a number names (“10 MB”, “five passengers”), if it is one."""
    numbers = lexicon.of_kind(*NUMBERS)
    for described in (False, True):
        arguments = [number for number in numbers if stems_ and stems_ <= words_of(number, described)]
        arguments = [
            argument for argument in arguments if "." not in argument.name or stems_ & _own_words(argument)
        ]
        arguments = list(_plain(tuple(arguments)))
        fewest = min((argument.name.count(".") for argument in arguments), default=0)
        arguments = [
            argument for argument in arguments if argument.name.count(".") == fewest
        ]  # the call's own argument takes precedence over a record's
        if len(arguments) == 1:
            return arguments[0]
    return None


def _own_words(fact: Argument) -> frozenset[str]:
    """The stems of a fact's name without those of its record."""
    own_name = fact.name.removesuffix(".number").removesuffix(".total").rpartition(".")[2]
    return frozenset(map(stem, split_words(own_name)))


def _only(candidates: tuple[Argument, ...], noun: str) -> Argument:
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise UnreadableError(f"the agent spec has no argument for {noun}", noun, "undefined")
    listed = ", ".join(argument.name for argument in candidates)
    raise UnreadableError(f"it does not say which of {listed} is {noun}", noun, "undefined")


def _check_unit(argument: Argument, quantity: Quantity) -> None:
    if not quantity.unit or quantity.unit == "years":
        return
    currency = _currency_of(argument)
    if counts_things(argument):
        raise UnreadableError(f"{argument.name} is no amount of money", argument.name, "undefined")
    if currency and currency != quantity.unit:
        raise UnreadableError(
            f"{argument.name} is in {currency}, the sentence in {quantity.unit}", argument.name, "unit"
        )


def counts_things(argument: Argument) -> bool:
    """Whether an argument is a number of things, and therefore no amount of money."""
    counts = bool(words_of(argument) & _COUNTING) or is_aggregate(argument)
    return counts and not is_money(argument)


def is_money(argument: Argument) -> bool:
    """Whether an argument is an amount of money, by its currency or its words."""
    return bool(_currency_of(argument) or words_of(argument) & _MONEY)


def _currency_of(argument: Argument) -> str:
    match = _CODES.search(argument.description)
    return (match[1] or _SIGNS[match[2]]) if match else ""


def _fit(argument: Argument, value: Scalar) -> Scalar:
    """The value converted to the argument's type."""
    match argument.type.kind, value:
        case Kind.DECIMAL, bool():
            pass
        case Kind.DECIMAL, int() | Decimal():
            return Decimal(value)
        case Kind.INT, bool():
            pass
        case Kind.INT, int():
            return value
        case Kind.INT, Decimal() if value == int(value):
            return int(value)
        case ((Kind.DATE | Kind.TIME), _) if type(value).__name__ == argument.type.kind.value:
            return value
        case _:
            pass
    raise UnreadableError(f"{argument.name} cannot be compared with {value}", argument.name, "undefined")


def literal_test(
    lexicon: Lexicon, reference: str | None, text: str, test: str, preposition: str, around: frozenset[str]
) -> Term:
    """The test of a text argument for a literal of the sentence.

    ``test`` is the relation (``startswith``...), or empty if the literal is alone. Then a directory means
    everything under it, and ``example.com`` every address there. ``around`` are the stems of the known words
    next to the literal ("commands starting with rm").
    """
    path = bool(re.match(r"[~/]|\*?\.\w+$", text)) or (text.endswith("/") and not test)
    address = not path and ("@" in text or bool(re.fullmatch(r"[\w-]+(\.[\w-]+)+", text)))
    if reference is None:
        wanted_words = _PATH if path else _ADDRESS if address else frozenset[str]()
        texts = lexicon.of_kind(Kind.STR)
        wanted_words = wanted_words or around
        fitting = tuple(
            description for description in texts if words_of(description, described=False) & wanted_words
        )
        fitting = fitting or tuple(
            description for description in texts if words_of(description) & wanted_words
        )
        argument = _only(fitting, f"“{text}”")
        hosts = any(words_of(description, described=False) & _HOST for description in texts)
        if address and "@" not in text and hosts and not words_of(argument) & (around | _HOST):
            raise UnreadableError(f"“{text}” may be a host or where mail goes", text, "undefined")
    else:
        argument = lexicon.argument(reference)
    _check_direction(argument, text, preposition)
    if argument.type.kind is Kind.ENUM:
        raise UnreadableError(f"“{text}” is no value of {argument.name}", text, "undefined")
    if argument.type.kind is not Kind.STR:
        raise UnreadableError(f"{argument.name} is not a text", argument.name, "undefined")
    if test:
        return text_test(argument, StringTestKind(test), text)
    if path:
        return _path_test(argument, text, preposition)
    if text.startswith("@"):
        return text_test(argument, StringTestKind.SUFFIX, text)
    if address and "@" not in text and words_of(argument) & _ADDRESS:
        return text_test(argument, StringTestKind.SUFFIX, f"@{text}")
    return among(argument, text)


def file_named(lexicon: Lexicon, name: str, around: frozenset[str], *, denying: bool) -> Term | None:
    """The test for a file name: that file, in any folder; None for any other text.

    Next to words for a command, a name is no file name. Raises UnreadableError in three cases: the words next
    to the name (``around``) are not those of a path; its ending is also one of domains; the sentence permits,
    because then not every folder may be meant.
    """
    texts = lexicon.of_kind(Kind.STR)
    runs = any(words_of(text, described=False) & _COMMAND and words_of(text) & around for text in texts)
    if runs or not _FILE.fullmatch(name):
        return None
    paths = [text for text in texts if words_of(text, described=False) & _PATH]
    if len(paths) != 1 or not words_of(paths[0]) & around:
        raise UnreadableError(f"“{name}” is a file, and it is open which argument says it", name, "undefined")
    if name.lower().endswith(_ALSO_DOMAINS) and any(
        words_of(argument) & _HOST for argument in lexicon.arguments
    ):
        raise UnreadableError(f"“{name}” may be a file or a host", name, "undefined")
    if not denying:
        raise UnreadableError(f"it is open in which folder “{name}” is", name, "undefined")
    return any_of(among(paths[0], name), text_test(paths[0], StringTestKind.SUFFIX, f"/{name}"))


def host_beside(lexicon: Lexicon, domain: str, around: frozenset[str]) -> Argument | None:
    """The host argument that a bare domain is about, by the words next to it: “fetch pages from …”."""
    if domain.startswith("@") or not _DOMAIN.fullmatch(domain):
        return None
    texts = lexicon.of_kind(Kind.STR)
    hosts = [text for text in texts if words_of(text, described=False) & _HOST]
    address_texts = [text for text in texts if text not in hosts and words_of(text) & _ADDRESS]
    named = [argument for argument in (*hosts, *address_texts) if words_of(argument) & around]
    return hosts[0] if len(hosts) == 1 and named == hosts else None


def host_of(lexicon: Lexicon, condition: Term) -> str | None:
    """The host argument in the last part of a condition, if there is one."""
    last = names(conjuncts(condition)[-1])
    is_host = len(last) == 1 and words_of(lexicon.argument(last[0]), described=False) & _HOST
    return last[0] if is_host and lexicon.argument(last[0]).type.kind is Kind.STR else None


def with_subdomains(lexicon: Lexicon, condition: Term, domain: str) -> Term:
    """A condition on a host, or on an address at it, extended to the host's subdomains."""
    name = next(iter(names(condition)), "")
    argument = lexicon.argument(name) if len(names(condition)) == 1 else None
    if argument is None or not words_of(argument) & (_HOST | _ADDRESS) or not _DOMAIN.fullmatch(domain):
        raise UnreadableError(f"“{domain}” is no domain that an argument says", domain, "undefined")
    return any_of(condition, text_test(argument, StringTestKind.SUFFIX, f".{domain.removeprefix('@')}"))


def against(preposition: str, name: str) -> bool:
    """Whether the argument's name contradicts “to” (a source) or “from” (a destination)."""
    contradicting_words = {"from": _RECEIVERS, "to": _SENDERS}.get(preposition, frozenset[str]())
    return bool(contradicting_words & set(split_words(name)))


def _check_direction(argument: Argument, text: str, preposition: str) -> None:
    """Refuse “from x” for an argument that is a destination, and “to x” for one that is a source."""
    if against(preposition, argument.name):
        raise UnreadableError(f"“{preposition} {text}” is not what {argument.name} says", text, "undefined")


def _path_test(argument: Argument, text: str, preposition: str) -> Term:
    if text.startswith(("*.", ".")):
        return text_test(argument, StringTestKind.SUFFIX, text.removeprefix("*"))
    inside = preposition in ("under", "in", "within", "inside", "below", "into", "outside", "to", "from")
    directory = text.removesuffix("*")
    if "*" in directory:
        raise UnreadableError(f"“{text}” has a * in its middle", text, "undefined")
    if directory.endswith("/") or text.endswith("*"):
        return text_test(argument, StringTestKind.PREFIX, directory)
    if not inside:
        return among(argument, text)
    within = text_test(argument, StringTestKind.PREFIX, f"{directory}/")
    # A name with a dot may be a file, or a folder such as “.git”.
    return any_of(among(argument, text), within) if "." in text.rsplit("/", 1)[-1] else within


def negated(condition: Term, negate: bool) -> Term:
    """The condition, negated if ``negate``."""
    return opposite(condition) if negate else condition
