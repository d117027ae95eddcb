"""Productions: a pattern of words with slots, and the expression of the dialect that it stands for.

One production is used in both directions. Writing matches its expression to a tree and fills the slots of its
pattern; reading matches its pattern to the words and fills the slots of its expression.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from workbench.language.trees import Tree, as_tree, is_tree, joined, tree_of
from workbench.language.words import tokens

type Sorts = tuple[str, ...]

NUMBERS = frozenset({"int", "dec"})
_QUANTITIES = NUMBERS | {"dur"}
_POINTS = frozenset({"moment", "date", "clock"})
_ONE_OF = {
    "N": NUMBERS,
    "Q": _QUANTITIES,
    "W": _POINTS,
    "M": frozenset({"moment", "date"}),
    "P": frozenset({"earlier"}),
    "R": frozenset({"rec", "earlier", "call", "text"}),
}
"""The sorts that a variable stands for, by its name; any other variable stands for every sort."""
PLAIN = "#"
"""What a variable begins with that stands for a number without its unit."""
_TEXTS = ("text", "enum")
_SLOT = re.compile(r"\{(\w+):(\w+)([*+^]?)((?: [^{} ]+)*)\}")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a pattern: as it is compared, and as it is written."""

    word: str
    text: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A place of a pattern: its name in the expression, its category and sorts, and how many it takes."""

    name: str
    category: str
    sorts: Sorts
    many: str = ""

    @property
    def binds(self) -> bool:
        """Whether later slots may speak of an element of what stands here."""
        return self.many == "^"

    @property
    def takes_many(self) -> bool:
        """Whether several things stand here."""
        return self.many in ("*", "+")


@dataclass(frozen=True)
class Production:
    """A pattern of words and the expression that it stands for.

    ``category`` and ``sorts`` are what it makes. ``noun`` is what an element of it is called, or the slot
    that says so. A text of more than ``longest`` characters is written by another production.
    """

    category: str
    sorts: Sorts
    pattern: str
    expression: Tree
    noun: str = ""
    longest: int = 0
    reads_only: bool = False

    @cached_property
    def parts(self) -> tuple[Word | Slot, ...]:
        """The words and the slots of the pattern."""
        found: list[Word | Slot] = []
        end = 0
        for slot in _SLOT.finditer(self.pattern):
            found += _words(self.pattern[end : slot.start()])
            sorts = tuple(slot.group(4).split())
            found.append(Slot(slot.group(1), slot.group(2), sorts, slot.group(3)))
            end = slot.end()
        return (*found, *_words(self.pattern[end:]))

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The slots of the pattern in their order."""
        return tuple(part for part in self.parts if isinstance(part, Slot))

    @property
    def of_element(self) -> bool:
        """Whether it is about the one element around, which it calls "it"."""
        return any("@it" in slot.sorts for slot in self.slots)

    @cached_property
    def by_name(self) -> Mapping[str, Slot]:
        """The slots by their names."""
        return {slot.name: slot for slot in self.slots}

    @cached_property
    def binders(self) -> tuple[str, ...]:
        """The names of elements in the expression, in the order of the slots that they are elements of."""
        return tuple(_binders(self.expression, self.by_name))

    @property
    def key(self) -> str:
        """What a tree begins with that the expression may match; empty for any tree."""
        return key_of(self.expression) if self.expression[0] != "name" or not self._is_slot() else ""

    def _is_slot(self) -> bool:
        return self.expression[1] in self.by_name

    def filled(self, texts: Iterable[str]) -> str:
        """The pattern with texts in its slots, in their order."""
        given = iter(texts)
        return _SLOT.sub(lambda _: next(given), self.pattern)


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[Word, ...]:
    return tuple(Word(token.word, token.text) for token in tokens(text))


def key_of(tree: Tree) -> str:
    """The form of a tree, with the name of what is called."""
    match tree:
        case ("call", "all_of" | "any_of" | "same" | "other" | "case" as form, *_):
            return {"all_of": "and", "any_of": "or", "same": "==", "other": "!=", "case": "if"}[form]
        case ("call", str(name), *_) | ("method", _, str(name), *_):
            return f"{tree[0]} {name}"
        case _:
            return str(tree[0])


def production(
    category: str, pattern: str, expression: str, noun: str, longest: int, *, reads_only: bool
) -> Production:
    """A production as the table of the grammar has it; the sorts follow the name of the category."""
    name, *sorts = category.split()
    tree = tree_of(ast.parse(expression.strip(), mode="eval").body)
    return Production(name, tuple(sorts), pattern, tree, noun, longest, reads_only)


def _binders(tree: Tree, slots: Mapping[str, Slot]) -> Iterable[str]:
    if tree[0] in ("gen", "setof"):
        variable = tree[1]
        yield from (one[1] for one in (variable[1:] if variable[0] == "tuple" else (variable,)))
    for part in tree[1:]:
        if is_tree(part) and part[0] != "lit":
            yield from _binders(part, slots)


