"""What a slot of a sentence may speak of: the scope that the slots before it leave."""

from __future__ import annotations

from workbench.dialect.call_file import RUN
from workbench.language.lexicon import Lexicon, Named, Scope
from workbench.language.productions import Slot, Sorts
from workbench.language.trees import Tree
from workbench.language.words import identifier_of, words_of_name
from workbench.model import Kind
from workbench.policy.names import free_name

LETTERS = "BCDEFGHIJKLMNOPQRSTUVWXYZ"
ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi")
MOST_ITEMS = 200


def marker(level: int, number: int) -> str:
    """The marker of an item of a list: (a), inside it (i), then (1), then (A), then (5.1)."""
    if level == 0:
        return f"({_letters(number)})"
    if level == 1 and number < len(ROMAN):
        return f"({ROMAN[number]})"
    if level == 2:
        return f"({number + 1})"
    if level == 3 and number < 26:
        return f"({chr(ord('A') + number)})"
    return f"({level + 1}.{number + 1})"


def _letters(number: int) -> str:
    before, last = divmod(number, 26)
    return (_letters(before - 1) if before else "") + chr(ord("a") + last)


def named_element(noun: str, scope: Scope, lexicon: Lexicon) -> str:
    """What an element is called here if its noun is taken: "line B"; empty if it is "the line"."""
    words = [one.words for one in scope.names]
    if f"the {noun}" not in words and not lexicon.is_said(noun, scope):
        return ""
    return next((f"{noun} {letter}" for letter in LETTERS if f"{noun} {letter}" not in words), f"{noun} Z")


def with_element(scope: Scope, name: str, noun: str, called: str, sort: str) -> Scope:
    """The scope inside of what is said about an element."""
    return scope._replace(names=(*scope.names, Named(name, called or f"the {noun}", sort, "element")))


def new_name(noun: str, scope: Scope, lexicon: Lexicon) -> str:
    """A name of the dialect for an element, which nothing around it has."""
    return free_name(identifier_of(noun), {one.name for one in scope.names} | lexicon.taken_names)


def of_fact(fact: str, lexicon: Lexicon) -> Scope:
    """What the meaning of a fact may speak of: its call and its parameters."""
    calls: tuple[str, ...] = ()
    names: list[Named] = []
    for parameter in lexicon.facts[fact].parameters:
        if parameter.classes and not calls:
            calls = parameter.classes
            lexicon.class_of_calls(calls)
        elif parameter.classes or parameter.type == RUN:
            continue
        else:
            words = f"the {words_of_name(parameter.name)}"
            many = parameter.type.kind in (Kind.SET, Kind.LIST)
            sort = lexicon.sort_of_parameter(parameter)
            form = "many" if many else "optional" if parameter.type.optional else "parameter"
            names.append(Named(parameter.name, words, sort, form))
    return Scope(calls, tuple(names))


def of_record(record: str, lexicon: Lexicon) -> Scope:
    """What the meaning of a condition on a record may speak of: the parts of the record's key."""
    keys = lexicon.parameters_of_record(record)
    return Scope(
        (), tuple(Named(name, f"the {words_of_name(name)}", sort, "parameter") for name, sort in keys)
    )


def after_slot(slot: Slot, category: str, value: Tree, scope: Scope, lexicon: Lexicon) -> Scope:
    """The scope of the slots after one that names the tools of a sentence, or the fact that it is about."""
    if category != "sentence":
        return scope
    if slot.category == "tool":
        classes = tuple(str(one[1]) for one in value)
        lexicon.class_of_calls(classes)
        return Scope(classes)
    if slot.category == "own_fact":
        return of_fact(str(value[1]), lexicon)
    if slot.category == "kind":
        return of_record(str(value[1]), lexicon)
    return scope


def wanted_sorts(sorts: Sorts, scope: Scope, it: Named | None) -> Sorts:
    """The sorts of a slot with the class of the decided call, or that of "it", in its place."""
    own = {"@call": scope.call, "@it": "none" if it is None else it.sort}
    return tuple(own.get(sort, sort) for sort in sorts)


def earlier_sort(tools: Tree, lexicon: Lexicon) -> str:
    """The sort of earlier calls of some tools."""
    return lexicon.class_of_calls(tuple(str(one[1]) for one in tools), "earlier")
