"""A lowered program run as plain Python, so that it can be compared with its policy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from tests.policy.flat.abstracted import abstract
from workbench.engines.nagini.lowering.lower import LIMITS, Lowered, Values
from workbench.engines.nagini.lowering.lowered_pieces import scale_of
from workbench.engines.nagini.lowering.numbers import ordinal, scaled
from workbench.engines.nagini.lowering.string_codes import StringFamily
from workbench.engines.nagini.lowering.string_regions import LoweringFault, LoweringLimit
from workbench.model import Arguments, ArgumentType, Kind, Scalar, Value
from workbench.policy.terms import Parameter

type Encoded = Mapping[str, int | bool | frozenset[int]]
_TEXTS = {Kind.STR, Kind.ENUM, Kind.SET}


def encode(lowered: Lowered, arguments: Arguments) -> Encoded:
    """The program's values for arguments that fit their types.

    Raises LoweringLimit for a value that has more decimal places than its type.
    """
    opened = lowered.opened.explode(arguments)
    flat: dict[str, Value] = {}
    for flattened in lowered.flats.values():
        flat.update(abstract(flattened, opened))
    return _encoded(lowered.values, flat)


def run(lowered: Lowered, encoded: Encoded) -> bool:
    """The decision of the program, run as Python; only for a program lowered with all clauses."""
    return checker(lowered).call("allow", encoded)


def holds(lowered: Lowered, clause: str, encoded: Encoded) -> bool:
    """Whether a clause holds on the values or the preconditions are broken, run as Python."""
    requires, ensures = checker(lowered).contract(lowered.methods[clause], encoded)
    return ensures or not requires


def checker(lowered: Lowered) -> LoweredRun:
    """The program as Python, to be run many times."""
    families = lowered.values.strings.families()
    return LoweredRun(lowered.text, max((len(family.words) for family in families), default=0) + 1)


def _encoded(values: Values, arguments: Arguments) -> dict[str, int | bool | frozenset[int]]:
    """The program's values for arguments that fit their types.

    Raises:
        LoweringLimit: a value has more decimal places than its type.
        KeyError: an argument that the program needs is not given.
    """
    encoded: dict[str, int | bool | frozenset[int]] = {}
    codes = _codes(values, arguments)
    for argument in values.arguments:
        name = values.names.get(argument.name)
        if name is None:
            continue
        value = arguments[argument.name]
        if argument.type.optional:
            encoded[f"{name}_missing"] = value is None
        if isinstance(value, frozenset):
            encoded[name] = frozenset(
                codes[argument.name, element] for element in cast("frozenset[str]", value)
            )
        elif isinstance(value, str):
            encoded[name] = codes[argument.name, value]
        elif value is None:
            encoded[name] = _some(values, argument)
        else:
            encoded[name] = _number(values, cast("Scalar", value), argument.type)
    return encoded


def _number(values: Values, value: Scalar, kind: ArgumentType) -> int | bool:
    if isinstance(value, bool):
        return value
    if kind.kind is Kind.DECIMAL and isinstance(value, (Decimal, int)):
        return _exact_units(value, scale_of(values.terms, kind))
    return int(ordinal(value))


def _some(values: Values, argument: Parameter) -> int | bool:
    """Any value of the domain, used for a missing argument."""
    kind = argument.type.kind
    if kind is Kind.BOOL:
        return False
    if kind is Kind.ENUM:
        return values.strings.family(("", argument.name)).codes[argument.type.values[0]]
    return LIMITS[kind][0] if kind in LIMITS else 1


def _codes(values: Values, arguments: Arguments) -> dict[tuple[str, str], int]:
    """The codes of all strings in the arguments, by argument and string."""
    codes: dict[tuple[str, str], int] = {}
    groups: dict[int, tuple[StringFamily, list[str]]] = {}
    for argument in values.arguments:
        if argument.name in values.names and argument.type.kind in _TEXTS:
            family = values.strings.family(("", argument.name))
            groups.setdefault(id(family), (family, []))[1].append(argument.name)
    for family, names in groups.values():
        code_by_word = _assign(family, {name: arguments[name] for name in names})
        for name in names:
            value = arguments[name]
            words = _words(value)
            codes.update({(name, word): code_by_word[word] for word in words})
    return codes


def _assign(family: StringFamily, arguments: Arguments) -> dict[str, int]:
    """Codes for the strings of one family that preserve all comparisons between them.

    Scalars get codes first, one per distinct string. An element of a set that is no scalar is described by
    its kind and by the sets it belongs to. In each such class as many elements as quantifiers can distinguish
    get codes of their own, and the others share the last.
    """
    sets = {name: _words(value) for name, value in arguments.items() if isinstance(value, frozenset)}
    scalars = [value for value in arguments.values() if isinstance(value, str)]
    codes: dict[str, int] = {}
    used_by_signature: dict[tuple[bool, ...], int] = {}
    classes: dict[tuple[object, ...], list[int]] = {}

    def next_code(word: str) -> int:
        region = _region(family, word)
        place = used_by_signature.get(family.atoms.signature(word), 0)
        if family.related:
            used_by_signature[family.atoms.signature(word)] = place + 1
        return region[place]

    for word in _distinct(scalars):
        codes[word] = family.codes[word] if word in family.constants else next_code(word)
    for word in _distinct(element for value in sets.values() for element in sorted(value)):
        if word in codes:
            continue
        if word in family.constants:
            codes[word] = family.codes[word]
            continue
        member = (family.atoms.signature(word), *(word in value for value in sets.values()))
        class_codes = classes.setdefault(member, [])
        if len(class_codes) < family.depth:
            class_codes.append(next_code(word))
        codes[word] = class_codes[-1]
    return codes


def _words(value: Value) -> frozenset[str]:
    """The strings in a value; programs have no sets of numbers."""
    if isinstance(value, frozenset):
        return cast("frozenset[str]", value)
    return frozenset({value}) if isinstance(value, str) else frozenset()


def _distinct(words: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(words)


def _region(family: StringFamily, word: str) -> list[int]:
    region = family.regions.get(family.atoms.signature(word))
    if region is None:
        raise LoweringFault(f"The string {word!r} is of a kind that the lowered program does not know.")
    return region


def _exact_units(value: Decimal | int, scale: int) -> int:
    """A number times ``10**scale``.

    Raises:
        LoweringLimit: it has more decimal places than that.
    """
    number, places = scaled(value)
    if places > scale:
        raise LoweringLimit(f"{value} has more than {scale} decimal places.")
    return number * 10 ** (scale - places)


@dataclass(slots=True)
class _Contract:
    """The truth of the pre- and postcondition of the function being run, and its result once it is known."""

    result: bool = False
    requires: bool = True
    ensures: bool = True


class _IntSet:
    """Replaces ``PSet`` in annotations."""

    def __class_getitem__(cls, item: object) -> type[_IntSet]:
        """``PSet[int]``."""
        return cls


def _pure(function: Callable[..., object]) -> Callable[..., object]:
    return function


def _implies(condition: bool, consequence: bool) -> bool:
    return not condition or consequence


class LoweredRun:
    """Runs the functions of one lowered program.

    Quantifiers over ints are tried on ``0..largest``, which covers every code: the program only quantifies
    over the elements of sets of codes.
    """

    def __init__(self, text: str, largest: int) -> None:
        self._contract = _Contract()
        codes = range(largest + 1)

        def forall(_: object, holds: Callable[[int], bool]) -> bool:
            return all(holds(code) for code in codes)

        self._names: dict[str, Any] = {
            "__builtins__": {"int": int, "bool": bool},
            "Pure": _pure,
            "PSet": _IntSet,
            "Forall": forall,
            "Implies": _implies,
            "Requires": self._requires,
            "Ensures": self._ensures,
            "Result": lambda: self._contract.result,
        }
        body = text.replace("from nagini_contracts.contracts import *", "", 1)
        exec(compile(body, "<lowered>", "exec"), self._names)  # noqa: S102 - written by lower() from checked terms

    def _requires(self, holds: bool) -> None:
        self._contract.requires = self._contract.requires and bool(holds)

    def _ensures(self, holds: bool) -> None:
        self._contract.ensures = self._contract.ensures and bool(holds)

    def call(self, function: str, values: Mapping[str, object]) -> bool:
        """The result of a function of the program."""
        self._contract = _Contract()
        run = cast("Callable[..., bool]", self._names[function])
        parameter_names = run.__code__.co_varnames[: run.__code__.co_argcount]
        return bool(run(**{name: values[name] for name in parameter_names}))

    def contract(self, function: str, values: Mapping[str, object]) -> tuple[bool, bool]:
        """Whether the preconditions and the postconditions of a function hold for a call."""
        result = self.call(function, values)
        self._contract = _Contract(result=result)
        run = cast("Callable[..., bool]", self._names[function])
        parameter_names = run.__code__.co_varnames[: run.__code__.co_argcount]
        run(**{name: values[name] for name in parameter_names})
        return self._contract.requires, self._contract.ensures
