"""Terms over a run: the names that they leave free, their text, and the same term under other names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import replace
from operator import is_

from workbench.dialect.run_values import (
    AS_OF,
    CALL,
    DISTINCT,
    LAST,
    SENTENCES_WITH,
    SOURCE_BEFORE,
    Applied,
    EarlierCalls,
    Gathered,
    IsLookedUp,
    LastCall,
    PartOfRun,
    ReadingOf,
    RecordAt,
    RunBound,
    RunValue,
    RunValues,
    SentencesWith,
    SourceOf,
    SourceOfText,
    UserWords,
    Zipped,
    all_parts,
    inner_terms,
    sets_of,
)
from workbench.dialect.value_functions import FUNCTIONS
from workbench.policy.term_text import render_term
from workbench.policy.terms import (
    Attribute,
    Choice,
    Constant,
    Count,
    Elements,
    IsMissing,
    Member,
    Quantified,
    SetVariable,
    Sum,
    Term,
    Variable,
)
from workbench.policy.walk import children, inside, path_of, with_children, with_constant_sets


def text_of(term: Term) -> str:
    """The text of a term over a run, complete in itself: a named set is written with its members."""
    return render_term(with_constant_sets(term, lambda members: replace(members, name=None)))


def record_text(record: str, keys: Iterable[Term], as_of: Variable | None = None) -> str:
    """The text of ``run.record(key)``, with all parts of the key, and with the call as of which it is."""
    operands = [*map(text_of, keys), *([] if as_of is None else [f"{AS_OF}={as_of.name}"])]
    return f"run.{record}({', '.join(operands)})"


def text_of_value(  # noqa: C901, PLR0912 # one case for each kind of value
    value: RunValue, classes: Mapping[str, str]
) -> str:
    """The text of a value over the run; ``classes`` are the names of the classes of tools."""
    match value:
        case RecordAt(record, keys, as_of):
            return record_text(record, keys, as_of)
        case IsLookedUp(record, keys, as_of):
            return f"looked_up({record_text(record, keys, as_of)})"
        case PartOfRun(bounds):
            return part_text(bounds)
        case EarlierCalls(tools, bounds):
            return f"{part_text(bounds)}.earlier({', '.join(classes[tool] for tool in tools)})"
        case LastCall(marker):
            return f"run.{LAST}({_marker_text(marker)})"
        case Gathered():
            return _gathered_text(value)
        case Applied(function, operands):
            return FUNCTIONS[function].written([_operand_text(operand) for operand in operands])
        case Zipped(left, right):
            return f"zip({path_of(left.term)}, {path_of(right.term)})"
        case ReadingOf(text, reading):
            return f"{text_of(text)}.{reading}"
        case SentencesWith(text, with_value):
            return f"{text_of(text)}.{SENTENCES_WITH}({text_of(with_value)})"
        case SourceOf(path, before):
            return source_text(".".join((CALL, *path)), before)
        case SourceOfText(text, before):
            return source_text(text_of(text), before)
        case UserWords(attribute, bounds):
            return f"{part_text(bounds)}.{attribute}"
        case _:
            raise TypeError(f"{value!r} depends on no other name")


def source_text(text: str, before: Variable | None) -> str:
    """The text of the places that a text came from, now or before an earlier call."""
    return f"{text}.source" if before is None else f"{text}.{SOURCE_BEFORE}({before.name})"


def part_text(bounds: tuple[RunBound, ...]) -> str:
    """The text of a run within bounds."""
    return "run" + "".join(f".{'since' if one.since else 'until'}({_bound_text(one)})" for one in bounds)


def _bound_text(bound: RunBound) -> str:
    return _marker_text(bound.marker) if bound.call is None else bound.call.name


def _marker_text(marker: Quantified) -> str:
    assert isinstance(marker.collection, Elements)
    text = f"{marker.variable.name} for {marker.variable.name} in {path_of(marker.collection.term)}"
    if marker.body == Constant(True):
        return text
    test = text_of(marker.body)
    return f"{text} if ({test})" if isinstance(marker.body, Choice) else f"{text} if {test}"


def _gathered_text(value: Gathered) -> str:
    elements = text_of(value.of).removeprefix("sum(").removesuffix(")")
    if value.operation == DISTINCT:
        return f"{DISTINCT}({{{elements}}})"
    if value.default is None:
        return f"{value.operation}({elements})"
    return f"{value.operation}(({elements}), default={text_of(value.default)})"


def _operand_text(operand: Term) -> str:
    text = text_of(operand)
    return text if isinstance(operand, Variable | Attribute | Constant) else f"({text})"


def free_names(term: Term, values: RunValues) -> frozenset[str]:
    """The names that a term leaves free; a value over the run stands for the names in it."""
    of_sets = frozenset[str]().union(
        *(free_names(one, values) for one in sets_of(term) if one.name in values)
    )
    return of_sets | _free_names(term, values)


def _free_names(term: Term, values: RunValues) -> frozenset[str]:
    if isinstance(term, Variable):
        value = values.get(term.name)
        if value is None:
            return frozenset({term.name})
        return frozenset[str]().union(*(free_names(part, values) for part in inner_terms(value)))
    if isinstance(term, IsMissing):
        return free_names(term.variable, values)
    if isinstance(term, Quantified | Count | Sum):
        within = frozenset[str]().union(*(free_names(part, values) for part in inside(term)))
        outside = frozenset[str]().union(
            *(free_names(part, values) for part in children(term)[len(inside(term)) :])
        )
        return (within - {term.variable.name}) | outside
    return frozenset[str]().union(*(free_names(part, values) for part in children(term)))


def elements_in(term: Term, values: Mapping[str, RunValue]) -> frozenset[str]:
    """The names of the elements of collections in a term, and in the values over the run that it names."""
    return frozenset(
        part.variable.name for part in all_parts(term, values) if isinstance(part, Quantified | Count | Sum)
    )


def renamed(
    term: Term, names: Mapping[str, str], values: MutableMapping[str, RunValue], classes: Mapping[str, str]
) -> Term:
    """The same term with names of variables changed, also in the values over the run that it names."""
    if isinstance(term, Variable):
        return _renamed_variable(term, names, values, classes)
    if isinstance(term, IsMissing) and isinstance(term.variable, Variable):
        return IsMissing(_renamed_variable(term.variable, names, values, classes))
    parts = children(term)
    own = tuple(renamed(part, names, values, classes) for part in parts)
    changed = term if all(map(is_, parts, own)) else with_children(term, own)
    if isinstance(changed, Quantified | Count | Sum):
        name = changed.variable.name
        changed = replace(changed, variable=replace(changed.variable, name=names.get(name, name)))
    if isinstance(changed, Quantified | Member) and (of_set := sets_of(changed)):
        name = _renamed_variable(of_set[0], names, values, classes).name
        changed = replace(changed, collection=SetVariable(name))
    return changed


def _renamed_variable(  # noqa: C901 # one case for each kind of value
    term: Variable,
    names: Mapping[str, str],
    values: MutableMapping[str, RunValue],
    classes: Mapping[str, str],
) -> Variable:
    value = values.get(term.name)
    match value:
        case RecordAt() | IsLookedUp():
            own_keys = tuple(renamed(key, names, values, classes) for key in value.keys)
            as_of = None if value.as_of is None else _renamed_variable(value.as_of, names, values, classes)
            value = replace(value, keys=own_keys, as_of=as_of)
        case Zipped(left, right):
            value = Zipped(_elements(left, names, values, classes), _elements(right, names, values, classes))
        case PartOfRun(bounds) | EarlierCalls(_, bounds) | UserWords(_, bounds) if bounds:
            own = [replace(one, marker=_marker(one.marker, names, values, classes)) for one in bounds]
            value = replace(value, bounds=tuple(own))
        case LastCall(marker):
            value = LastCall(_marker(marker, names, values, classes))
        case Gathered(_, of, default):
            own_default = None if default is None else renamed(default, names, values, classes)
            value = replace(value, of=_sum(of, names, values, classes), default=own_default)
        case Applied(_, operands):
            own_operands = tuple(renamed(operand, names, values, classes) for operand in operands)
            value = replace(value, operands=own_operands)
        case ReadingOf():
            value = replace(value, text=renamed(value.text, names, values, classes))
        case SourceOfText(of, before):
            own_before = None if before is None else _renamed_variable(before, names, values, classes)
            value = SourceOfText(renamed(of, names, values, classes), own_before)
        case SourceOf(_, before) if before is not None:
            value = replace(value, before=_renamed_variable(before, names, values, classes))
        case SentencesWith(of, with_value):
            of, with_value = (renamed(one, names, values, classes) for one in (of, with_value))
            value = SentencesWith(of, with_value)
        case _:
            return _called(term, names.get(term.name, term.name))
    text = text_of_value(value, classes)
    values[text] = value
    return _called(term, text)


def _called(term: Variable, name: str) -> Variable:
    return term if name == term.name else replace(term, name=name)


def _marker(
    marker: Quantified,
    names: Mapping[str, str],
    values: MutableMapping[str, RunValue],
    classes: Mapping[str, str],
) -> Quantified:
    own = renamed(marker, names, values, classes)
    assert isinstance(own, Quantified)
    return own


def _sum(
    of: Sum, names: Mapping[str, str], values: MutableMapping[str, RunValue], classes: Mapping[str, str]
) -> Sum:
    own = renamed(of, names, values, classes)
    assert isinstance(own, Sum)
    return own


def _elements(
    elements: Elements,
    names: Mapping[str, str],
    values: MutableMapping[str, RunValue],
    classes: Mapping[str, str],
) -> Elements:
    place = renamed(elements.term, names, values, classes)
    assert isinstance(place, Variable | Attribute)
    return Elements(place)


def canonical(term: Term, values: MutableMapping[str, RunValue], classes: Mapping[str, str]) -> Term:
    """The same term with the elements of its collections named by their order: one text for one meaning.

    An earlier call is ``c``, another element ``y``; the names of a pair stay.
    """
    names: dict[str, str] = {}
    around = [part for part in all_parts(term, values) if isinstance(part, Quantified | Count | Sum)]
    taken = set(free_names(term, values))
    for part in around:
        if _is_pair(part.variable) and part.variable.type.record is not None:
            taken.update(name for name, _ in part.variable.type.record.fields)
    for part in around:
        if _is_pair(part.variable) or part.variable.name in names:
            continue
        place = part.collection.term if isinstance(part.collection, Elements) else None
        of_run = isinstance(place, Variable) and isinstance(values.get(place.name), EarlierCalls)
        letter, number = "c" if of_run else "y", 1
        while (name := letter if number == 1 else f"{letter}{number}") in taken:
            number += 1
        taken.add(name)
        names[part.variable.name] = name
    return renamed(term, names, values, classes)


def _is_pair(variable: Variable) -> bool:
    return variable.name.startswith("(")
