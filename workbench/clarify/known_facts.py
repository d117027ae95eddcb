"""All facts that a rule may speak of, by name: from the agent spec, its tools and recorded calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from workbench.author.rules.author import lexicon_of
from workbench.clarify.declared_facts import facts_with
from workbench.clarify.derived_facts import fields_of_arguments
from workbench.clarify.fact_book import FactBook
from workbench.clarify.listed_things import lists_of_context, lists_of_things, sql_columns
from workbench.clarify.sayable_facts import FactSource, SayableFact
from workbench.clarify.stated_settings import chosen_options
from workbench.clarify.stated_values import StatedValues
from workbench.clarify.tool_values import called_values
from workbench.clarify.undeclared_facts import undeclared_facts
from workbench.model import AgentSpec, Argument, RecordedCall
from workbench.runs.extract.extractor import Extractor


def fact_book(
    spec: AgentSpec, calls: Sequence[RecordedCall], settings: Mapping[str, str] | None = None
) -> FactBook:
    """Every fact that the spec declares or may get; ``settings`` apply to all texts of a kind."""
    options = chosen_options(spec, settings or {})
    lists = (
        *lists_of_things(spec, called_values(spec, calls), options),
        *lists_of_context(spec, calls, options),
    )
    facts = (
        *facts_with(spec.arguments, undeclared_facts(spec, calls, settings)),
        *fields_of_arguments(spec.arguments),
        *(listing.size for listing in lists if listing.size is not None),
    )
    columns = cache(lambda: sql_columns(spec, calls, lists))

    def recorded(fact: SayableFact) -> frozenset[str]:
        return _recorded_texts(fact, spec, calls)

    return FactBook(facts, lexicon_of(spec).action(), lists, values=StatedValues(columns, recorded))


def _recorded_texts(fact: SayableFact, spec: AgentSpec, calls: Sequence[RecordedCall]) -> frozenset[str]:
    """The texts that recorded calls and their context have for a fact; none for other facts."""
    argument = fact.value
    if not isinstance(argument, Argument) or fact.source not in (FactSource.CALL, FactSource.CONTEXT):
        return frozenset()
    extractor = Extractor((argument,), spec)
    values = (extractor.extract(call)[argument.name].value for call in calls)
    listed = (value if isinstance(value, frozenset) else {value} for value in values)
    return frozenset(text for texts in listed for text in texts if isinstance(text, str))
