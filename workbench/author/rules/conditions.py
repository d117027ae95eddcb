"""Conditions over the arguments of a policy: built from sentences, rendered in the dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from workbench.model import Argument, Kind, Scalar
from workbench.policy.render import literal

NEGATED_OPERATOR = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
CLOSED_OPERATOR = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


@dataclass(frozen=True, slots=True)
class TruthCondition:
    """A boolean argument is true, or false."""

    argument: str
    value: bool = True


@dataclass(frozen=True, slots=True)
class Among:
    """An enum or text argument equals one of the values."""

    argument: str
    values: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class ComparisonCondition:
    """An ordered argument compared with a constant.

    ``word`` is the word of the request where language leaves open whether the bound
    itself is meant ("under 18"); it is empty where the sentence is exact. ``flipped`` says
    that the sentence negates the word: "not under 18".
    """

    argument: str
    operator: str
    value: Scalar
    word: str = ""
    flipped: bool = False


@dataclass(frozen=True, slots=True)
class TextTest:
    """A text argument starts with, ends with or contains a constant."""

    argument: str
    test: str
    constant: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Elements:
    """Every (or some) element of a set argument is one of the values."""

    argument: str
    values: tuple[str, ...]
    quantifier: str = "all"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Present:
    """An optional argument has a value, or has none."""

    argument: str
    value: bool = True


@dataclass(frozen=True, slots=True)
class AllOf:
    """A conjunction; without parts it always holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A disjunction; without parts it never holds."""

    parts: tuple[Condition, ...]


type Atom = TruthCondition | Among | ComparisonCondition | TextTest | Elements | Present
type Condition = Atom | AllOf | AnyOf
type MapAtom = Callable[[Atom], Condition]

ALWAYS = AllOf(())
NEVER = AnyOf(())


def all_of(*parts: Condition) -> Condition:
    """The conjunction of ``parts``, flattened, without repetitions."""
    flat: list[Condition] = []
    for part in parts:
        if part == NEVER:
            return NEVER
        for inner in part.parts if isinstance(part, AllOf) else (part,):
            if inner not in flat:
                flat.append(inner)
    return flat[0] if len(flat) == 1 else AllOf(tuple(flat))


def any_of(*parts: Condition) -> Condition:
    """The disjunction of ``parts``, flattened; equalities of one argument become one membership."""
    flat: list[Condition] = []
    for part in parts:
        if part == ALWAYS:
            return ALWAYS
        for inner in part.parts if isinstance(part, AnyOf) else (part,):
            merged = _merge_memberships(flat, inner)
            if not merged and inner not in flat:
                flat.append(inner)
    return flat[0] if len(flat) == 1 else AnyOf(tuple(flat))


def any_factored(*parts: Condition) -> Condition:
    """The disjunction with what all parts share written once: A and B, or A and C, is A and (B or C)."""
    lists = [part.parts if isinstance(part, AllOf) else (part,) for part in parts]
    common = [each for each in lists[0] if all(each in other for other in lists[1:])] if lists else []
    if not common:
        return any_of(*parts)
    rest = [all_of(*(each for each in one if each not in common)) for one in lists]
    return all_of(*common, any_of(*rest))


def _merge_memberships(flat: list[Condition], inner: Condition) -> bool:
    if not isinstance(inner, Among) or inner.negated:
        return False
    for place, other in enumerate(flat):
        if isinstance(other, Among) and not other.negated and other.argument == inner.argument:
            values = (*other.values, *(value for value in inner.values if value not in other.values))
            flat[place] = replace(other, values=values)
            return True
    return False


def negate(condition: Condition) -> Condition:
    """The negation, pushed down to the atoms."""
    match condition:
        case TruthCondition() | Present():
            return replace(condition, value=not condition.value)
        case Among() | TextTest() | Elements():
            return replace(condition, negated=not condition.negated)
        case ComparisonCondition():
            return replace(
                condition,
                operator=NEGATED_OPERATOR[condition.operator],
                flipped=bool(condition.word) and not condition.flipped,
            )
        case AllOf():
            return any_of(*(negate(part) for part in condition.parts))
        case AnyOf():
            return all_of(*(negate(part) for part in condition.parts))


def atoms(condition: Condition) -> Iterator[Atom]:
    """Every atom of the condition, from left to right."""
    if isinstance(condition, AllOf | AnyOf):
        for part in condition.parts:
            yield from atoms(part)
    else:
        yield condition


def names(*conditions: Condition) -> tuple[str, ...]:
    """The arguments that the conditions mention, in order, without repetitions."""
    return tuple(dict.fromkeys(atom.argument for part in conditions for atom in atoms(part)))


def map_atoms(condition: Condition, change: MapAtom) -> Condition:
    """The condition with every atom replaced by ``change(atom)``."""
    match condition:
        case AllOf():
            return all_of(*(map_atoms(part, change) for part in condition.parts))
        case AnyOf():
            return any_of(*(map_atoms(part, change) for part in condition.parts))
        case _:
            return change(condition)


def simplify(condition: Condition, arguments: tuple[Argument, ...]) -> Condition:
    """Write a negated membership of an enum positively where that is shorter."""
    known = {argument.name: argument.type for argument in arguments}

    def shorter(atom: Atom) -> Condition:
        if isinstance(atom, Among) and known[atom.argument].kind is Kind.ENUM:
            every = known[atom.argument].values
            rest = tuple(value for value in every if value not in atom.values)
            if not rest:
                return NEVER if atom.negated else ALWAYS
            if len(rest) < len(atom.values):
                return replace(atom, values=rest, negated=not atom.negated)
        return atom

    return map_atoms(condition, shorter)


def render(condition: Condition, enclosed: bool = False) -> str:
    """The condition as an expression of the dialect; ``enclosed`` adds brackets where needed."""
    match condition:
        case AllOf(parts=()):
            return "True"
        case AnyOf(parts=()):
            return "False"
        case AllOf():
            text = " and ".join(render(part, enclosed=True) for part in condition.parts)
        case AnyOf():
            text = " or ".join(render(part, enclosed=True) for part in condition.parts)
        case _:
            return _render_atom(condition)
    return f"({text})" if enclosed else text


def _render_atom(atom: Atom) -> str:
    match atom:
        case TruthCondition():
            return atom.argument if atom.value else f"not {atom.argument}"
        case Present():
            return f"{atom.argument} is {'not ' if atom.value else ''}None"
        case ComparisonCondition():
            return f"{atom.argument} {atom.operator} {literal(atom.value)}"
        case Among(values=(only,)):
            return f"{atom.argument} {'!=' if atom.negated else '=='} {literal(only)}"
        case Among():
            listed = ", ".join(literal(value) for value in atom.values)
            return f"{atom.argument} {'not in' if atom.negated else 'in'} {{{listed}}}"
        case TextTest(test="contains"):
            return f"{literal(atom.constant)} {'not in' if atom.negated else 'in'} {atom.argument}"
        case TextTest():
            call = f"{atom.argument}.{atom.test}({literal(atom.constant)})"
            return f"not {call}" if atom.negated else call
        case Elements():
            return _render_elements(atom)


def _render_elements(atom: Elements) -> str:
    variable = singular(atom.argument)
    inside = "in"
    quantifier = atom.quantifier
    if atom.negated:
        quantifier = "any" if quantifier == "all" else "all"
        inside = "not in"
    values = "{" + ", ".join(literal(value) for value in atom.values) + "}"
    listed = values if atom.values else "frozenset()"
    return f"{quantifier}({variable} {inside} {listed} for {variable} in {atom.argument})"


def singular(name: str) -> str:
    """A name for one element of the set argument ``name``."""
    return name[:-1] if name.endswith("s") and not name.endswith("ss") and len(name) > 2 else f"one_{name}"
