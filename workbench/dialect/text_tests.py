"""Tests of raw text on what is a path, a command, an address or another kind of value, and the typed form.

A prefix of a path or the end of an address says less than it seems to: ``/repo/../etc`` begins with
``/repo``, and ``x@evil.example, a@corp.example`` ends with ``@corp.example``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from workbench.dialect.call_fields import field_and_part, kind_of_field, part_name
from workbench.dialect.checked import CallClause, CallPolicy
from workbench.dialect.run_values import Applied, all_parts
from workbench.model import Kind, RecordType
from workbench.policy.term_text import render_term
from workbench.policy.terms import (
    Attribute,
    Choice,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    ImpliesTerm,
    Member,
    Not,
    StringTest,
    StringTestKind,
    Sum,
    Term,
    Variable,
)
from workbench.policy.walk import children, path_of, sides_of_result, subterms
from workbench.policy.written import TextTest
from workbench.runs.kinds.file_systems import IGNORE_CASE, WINDOWS
from workbench.runs.kinds.kinds_by_name import KINDS, OWN_TEXT
from workbench.runs.values.name_words import NAMED_ALONE

_BY_NAME = ("url", "mail_address", "path", "command", "sql")
"""The kinds that the name of a text suggests, although nothing declares it."""
_OF_ANOTHER = frozenset(
    ("code", "count", "id", "ids", "key", "label", "number", "status", "subject", "title", "type")
)
"""The last words of the names of what a mail or a file has, and is none itself: ``mail_id``."""
_WORD = re.compile(r"[A-Z]?[a-z]+")
_WEB = re.compile(r"(?:(?P<scheme>[a-z]+)://)?(?P<host>[^/:]*)(?P<path>/[^?#]*)?", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")
_WHOLE = {"path": "absolute", "mail_address": "address", "amount": "value", "url": "host", "moment": "at"}
"""The part by which two values of a kind are compared as wholes."""


def text_tests(policy: CallPolicy) -> tuple[TextTest, ...]:
    """The tests of raw text of the rules and clauses of a policy, in their order; each once.

    What a clause compares follows the rules, which are asked about: of the same sentence it gets their form.
    """
    of_rules: dict[tuple[tuple[str, ...], str], str] = {}
    found: dict[tuple[str, str], TextTest] = {}
    for part in (*policy.rules, *policy.clauses):
        name = getattr(part, "name", "") or getattr(part, "function", "")
        for one in part.terms:
            sides = {not name.startswith("permit_")}
            if isinstance(part, CallClause):  # one that demands that calls are allowed denies where it may
                sides = sides_of_result(one.term) or {False}
            signs: dict[Term, set[bool]] = {}
            for test, sign in chain.from_iterable(_by_sign(one.term, denies) for denies in sides):
                signs.setdefault(test, set()).add(sign)
            for term in all_parts(one.term, policy.values):
                test = _Test(policy, narrow=signs.get(term) == {False})
                for text, typed in test.found(term):
                    if isinstance(part, CallClause):
                        typed = of_rules.get((part.requirements, text), typed)
                    else:
                        of_rules[part.requirements, text] = typed
                    found.setdefault((name, text), TextTest(name, part.requirements, part.line, text, typed))
    return tuple(found.values())


def _by_sign(term: Term, denies: bool) -> Iterator[tuple[Term, bool]]:
    """Yield the tests of a rule, each with whether a call is denied because the test holds of it.

    A test that plays both parts comes twice; those of the values over the run that it names do not come.
    """
    match term:
        case Not(operand):
            yield from _by_sign(operand, not denies)
        case ImpliesTerm(condition, consequence):
            yield from _by_sign(condition, not denies)
            yield from _by_sign(consequence, denies)
        case Choice(condition, then, otherwise):
            yield from _by_sign(condition, denies)
            yield from _by_sign(condition, not denies)
            yield from _by_sign(then, denies)
            yield from _by_sign(otherwise, denies)
        case Count() | Sum() | Compare(_, Count() | Sum(), _) | Compare(_, _, Count() | Sum()):
            yield from ((part, sign) for part in subterms(term) for sign in (True, False))
        case Compare(Comparison.NE, left, right):
            yield term, not denies
            yield Compare(Comparison.EQ, left, right), not denies
        case Compare() | Member() | StringTest():
            yield term, denies
        case _:
            for part in children(term):
                yield from _by_sign(part, denies)


@dataclass(frozen=True, slots=True)
class _Test:
    """How the tests of a term are read.

    A ``narrow`` one lets a call pass because it holds, so that other spellings than the one that it names
    are denied: an equality does no harm then, and its typed form is no wider.
    """

    policy: CallPolicy
    narrow: bool

    def found(self, term: Term) -> Iterator[tuple[str, str]]:
        """The text of each raw test of a term, with what to write in its place."""
        match term:
            case StringTest(kind, _, constant) if _is_spelling(kind, constant):
                return
            case StringTest(kind, text, constant) if (place := self._place(text)) is not None:
                if typed := self._tested(place, kind, constant):
                    yield render_term(term), typed
            case Compare(Comparison.EQ | Comparison.NE as operator, left, right):
                for one, other in ((left, right), (right, left)):
                    place = self._place(one)
                    if place is not None and not self._is_of(place, other) and self._is_whole(place):
                        if isinstance(other, Constant) and _kind_of(place)[0] == "path":
                            other = Constant(self._as_path(place, str(other.value)))
                        typed = _compared(place, operator, other, narrow=self.narrow)
                        yield render_term(term), _after(place, typed)
                        break
            case Member(item, ConstantSet()):
                place = self._place(item)
                if place is not None and self._is_whole(place):
                    yield render_term(term), _after(place, _listed(place))
            case _:
                return

    def _is_of(self, place: Attribute, other: Term) -> bool:
        """Whether a text is compared with none, with nothing but blanks, or with itself in another form."""
        if isinstance(other, Constant):
            return other.value is None or (isinstance(other.value, str) and not other.value.strip())
        own = self._place(other)
        return own is not None and _owner(own) == _owner(place)

    def _place(self, term: Term) -> Attribute | None:
        """The text that is tested, also where a function is applied to it; None if it is no field."""
        if isinstance(term, Variable) and isinstance(of := self.policy.values.get(term.name), Applied):
            return self._place(of.operands[0])
        return term if isinstance(term, Attribute) else None

    def _tested(self, place: Attribute, kind: StringTestKind, constant: str) -> str:
        """What to write in the place of a test of a text; empty if the test says what it seems to say."""
        value_kind, part = _kind_of(place)
        owner = _owner(place)
        if part in ("", OWN_TEXT) and value_kind:
            constant = self._as_path(place, constant) if value_kind == "path" else constant
            return _after(place, _instead(owner, value_kind, kind, constant, narrow=self.narrow))
        match value_kind, part:
            case "path", "absolute" | "folder":
                return _of_path(owner, kind, self._as_path(place, constant))
            case "url", "path":
                return _of_url_path(owner, kind, constant)
            case "url", "host":
                return _of_domains(owner, kind, constant) or f"the whole {owner}.host"
            case "mail_address", "address":
                return _of_mail(owner, kind, constant)
            case "mail_address", "domain":
                return _of_domains(owner, kind, constant) or f"the whole {owner}.domain"
            case _:
                return ""

    def _as_path(self, place: Attribute, constant: str) -> str:
        """A part of a path as the parts of paths have it: with ``/``, and in small letters without case."""
        file_system = self._file_system(place)
        if file_system == WINDOWS or _DRIVE.match(constant):
            path = constant.replace("\\", "/").lower()
            return path.lstrip("/") or path  # there is no root beside those of the drives
        return constant.lower() if file_system == IGNORE_CASE else constant

    def _file_system(self, place: Attribute) -> str:
        """The file system of the tools whose calls have a text; the least strict of several."""
        calls = self.policy.types.calls
        known = {calls[name].file_system for name in _holder(place).name.split(" | ") if name in calls}
        return next((one for one in (WINDOWS, IGNORE_CASE) if one in known), "")

    def _is_whole(self, place: Attribute) -> bool:
        """Whether a text of a kind is compared, where two spellings of one thing differ.

        A command has no normal form: the one that lets a call pass is the one that is written.
        """
        value_kind, part = _kind_of(place)
        is_open = value_kind == "command" and not self.narrow
        return part in ("", OWN_TEXT) and (value_kind in _WHOLE or is_open)


def _is_spelling(kind: StringTestKind, constant: str) -> bool:
    """Whether a test is about the spelling itself: about signs, which name nothing."""
    is_root = kind is StringTestKind.PREFIX and constant == "/"
    return not is_root and not any(character.isalnum() for character in constant)


def _holder(place: Attribute) -> RecordType:
    return place.record.type.record or RecordType("", ())


def _declared(place: Attribute) -> bool:
    """Whether the text is declared to be of a kind."""
    name, part = field_and_part(place.name)
    return bool(part) or _holder(place).field(part_name(name, OWN_TEXT)) is not None or name == OWN_TEXT


def _kind_of(place: Attribute) -> tuple[str, str]:
    """The kind of a text, or of the text that it is a part of, and the part; empty if it has none."""
    name, part = field_and_part(place.name)
    holder = _holder(place)
    if kind := kind_of_field(holder, name):
        return kind, part
    for element, type_name, parts in _elements():
        if holder.name == type_name and parts == frozenset(other for other, _ in holder.fields):
            return element, name
    if place.type.kind is not Kind.STR:
        return "", part
    words = [word.lower() for word in _WORD.findall(name)]
    if words and words[-1] in _OF_ANOTHER:
        return "", part
    return next((kind for kind in _BY_NAME if not NAMED_ALONE[kind].isdisjoint(words)), ""), part


@cache
def _elements() -> tuple[tuple[str, str, frozenset[str]], ...]:
    """Each kind with the name of its class and the parts of its texts."""
    return tuple(
        (kind.name, kind.type.name, frozenset(name for name, _ in kind.type_in_calls.fields))
        for kind in KINDS.values()
    )


def _owner(place: Attribute) -> str:
    """The text of the value that is of a kind: without its part."""
    text = path_of(place)
    name, part = field_and_part(place.name)
    holder = _holder(place)
    if part:
        return text.removesuffix(f".{part}")
    is_element = any(holder.name == kind.type.name for kind in KINDS.values()) and holder.field(OWN_TEXT)
    return text.removesuffix(f".{name}") if is_element else text


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _after(place: Attribute, typed: str) -> str:
    """A typed form, with what has to be declared before it can be written."""
    return typed if _declared(place) else f'{typed}, after type = "{_kind_of(place)[0]}" in agent.toml'


def _instead(owner: str, kind: str, test: StringTestKind, constant: str, *, narrow: bool) -> str:
    """What to write in the place of a test of a text that is of a kind; in brackets if it has two parts."""
    if kind == "url":
        return _of_url(owner, test, constant, narrow=narrow)
    if kind == "command":
        return _of_command(owner, test, constant, narrow=narrow)
    return _TYPED[kind](owner, test, constant) if kind in _TYPED else f"a part of {owner}"


def _of_path(owner: str, test: StringTestKind, constant: str) -> str:
    if test is StringTestKind.CONTAINS and re.search(r"\w", constant) is None:
        return ""  # a sign such as “..” names nothing
    drive = _DRIVE.match(constant)
    folder = constant.rstrip("/*") or "/"
    if drive is not None:
        top = f"{folder}/" if folder == drive[0] else folder
        return f'"{_escaped(top)}" in {owner}.inside'
    if test is StringTestKind.PREFIX and constant.startswith("/"):
        return f'"{_escaped(folder)}" in {owner}.inside'
    if test is StringTestKind.SUFFIX and _ENDING.fullmatch(constant):
        return f'({owner}.suffix == "{constant.lower()}" or {owner}.name == "{constant}")'
    if test is StringTestKind.CONTAINS and _ENDING.fullmatch(constant):
        return f'({owner}.suffix == "{constant.lower()}" or "{constant}" in {owner}.names)'
    plain = constant.removeprefix("~").strip("/*")
    if "/" not in plain:
        return f'"{_escaped(plain)}" in {owner}.names'
    is_whole = constant.startswith("/")
    return f'"/{_escaped(plain)}" in {owner}.inside' if is_whole else _of_places(owner, plain)


def _of_places(owner: str, names: str) -> str:
    """The test that names follow each other somewhere in a path."""
    return f'any(place.endswith("/{_escaped(names)}") for place in {owner}.inside)'


def _of_domains(owner: str, test: StringTestKind, constant: str) -> str:
    """The test of the domains that a host is in; empty if none is named."""
    domain = constant.strip(".@").lower()
    is_named = test is StringTestKind.SUFFIX or (test is StringTestKind.CONTAINS and "." in domain)
    return f'"{_escaped(domain)}" in {owner}.domains' if is_named and domain else ""


def _of_url(owner: str, test: StringTestKind, constant: str, *, narrow: bool = False) -> str:
    constant = constant.removeprefix("//") or constant
    named = _WEB.match(constant)
    scheme = ("" if named is None else named["scheme"] or "").lower()
    host = ("" if named is None else named["host"].rpartition("@")[2]).lower().strip(".")
    path = ("" if named is None else named["path"] or "").rstrip("/")
    if (test is not StringTestKind.SUFFIX and constant.endswith(":")) or constant.endswith("://"):
        return f'{owner}.scheme == "{_escaped(constant.rstrip(":/").lower())}"'
    if test is StringTestKind.SUFFIX and _ENDING.fullmatch(constant):
        return f'{owner}.path.endswith("{constant}")'
    tests = [f'{owner}.scheme == "{scheme}"'] if scheme and narrow else []
    if scheme and host:
        tests.append(f'{owner}.host == "{_escaped(host)}"')
    elif "." in host:
        tests.append(f'"{_escaped(host)}" in {owner}.domains')
    elif host or "?" in constant or not path:
        return f"{owner}.domains, {owner}.inside or {owner}.query"
    if path:
        begins = StringTestKind.PREFIX if scheme or host else test
        tests.append(_of_url_path(owner, begins, path))
    return tests[0] if len(tests) == 1 else f"({' and '.join(tests)})"


_ENDING = re.compile(r"\.\w+")
"""The ending of a name of a file."""


def _of_url_path(owner: str, test: StringTestKind, constant: str) -> str:
    """The test of the path of a URL; empty for one of the ending of a name."""
    if test is StringTestKind.PREFIX and constant.startswith("/"):
        return f'"{_escaped(constant.rstrip("/*") or "/")}" in {owner}.inside'
    is_ending = test is StringTestKind.SUFFIX and _ENDING.fullmatch(constant)
    return "" if is_ending else _of_places(owner, constant.strip("/*"))


def _of_mail(owner: str, test: StringTestKind, constant: str) -> str:
    local, at, domain = constant.rpartition("@")
    if local and "." in domain:
        return f'{owner}.address == "{_escaped(constant.lower())}"'
    if test is StringTestKind.PREFIX:
        begins = f'{owner}.local.startswith("{_escaped(constant)}")'
        return f'{owner}.local == "{_escaped(local)}"' if at else begins
    if at and domain:
        return f'{owner}.domain == "{_escaped(domain.strip(".").lower())}"'
    return _of_domains(owner, test, constant) or f"{owner}.local or {owner}.domains"


def _of_command(owner: str, test: StringTestKind, constant: str, *, narrow: bool) -> str:
    """The test of what a command runs; what lets a call pass asks it of every program that runs."""
    words = whole_call(constant).split()
    if test is StringTestKind.CONTAINS and constant.strip().startswith(("/", "~")):
        return f'any("{_escaped(constant.strip().rstrip("/"))}" in p.inside for p in {owner}.paths)'
    if flags := flags_named(" ".join(words[:2])):
        tests = [f'"{_escaped(flag)}" in {owner}.flags' for flag in flags]
        return tests[0] if len(tests) == 1 else f"({' and '.join(tests)})"
    if len(words) > 1 and words[1].startswith("-"):
        return f'"{_escaped(" ".join(words[:2]))}" in {owner}.flags'
    if not narrow and (flags := flags_named(" ".join((*words[:1], *words[2:])))):
        tests = [f'"{_escaped(" ".join(words[:2]))}" in {owner}.calls']
        return f"({' and '.join([*tests, *(f'"{_escaped(flag)}" in {owner}.flags' for flag in flags)])})"
    if narrow and words and not words[0].startswith("-"):
        return f'{owner}.{"calls" if len(words) > 1 else "programs"} <= {{"{_escaped(" ".join(words[:2]))}"}}'
    if len(words) > 1:
        return f'"{_escaped(" ".join(words[:2]))}" in {owner}.calls'
    if constant.strip().startswith("-"):
        return f'any("{_escaped(" ".join(words))}" in p.options for p in {owner}.started)'
    return f'"{_escaped(" ".join(words))}" in {owner}.programs'


def whole_call(command: str) -> str:
    """A command that begins with a word of one known program alone, such as “push”, with that program."""
    from workbench.runs.kinds.shell.program_tables import TABLES

    first = command.split()[:1]
    programs = [name.split()[0] for name in TABLES if name.split()[1:] == first and first[0] not in TABLES]
    return f"{programs[0]} {command.strip()}" if len(programs) == 1 else command


def flags_named(command: str) -> Sequence[str]:
    """The options of a program that a text names, each with the program: those of ``rm -rf`` are two."""
    program, *options = command.split() or [""]
    if not options or not all(re.fullmatch(r"-[A-Za-z]+|--[a-z-]+", one) for one in options):
        return []
    single = (
        letter
        for one in options
        for letter in ((one,) if one.startswith("--") else [f"-{letter}" for letter in one[1:]])
    )
    return [f"{program} {one}" for one in dict.fromkeys(single)]


def _of_sql(owner: str, test: StringTestKind, constant: str) -> str:
    word = (constant.split() or [""])[0].lower()
    if test is StringTestKind.PREFIX:
        return f'{owner}.kinds <= {{"{_escaped(word)}"}}'
    if word in ("select", "insert", "update", "delete", "drop"):
        return f'"{_escaped(word)}" in {owner}.kinds'
    return f'"{_escaped(constant.strip())}" in {owner}.reads'


def _of_amount(owner: str, _test: StringTestKind, _constant: str) -> str:
    return f"{owner}.currency and {owner}.value"


_TYPED: Mapping[str, Callable[[str, StringTestKind, str], str]] = {
    "path": _of_path,
    "mail_address": _of_mail,
    "sql": _of_sql,
    "amount": _of_amount,
}


def _compared(place: Attribute, operator: Comparison, other: Term, *, narrow: bool) -> str:
    """The comparison of a whole value of a kind, by the part in which two spellings of it are equal."""
    owner, kind = _owner(place), _kind_of(place)[0]
    constant = other.value if isinstance(other, Constant) else None
    if kind == "command":
        test = (
            _of_command(owner, StringTestKind.PREFIX, constant, narrow=narrow)
            if isinstance(constant, str)
            else ""
        )
        return (test if operator is Comparison.EQ else f"not {test}") if test else f"a part of {owner}"
    whole = f"{owner}.{_WHOLE[kind]} {operator}"
    if isinstance(other, Attribute) and _kind_of(other)[0] == kind:
        same = f"{whole} {_owner(other)}.{_WHOLE[kind]}"
        return f"{same}, and the same of .path and .query" if kind == "url" else same
    if not isinstance(constant, str) or kind in ("amount", "moment"):
        return f"{whole} ..."
    if kind == "url":
        equal = _of_url(owner, StringTestKind.PREFIX, constant)
        differs = f"not {equal}" if equal.startswith("(") else f"not ({equal})"
        return equal if operator is Comparison.EQ else differs
    text = constant.lower() if kind == "mail_address" else constant
    return f'{whole} "{_escaped(text)}"'


def _listed(place: Attribute) -> str:
    """The search of a whole value of a kind in a set."""
    owner, kind = _owner(place), _kind_of(place)[0]
    if kind == "command":
        return f"any(one in {{...}} for one in {owner}.calls)"
    return f"{owner}.{_WHOLE[kind]} in {{...}}"
