"""Hypothesis strategies for whole policies and for arguments that try their boundaries.

``policies()`` draws the text of a well-typed policy that covers the dialect; ``arguments_for`` draws
arguments for a checked policy, near its constants. Both only build values; the caller decides what to test.
``policies(records=True)`` has records, lists and durations too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import cast

from hypothesis import strategies as st

from workbench.model import Arguments, ArgumentType, Element, Kind, RecordType, RecordValue, Scalar, Value
from workbench.policy.literals import literal
from workbench.policy.terms import (
    Constant,
    ConstantSet,
    Lookup,
    Member,
    PolicyTerms,
    Quantified,
    StringTest,
    Term,
)
from workbench.policy.walk import subterms

HEADER = '''"""A policy made up for a test."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

Role = Literal["admin", "user", "guest"]

LIMIT = 18
RATE = Decimal("1.25")
WORD = "ab"
START = date(2026, 1, 31)
NAMES = {"ab", "abc", "b"}
NUMBERS = {-1, 0, 3}
READABLE = {
    "admin": {"ab", "b", "user"},
    "user": {"abc"},
    "guest": frozenset(),
}
COST = {"admin": 1, "user": 3, "guest": 0}
LABEL = {"admin": "ab", "user": "b", "guest": "b"}
FEE = {"ab": Decimal("0.50"), "b": Decimal("2")}
'''

RECORDS: dict[str, dict[str, str]] = {
    "Item": {
        "label": "str",
        "role": "Role",
        "amount": "int",
        "price": "Decimal",
        "ready": "bool",
        "type": "str | None",
        "tags": "frozenset[str]",
    },
    "Order": {
        "level": 'Literal["low", "high"]',
        "placed": "datetime",
        "due": "date | None",
        "total": "Decimal",
        "wait": "timedelta",
        "fields": "int",
        "tags": "frozenset[str]",
        "codes": "frozenset[int]",
        "items": "tuple[Item, ...]",
        "names": "tuple[str, ...]",
    },
}

TYPES = {
    "flag": "bool",
    "count": "int",
    "size": "int",
    "price": "Decimal",
    "name": "str",
    "path": "str",
    "role": "Role",
    "tags": "frozenset[str]",
    "groups": "frozenset[str]",
    "day": "date",
    "at": "time",
    "moment": "datetime",
    "limit": "int | None",
    "note": "str | None",
    "level": 'Literal["low", "high"] | None',
    "vip": "bool | None",
    "cost": "Decimal | None",
    "due": "date | None",
}
RECORD_TYPES = {
    "order": "Order",
    "past": "Order | None",
    "items": "tuple[Item, ...]",
    "others": "tuple[Item, ...]",
    "words": "tuple[str, ...]",
    "sizes": "tuple[int, ...]",
    "codes": "frozenset[int]",
    "wait": "timedelta",
    "delay": "timedelta | None",
}
WORDS = ("ab", "abc", "b", "user", "a", "")
_ORDER = ("<", "<=", ">", ">=", "==", "!=")

type Make = Callable[[], str]


def record_classes() -> str:
    """The record types as text."""
    return "\nDAY = timedelta(days=1)\n" + "".join(
        f"\n\n@dataclass(frozen=True)\nclass {name}:\n"
        + "".join(f"    {field}: {kind}\n" for field, kind in fields.items())
        for name, fields in RECORDS.items()
    )


def _expanded(types: dict[str, str]) -> dict[str, str]:
    """The types, with those of the fields of present records, as ``record.field``."""
    type_by_path = dict(types)
    for name, kind in types.items():
        type_by_path.update(
            {f"{name}.{field}": field_kind for field, field_kind in RECORDS.get(kind, {}).items()}
        )
    return type_by_path


@dataclass
class _Writer:
    """Writes random expressions over the names in scope; ``depth`` bounds their nesting."""

    draw: st.DrawFn
    types: dict[str, str]
    bound: list[str] = field(default_factory=list[str])
    listed: list[str] = field(default_factory=list[str])
    numbers: list[str] = field(default_factory=list[str])
    result: bool = False
    count: int = 0

    def __post_init__(self) -> None:
        self.types = _expanded(self.types)

    def one_of(self, makers: list[Make]) -> str:
        return self.draw(st.sampled_from(makers))()

    def pick(self, values: list[str] | tuple[str, ...]) -> str:
        return self.draw(st.sampled_from(values))

    def of(self, kind: str) -> list[str]:
        return [name for name, declared in self.types.items() if declared == kind]

    def optionals(self) -> list[str]:
        return [name for name, declared in self.types.items() if declared.endswith("| None")]

    def lists(self) -> list[str]:
        return [name for name, declared in self.types.items() if declared.startswith("tuple[")]

    def without_lists(self, more: dict[str, str]) -> dict[str, str]:
        """The types inside any, all or sum, without lists and without names that may be about one."""
        lists = [name for name, kind in self.types.items() if kind.startswith("tuple[") or kind == "Order"]
        plain = {name: kind for name, kind in self.types.items() if name not in (*lists, "known")}
        return _expanded(plain | more)

    def over(self, among: str, make: Callable[[], str]) -> str:
        """The text from ``make`` and the end of the generator over a list, without brackets."""
        name = self._fresh("one")
        element = self.types[among].removeprefix("tuple[").removesuffix(", ...]")
        before, self.types = self.types, self.without_lists({name: element})
        value = make().replace("@", name)
        test = f" if {self.condition(0)}" if self.draw(st.booleans()) else ""
        self.types = before
        return f"{value} for {name} in {among}{test}"

    # --- conditions ---------------------------------------------------------------

    def condition(self, depth: int) -> str:
        makers: list[Make] = list(self._atoms(depth))
        if depth > 0:
            makers += [self._bracketed(make, depth - 1) for make in (self._and, self._or, self._choice)]
            makers += [lambda: f"(not {self.condition(depth - 1)})"]
            makers += [lambda: f"({self.condition(depth - 1)} == {self.condition(depth - 1)})"]
            makers += self._quantifiers(depth)
            makers += [lambda name=name: self._guarded(name, depth) for name in self.optionals()]
        return self.one_of(makers)

    def _bracketed(self, make: Callable[[int], str], depth: int) -> Make:
        return lambda: f"({make(depth)})"

    def _and(self, depth: int) -> str:
        return f"{self.condition(depth)} and {self.condition(depth)}"

    def _or(self, depth: int) -> str:
        return f"{self.condition(depth)} or {self.condition(depth)} or {self.condition(0)}"

    def _choice(self, depth: int) -> str:
        return f"{self.condition(depth)} if {self.condition(depth)} else {self.condition(depth)}"

    def _atoms(self, depth: int) -> Iterator[Make]:  # noqa: C901, PLR0912 # one case for each kind of argument
        inner = max(depth - 1, 0)
        yield lambda: self._compare(self.integer(inner), self.integer(inner))
        for name in self.of("bool"):
            yield lambda name=name: name
        if self.of("Decimal"):
            yield lambda: self._compare(self.decimal(inner), self.decimal(inner))
        if self.texts():
            yield self._text_test
        for name in self.listed:
            yield lambda name=name: f"({name} {self.pick(('==', '!='))} {self.pick(('WORD', literal('b')))})"
            yield lambda name=name: f"({name} in {self.pick(['NAMES', *self.of('frozenset[str]')])})"
            yield lambda name=name: f"{name}.endswith({self.pick(_QUOTED)})"
        for name in self.of("Role"):
            yield lambda name=name: f"({name} == {self.pick(_ROLES)})"
            yield lambda name=name: f"({name} not in {{{self.pick(_ROLES)}, {self.pick(_ROLES)}}})"
        for kind, constants in _DATES.items():
            for name in self.of(kind):
                yield lambda name=name, constants=constants: self._compare(name, self.pick(constants))
        for name in self.of("frozenset[int]"):
            yield lambda name=name: f"({self.integer(inner)} {self.pick(('in', 'not in'))} {name})"
            yield lambda name=name: f"({name} {self.pick(('<=', '>=', '==', '!='))} {self._numbers()})"
        if self.of("timedelta"):
            yield lambda: self._compare(self.duration(inner), self.duration(inner))
        for name in self.lists():
            yield lambda name=name: self._of_list(name, depth)
        for name in self.optionals():
            yield lambda name=name: f"({name} is {self.pick(('', 'not '))}None)"
            if self.types[name] == "Order | None":
                continue
            yield lambda name=name: f"({name} {self.pick(('==', '!='))} {self._constant(self.types[name])})"
        for name in self.of("frozenset[str]"):
            yield lambda name=name: f"({self.pick(_QUOTED)} {self.pick(('in', 'not in'))} {name})"
            yield lambda name=name: f"({name} {self.pick(('<=', '>=', '==', '!='))} {self._collection()})"
        if self.result:
            yield lambda: "Result()"

    def _compare(self, left: str, right: str) -> str:
        return f"({left} {self.pick(_ORDER)} {right})"

    def _numbers(self) -> str:
        return self.pick(["NUMBERS", "{1, 3}", *self.of("frozenset[int]")])

    def _of_list(self, name: str, depth: int) -> str:
        """A condition about a list: any, all, or a comparison as sets of fields."""
        inner = max(depth - 1, 0)
        if self.draw(st.booleans()):
            return f"{self.pick(('any', 'all'))}({self.over(name, lambda: self.condition(inner))})"
        if self.types[name] == "tuple[int, ...]":
            return f"({self.integer(inner)} in {name})"
        of_items = self.types[name] == "tuple[Item, ...]"
        key, text = self.draw(st.sampled_from(_KEYS)) if of_items else ("@", True)
        side = f"{{{key.replace('@', 'left')} for left in {name}}}"
        others = [other for other in self.lists() if self.types[other] == self.types[name]]
        ways = [f"{side} ~ {{{key.replace('@', 'right')} for right in {other}}}" for other in others]
        if text:
            ways += [f"{side} <= {among}" for among in ["NAMES", *self.of("frozenset[str]")]]
            ways += [f"NAMES ~ {side}"]
        return f"({self.pick(ways).replace('~', self.pick(('==', '!=', '<=', '>=')))})"

    def differences(self) -> list[str]:
        """Differences of dates and of datetimes."""
        return [
            f"({left} - {other})"
            for kind in ("date", "datetime")
            for left in self.of(kind)
            for other in [*self.of(kind), *_DATES[kind]]
        ]

    def duration(self, depth: int) -> str:
        makers: list[Make] = [lambda: self.pick(_CONSTANTS["timedelta"])]
        makers += [lambda: self.pick([*self.of("timedelta"), *self.differences()])]
        if depth > 0:
            makers += [
                lambda: f"({self.duration(depth - 1)} {self.pick(('+', '-'))} {self.duration(depth - 1)})",
                lambda: f"(-{self.duration(depth - 1)})",
            ]
        return self.one_of(makers)

    def _constant(self, kind: str) -> str:
        plain = kind.removesuffix(" | None")
        if plain in _DATES:
            return self.pick(_DATES[plain])
        return self.pick(_CONSTANTS.get(plain, ('"low"', '"high"')))

    def _text_test(self) -> str:
        text = self.pick(self.texts())
        return self.one_of(
            [
                lambda: f"({text} == {self.pick(_QUOTED)})",
                lambda: f"({text} != {self.pick([*self.texts(), *self.listed])})",
                lambda: (
                    f"({text} == {self.pick([f'LABEL[{role}]' for role in self.of('Role')] or ['WORD'])})"
                ),
                lambda: f"({text} in {self._collection()})",
                lambda: f"{text}.startswith({self.pick(_QUOTED)})",
                lambda: f"{text}.endswith({self.pick(_QUOTED)})",
                lambda: f"({self.pick(_QUOTED)} in {text})",
                lambda: f"(1 < len({text}) <= {self.pick(('2', '3', 'LIMIT'))})",
                lambda: f"(FEE.get({text}, RATE) < {self.pick(_CONSTANTS['Decimal'])})",
                lambda: f"any({text}.startswith(prefix) for prefix in NAMES)",
            ]
        )

    def texts(self) -> list[str]:
        return [*self.of("str"), *self.bound]

    def _collection(self) -> str:
        sets = ["NAMES", '{"ab", "user"}', "frozenset()", *self.of("frozenset[str]")]
        sets += [f"READABLE[{role}]" for role in self.of("Role")]
        sets += [f"READABLE.get({text}, frozenset())" for text in self.texts()]
        return self.pick(sets)

    def _quantifiers(self, depth: int) -> list[Make]:
        def words() -> str:
            among = self.pick(
                ["NAMES", *self.of("frozenset[str]"), *(f"READABLE[{r}]" for r in self.of("Role"))]
            )
            name = self._fresh("item")
            names = self.bound if among in self.of("frozenset[str]") else self.listed
            names.append(name)
            before, self.types = self.types, self.types if among == "NAMES" else self.without_lists({})
            body = self.condition(depth - 1)
            also = f" if {self.condition(0)}" if self.draw(st.booleans()) else ""
            self.types = before
            names.pop()
            return f"{self.pick(('any', 'all'))}({body} for {name} in {among}{also})"

        def numbers() -> str:
            name = self._fresh("number")
            self.numbers.append(name)
            before, self.types = self.types, self.without_lists({})
            body = self.condition(depth - 1)
            self.types = before
            self.numbers.pop()
            among = self._numbers()
            return f"{self.pick(('any', 'all'))}({body} for {name} in {among})"

        return [words, words, numbers]

    def _fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}_{self.count}"

    def _guarded(self, name: str, depth: int) -> str:
        """An expression that uses an optional argument behind a guard."""
        known = self.types[name].removesuffix(" | None")
        before, self.types = self.types, _expanded({**self.types, name: known})
        inner, test = self.condition(depth - 1), self.condition(0)
        self.types = before
        return self.pick(
            (
                f"({name} is not None and ({inner} if {test} else {self.condition(0)}))",
                f"({name} is not None and {inner})",
                f"({name} is None or {inner})",
                f"({inner} if {name} is not None else {self.condition(0)})",
            )
        )

    # --- numbers ------------------------------------------------------------------

    def integer(self, depth: int) -> str:
        makers: list[Make] = [lambda: self.pick(_CONSTANTS["int"])]
        makers += [lambda name=name: name for name in [*self.of("int"), *self.of("int"), *self.numbers]]
        makers += [lambda name=name: f"len({name})" for name in [*self.texts(), *self.listed]]
        makers += [lambda name=name: f"COST[{name}]" for name in self.of("Role")]
        makers += [lambda name=name: f"len({name})" for name in self.lists()]
        for name in self.of("tuple[Item, ...]"):
            makers.append(lambda name=name: f"sum({self.over(name, lambda: self.pick(('1', '@.amount')))})")
        if depth > 0:
            makers += [
                lambda: f"({self.integer(depth - 1)} {self.pick(('+', '-'))} {self.integer(depth - 1)})",
                lambda: f"({self.integer(depth - 1)} * {self.factor(('2', '-3', 'LIMIT'))})",
                lambda: f"({self.integer(depth - 1)} {self.pick(('//', '%'))} {self.pick(('2', '7'))})",
                lambda: f"(-{self.integer(depth - 1)})",
                lambda: f"({self.integer(depth - 1)} if {self.condition(0)} else {self.integer(depth - 1)})",
            ]
        return self.one_of(makers)

    def factor(self, constants: tuple[str, ...]) -> str:
        """One of finitely many ints."""
        tables = [f"COST[{role}]" for role in self.of("Role")]
        either = [f"({table} if {self.condition(0)} else 2)" for table in tables[:1]]
        return self.pick([*constants, *tables, *either])

    def decimal(self, depth: int) -> str:
        makers: list[Make] = [lambda: self.pick(_CONSTANTS["Decimal"])]
        for name in self.of("tuple[Item, ...]"):
            makers.append(lambda name=name: f"sum({self.over(name, lambda: self.pick(_SUMMED))})")
        makers += [lambda name=name: name for name in self.of("Decimal") * 2]
        if depth > 0:
            makers += [
                lambda: f"({self.decimal(depth - 1)} {self.pick(('+', '-'))} {self.decimal(depth - 1)})",
                lambda: f"({self.decimal(depth - 1)} * {self.pick(_CONSTANTS['Decimal'])})",
                lambda: f"({self.factor(('2', '-3'))} * {self.decimal(depth - 1)})",
                lambda: f"({self.integer(depth - 1)} * {self.pick(_CONSTANTS['Decimal'])})",
                lambda: f"({self.integer(0)} * {self.decimal(0)})",
            ]
        return self.one_of(makers)


_QUOTED = tuple(literal(word) for word in WORDS)
_ROLES = ('"admin"', '"user"', '"guest"')
_CONSTANTS = {
    "bool": ("True", "False"),
    "int": ("0", "1", "-2", "LIMIT", "3"),
    "Decimal": ('Decimal("0.01")', "RATE", 'Decimal("-2.50")', "Decimal(3)"),
    "str": _QUOTED,
    "timedelta": ("DAY", "timedelta(hours=36, seconds=1)", "-DAY", "timedelta(microseconds=1)"),
}
_SUMMED = ("@.price", "(@.price * 2)", "(@.amount * RATE)")
_KEYS: tuple[tuple[str, bool], ...] = (("@.label", True), ("(@.label, @.amount)", False), ("@.ready", False))
_DATES = {
    "date": ("START", "date(2026, 2, 1)"),
    "time": ("time(9, 0)", "time(17, 30)"),
    "datetime": ("datetime(2026, 1, 31, 9, 0)", "datetime(2026, 1, 31, 23, 59, 59)"),
}


def _body(writer: _Writer, depth: int) -> list[str]:
    """The statements of a function that returns a bool."""
    shape = writer.draw(st.integers(0, 3))
    if shape == 0:
        return [f"return {writer.condition(depth)}"]
    if shape == 1:
        lines = [f"known = {writer.condition(depth - 1)}"]
        writer.types = {**writer.types, "known": "bool"}
        return [*lines, f"return {writer.condition(depth)}"]
    if shape == 2:
        return [
            f"if {writer.condition(depth - 1)}:",
            f"    return {writer.condition(depth - 1)}",
            f"return {writer.condition(depth - 1)}",
        ]
    return [
        f"if {writer.condition(depth - 1)}:",
        f"    return {writer.condition(0)}",
        f"elif {writer.condition(0)}:",
        "    return True",
        "else:",
        f"    return {writer.condition(depth - 1)}",
    ]


def _function(name: str, types: dict[str, str], doc: str, body: list[str], result: str = "bool") -> str:
    parameters = ", ".join(f"{argument}: {kind}" for argument, kind in types.items())
    lines = "\n".join(f"    {line}" for line in body)
    return f'\n\ndef {name}({parameters}) -> {result}:\n    """{doc}"""\n{lines}\n'


def _decision(draw: st.DrawFn, rules: dict[str, list[str]]) -> str:
    calls = {name: f"{name}({', '.join(names)})" for name, names in rules.items()}
    forbids = " or ".join(call for name, call in calls.items() if name.startswith(("forbid_", "ask_")))
    permits = " or ".join(call for name, call in calls.items() if name.startswith("permit_"))
    if not calls:
        return draw(st.sampled_from(("True", "False")))
    return " and ".join([*([f"not ({forbids})"] if forbids else []), *([f"({permits})"] if permits else [])])


@st.composite
def policies(draw: st.DrawFn, depth: int = 2, contract: bool = True, records: bool = False) -> str:
    """The text of a well-typed policy; ``depth`` bounds the nesting of its expressions.

    With ``records`` it has record types, lists and durations.
    """
    known = {**TYPES, **RECORD_TYPES} if records else TYPES
    names = draw(st.lists(st.sampled_from(tuple(known)), min_size=1, max_size=5, unique=True))
    if records and not RECORD_TYPES.keys() & {*names}:
        names.append(draw(st.sampled_from(tuple(RECORD_TYPES))))
    types = {name: known[name] for name in names}
    text = record_classes() if records else ""
    rules: dict[str, list[str]] = {}
    for index in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(("forbid", "ask", "permit")))
        used = draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True))
        used = [name for name in names if name in used]
        writer = _Writer(draw, {name: types[name] for name in used})
        body = _body(writer, depth)
        rule = f"{kind}_{index}"
        text += _function(rule, {name: types[name] for name in used}, f"R{index}: Message {index}.", body)
        rules[rule] = used
    clauses: list[str] = []
    writer = _Writer(draw, types)
    if contract and draw(st.integers(0, 3)) == 3:
        clauses += ["# R7: A precondition.", f"Requires({writer.condition(1)})"]
    for index in range(draw(st.integers(0, 2)) if contract else 0):
        clauses += [f"# R{index}: Clause {index}.", f"Ensures({_clause(draw, writer)})"]
    body = [*clauses, f"return {_decision(draw, rules)}"]
    return HEADER + text + _function("allow", types, "The decision.", body)


def _clause(draw: st.DrawFn, writer: _Writer) -> str:
    shape = draw(st.integers(0, 3))
    if shape == 0:
        return f"Implies({writer.condition(1)}, not Result())"
    if shape == 1:
        return f"Result() == {writer.condition(1)}"
    if shape == 2:
        return f"Implies({writer.condition(1)}, Implies({writer.condition(0)}, Result()))"
    writer.result = True
    return writer.condition(2)


# --- arguments --------------------------------------------------------------------


def _terms(policy: PolicyTerms) -> Iterator[Term]:
    for clause in (*policy.preconditions, *policy.clauses):
        yield from subterms(clause.term)
    for rule in policy.rules:
        yield from subterms(rule.body)


def constants_of(policy: PolicyTerms) -> tuple[Scalar, ...]:
    """Every constant of a policy: in its terms, sets and tables."""
    constants: set[Scalar] = {value for constant_set in policy.sets.values() for value in constant_set.values}
    for table in policy.tables.values():
        constants.update(table.entries)
        for value in table.entries.values():
            constants.update(value if isinstance(value, frozenset) else {value})
    for term in _terms(policy):
        if isinstance(term, Constant) and term.value is not None:
            constants.add(term.value)
        elif isinstance(term, StringTest):
            constants.add(term.constant)
        elif isinstance(term, Lookup) and term.default is not None and term.default.value is not None:
            constants.add(term.default.value)
        elif isinstance(term, Member | Quantified) and isinstance(term.collection, ConstantSet):
            constants.update(term.collection.values)
    return tuple(sorted(constants, key=lambda value: (type(value).__name__, str(value))))


def _around(value: Scalar, places: int) -> list[Scalar]:
    """A constant with its nearest neighbours."""
    match value:
        case bool():
            return [value]
        case int():
            return [value - 1, value, value + 1]
        case Decimal():
            least = Decimal(1).scaleb(-places)
            return [value - least, value, value + least]
        case str():
            return [value, value + "x", value[:-1], "x" + value, value + value]
        case datetime():
            return [value - timedelta(seconds=1), value, value + timedelta(microseconds=1)]
        case date():
            return [value - timedelta(days=1), value, value + timedelta(days=1)]
        case timedelta():
            return [value - timedelta(microseconds=1), value, value + timedelta(microseconds=1), -value]
        case time():
            return [value, value.replace(microsecond=1), time(0, 0), time(23, 59, 59, 999999)]


def _usual(kind: Kind, places: int) -> st.SearchStrategy[Value]:
    usual: dict[Kind, st.SearchStrategy[Value]] = {
        Kind.BOOL: st.booleans(),
        Kind.INT: st.integers(-30, 130),
        Kind.DECIMAL: st.integers(-1000, 1000).map(lambda units: Decimal(units).scaleb(-places)),
        Kind.STR: st.text(max_size=4),
        Kind.DATE: st.dates(date(2024, 1, 1), date(2028, 12, 31)),
        Kind.TIME: st.times(),
        Kind.DURATION: st.timedeltas(timedelta(days=-3), timedelta(days=3)),
        Kind.DATETIME: st.datetimes(datetime(2024, 1, 1), datetime(2028, 1, 1), timezones=st.just(UTC)),
    }
    return usual[kind]


_KINDS: dict[Kind, type] = {
    Kind.BOOL: bool,
    Kind.INT: int,
    Kind.DECIMAL: Decimal,
    Kind.STR: str,
    Kind.DATE: date,
    Kind.TIME: time,
    Kind.DATETIME: datetime,
    Kind.DURATION: timedelta,
}


def _as_tuple(values: list[Value]) -> Value:
    return tuple(cast("list[Element]", values))


def _records(record: RecordType, constants: tuple[Scalar, ...]) -> st.SearchStrategy[Value]:
    names = [name for name, _ in record.fields]
    fields = st.tuples(*(values_for(kind, constants) for _, kind in record.fields))
    return fields.map(lambda values: RecordValue(record.name, tuple(zip(names, values, strict=True))))


def values_for(kind: ArgumentType, constants: tuple[Scalar, ...]) -> st.SearchStrategy[Value]:
    """Values of a type, most of them equal or next to the given constants."""
    if kind.kind is Kind.ENUM:
        values: st.SearchStrategy[Value] = st.sampled_from(kind.values)
    elif kind.record is not None:
        values = _records(kind.record, constants)
    elif kind.kind is Kind.LIST and kind.element is not None:
        values = st.lists(values_for(kind.element, constants), max_size=4).map(_as_tuple)
    elif kind.kind is Kind.SET and kind.element is not None:
        values = st.frozensets(st.integers(-2, 4), max_size=3)
    elif kind.kind is Kind.SET:
        words = [near for constant in constants if isinstance(constant, str) for near in _around(constant, 0)]
        word = st.sampled_from([str(near) for near in words] or ["ab"]) | st.text(max_size=2)
        values = st.frozensets(word, max_size=4)
    else:
        wanted = _KINDS[kind.kind]
        near = [
            value
            for constant in constants
            if type(constant) is wanted
            for value in _around(constant, kind.places)
        ]
        usual = _usual(kind.kind, kind.places)
        values = st.sampled_from(near) | usual if near else usual
    return st.none() | values if kind.optional else values


def arguments_for(policy: PolicyTerms) -> st.SearchStrategy[Arguments]:
    """Well-typed arguments of a policy, biased to its constants, their neighbours and near misses.

    They need not satisfy its preconditions.
    """
    constants = constants_of(policy)
    names = [argument.name for argument in policy.arguments]
    values = st.tuples(*(values_for(argument.type, constants) for argument in policy.arguments))
    return values.map(lambda drawn_values: dict(zip(names, drawn_values, strict=True)))