def _cases(tree: Tree) -> Tree:
    """The tests and results of choices one after another, and the last result."""
    return (tree[1], tree[2], *(_cases(tree[3]) or (tree[3],))) if tree[0] == "if" else ()


def _chosen(parts: Tree) -> Tree:
    return parts[0] if len(parts) == 1 else ("if", parts[0], parts[1], _chosen(parts[2:]))


SPECIAL: Mapping[str, tuple[Callable[[Tree], Tree], Callable[[Tree], Tree]]] = {
    "same": (lambda tree: tree[1:] if tree[0] == "==" else (), lambda parts: ("==", *parts)),
    "other": (lambda tree: tree[1:] if tree[0] == "!=" else (), lambda parts: ("!=", *parts)),
    "case": (_cases, _chosen),
}
"""Forms whose parts are the items of a list: the parts of a tree, and the tree of parts."""


# --- matching ---------------------------------------------------------------------


def match(made: Production, tree: Tree) -> tuple[dict[str, object], dict[str, str]] | None:
    """What the slots stand for in a tree, and what its elements are called; None if it has another form."""
    slots: dict[str, object] = {}
    names: dict[str, str] = {}
    return (slots, names) if _match(made.expression, tree, made, slots, names) else None


def _match(  # noqa: C901 # one case for each form
    form: Tree, tree: Tree, made: Production, slots: dict[str, object], names: dict[str, str]
) -> bool:
    match form:
        case ("name", str(name)) if name in made.by_name:
            return _same(slots, name, tree)
        case ("name", str(name)) if name in names:
            return tree == ("name", names[name])
        case ("name", "it"):
            return _same(slots, "it", tree)
        case ("lit", *_) | ("name", _):
            return form == tree
        case ("call", str(special), ("name", str(name))) if special in SPECIAL:
            parts = SPECIAL[special][0](tree)
            return bool(parts) and _same(slots, name, parts)
        case ("call", "all_of" | "any_of" as word, *parts):
            return _match_joined("and" if word == "all_of" else "or", parts, tree, made, slots, names)
        case ("and" | "or" as word, first, second):
            if tree[0] != word or len(tree) < 3:
                return False
            at_end = first[0] == "name" and first[1] in made.by_name and second[0] != "name"
            one, rest = (tree[-1], tree[1:-1]) if at_end else (tree[1], tree[2:])
            single, other = (second, first) if at_end else (first, second)
            return _match(single, one, made, slots, names) and _match(
                other, joined(word, rest), made, slots, names
            )
        case ("gen" | "setof", variable, element, elements, condition):
            if tree[0] != form[0] or not _bind(variable, tree[1], names):
                return False
            pairs = ((elements, tree[3]), (element, tree[2]), (condition, tree[4]))
            return all(_match(part, whole, made, slots, names) for part, whole in pairs)
        case ("attr", base, str(name)) if name in made.by_name:
            return (
                tree[0] == "attr"
                and _same(slots, name, ("field", tree[2]))
                and _match(base, tree[1], made, slots, names)
            )
        case _:
            return _match_parts(form, tree, made, slots, names)


def _match_parts(
    form: Tree, tree: Tree, made: Production, slots: dict[str, object], names: dict[str, str]
) -> bool:
    last = form[-1]
    if form[0] in ("method", "set", "call") and is_tree(last) and last[0] == "name":
        slot = made.by_name.get(last[1])
        if slot is not None and slot.takes_many:
            fixed = len(form) - 1
            if (
                len(tree) <= fixed
                or tree[0] != form[0]
                or not _match_each(form[:-1], tree[:fixed], made, slots, names)
            ):
                return False
            return _same(slots, slot.name, tree[fixed:])
    return len(form) == len(tree) and _match_each(form, tree, made, slots, names)


def _match_each(
    form: Tree, tree: Tree, made: Production, slots: dict[str, object], names: dict[str, str]
) -> bool:
    return all(
        _match(one, other, made, slots, names)
        if is_tree(one) and is_tree(other)
        else one == other and type(one) is type(other)
        for one, other in zip(form, tree, strict=True)
    )


def _match_joined(
    word: str,
    parts: list[Tree],
    tree: Tree,
    made: Production,
    slots: dict[str, object],
    names: dict[str, str],
) -> bool:
    if tree[0] != word or len(tree) - 1 < len(parts):
        return False
    least = 2 if made.by_name[parts[0][1]].many == "+" else 1
    end = len(tree) - (len(parts) - 1)
    if end - 1 < least or not _same(slots, parts[0][1], tree[1:end]):
        return False
    return all(_match(part, one, made, slots, names) for part, one in zip(parts[1:], tree[end:], strict=True))


def _same(slots: dict[str, object], name: str, value: object) -> bool:
    return slots.setdefault(name, value) == value


def _bind(form: Tree, variable: Tree, names: dict[str, str]) -> bool:
    if form[0] == "tuple":
        return variable[0] == "tuple" and all(
            _bind(one, other, names) for one, other in zip(form[1:], variable[1:], strict=True)
        )
    if variable[0] != "name":
        return False
    names[form[1]] = variable[1]
    return True


# --- building ---------------------------------------------------------------------


def build(made: Production, given: Mapping[str, object], names: Mapping[str, str], it: str) -> Tree:
    """The expression of a production with trees in its slots; ``names`` are those of its elements."""
    return _build(made.expression, made, given, {**names, "it": it})


def _build(form: Tree, made: Production, given: Mapping[str, object], names: Mapping[str, str]) -> Tree:
    def part(one: Tree) -> Tree:
        return _build(one, made, given, names)

    match form:
        case ("name", str(name)) if name in given:
            return as_tree(given[name])
        case ("name", str(name)):
            return ("name", names.get(name, name))
        case ("lit", *_):
            return form
        case ("call", str(special), ("name", str(name))) if special in SPECIAL:
            return SPECIAL[special][1](as_tree(given[name]))
        case ("call", "any_one", ("name", str(name)), test):
            each = as_tree(given[name])
            return joined("or", [_build(test, made, {**given, name: (one,)}, names) for one in each])
        case ("call", "all_of" | "any_of" as word, first, *others):
            several = as_tree(given[first[1]])
            return joined("and" if word == "all_of" else "or", [*several, *map(part, others)])
        case ("and" | "or" as word, *parts):
            return joined(word, [part(one) for one in parts])
        case ("attr", base, str(name)) if name in given:
            return ("attr", part(base), as_tree(given[name])[1])
        case _:
            return tuple(
                built
                for one in form
                for built in (_spread(one, made, given) or ((part(one),) if is_tree(one) else (one,)))
            )


def _spread(one: object, made: Production, given: Mapping[str, object]) -> Tree:
    """The trees of a slot that takes several."""
    if not is_tree(one) or one[0] != "name":
        return ()
    slot = made.by_name.get(one[1])
    return as_tree(given[slot.name] if slot is not None and slot.takes_many else ())


# --- sorts ------------------------------------------------------------------------


def kind_of(sort: str) -> str:
    """The kind of a sort: ``rec:Booking`` is a record, ``enum|a|b`` an enum, ``dec@EUR`` a decimal.

    ``text@1`` is a text with parts.
    """
    return re.split(r"[:|@]", sort, maxsplit=1)[0]


def unit_of(sort: str) -> str:
    """The unit of the numbers of a sort; empty if they have none."""
    return sort.partition("@")[2] if kind_of(sort) in NUMBERS else ""


def with_unit(sort: str, unit: str) -> str:
    """The sort of numbers with a unit."""
    return f"{sort}@{unit}" if unit and sort in NUMBERS else sort


def unified(
    wanted: Sorts, found: Sorts, bound: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...] | None:
    """The sorts of the variables if what is found may stand where a sort is wanted; None if it may not."""
    for one, other in zip(wanted, found, strict=False):
        if one[:1] == PLAIN:
            known = next((sort for name, sort in bound if name == one[1:]), other)
            if kind_of(known) not in NUMBERS or not _fits(other, kind_of(known)):
                return None
        elif len(one) == 1 and one.isupper():
            known = next((sort for name, sort in bound if name == one), "")
            if known:
                if not _fits(other, known) and not _fits(known, other):
                    return None
            elif not other:
                continue
            elif one in _ONE_OF and kind_of(other) not in _ONE_OF[one]:
                return None
            else:
                bound = (*bound, (one, other))
        elif not _fits(other, one):
            return None
    return bound


def begun(sorts: Sorts) -> tuple[tuple[str, str], ...]:
    """The sorts of the variables of what is made, where it is known what is wanted."""
    if len(sorts) != 1 or not sorts[0]:
        return ()
    return tuple(
        (name, sorts[0]) for name in "SNP" if name not in _ONE_OF or kind_of(sorts[0]) in _ONE_OF[name]
    )


def resolved(wanted: Sorts, bound: tuple[tuple[str, str], ...]) -> Sorts:
    """The wanted sorts with what is known of their variables; an unknown one is empty."""
    known = dict(bound)
    return tuple(
        kind_of(known.get(one[1:], "")) if one[:1] == PLAIN else
        known.get(one, "") if len(one) == 1 and one.isupper() else one
        for one in wanted
    )  # fmt: skip


def _fits(sort: str, wanted: str) -> bool:
    if not sort or not wanted or sort == wanted:
        return True
    if kind_of(sort) in NUMBERS:
        return kind_of(sort) == kind_of(wanted)
    if wanted in ("rec", "earlier"):
        return kind_of(sort) == wanted or (wanted == "rec" and kind_of(sort) in ("earlier", "call"))
    return kind_of(wanted) in _TEXTS and kind_of(sort) in _TEXTS
