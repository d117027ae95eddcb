"""All facts that a rule may speak of, by name: from the agent spec, its tools and recorded calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from workbench.author.rules.author import lexicon_of
from workbench.author.rules.words import split_words, stem
from workbench.clarify.declared_facts import facts_with
from workbench.clarify.earlier_calls import EarlierCalls
from workbench.clarify.fact_book import FactBook
from workbench.clarify.listed_things import lists_of_context, lists_of_records, lists_of_things, sql_columns
from workbench.clarify.named_things import NamedThing, error_forms, latest_things, named_things
from workbench.clarify.record_lists import fields_of_arguments, fields_of_records, sizes_of_records
from workbench.clarify.sayable_facts import FactSource, SayableFact
from workbench.clarify.stated_settings import chosen_options
from workbench.clarify.stated_values import StatedValues
from workbench.clarify.tool_values import called_values, returned_values
from workbench.clarify.undeclared_facts import undeclared_facts
from workbench.model import AgentSpec, Argument, RecordedCall
from workbench.runs.extract.extractor import Extractor
from workbench.runs.proposals.all_proposals import propose_all


def fact_book(
    spec: AgentSpec, calls: Sequence[RecordedCall], settings: Mapping[str, str] | None = None
) -> FactBook:
    """Every fact that the spec declares or may get; ``settings`` apply to all texts of a kind."""
    facts = facts_with(spec.arguments, undeclared_facts(spec, calls, settings))
    called, returned = called_values(spec, calls), returned_values(spec, calls)
    errors, options = error_forms(calls), chosen_options(spec, settings or {})
    things = named_things(spec, called, returned, errors)
    all_things = (*things, *latest_things(spec, called, things))
    lists = (
        *lists_of_things(spec, called, returned, things, options),
        *lists_of_context(spec, calls, options),
        *lists_of_records(returned, all_things),
    )
    declared = {argument.name for argument in spec.arguments}
    of_records = (*fields_of_arguments(spec.arguments), *_listed_by_results(spec, calls, things))
    places = {fact.name for fact in of_records}
    of_things = (
        *of_records,
        *(_itself(thing) for thing in things if thing.argument.name not in declared),
        *(listing.size for listing in lists if listing.size is not None),
        *sizes_of_records(returned, all_things),
        *(fact for fact in fields_of_records(returned, all_things) if fact.name not in places),
    )
    events = EarlierCalls(called, returned, {fact.name for fact in facts}, errors)
    columns = cache(lambda: sql_columns(spec, calls, lists))

    def recorded(fact: SayableFact) -> frozenset[str]:
        return _recorded_texts(fact, spec, calls)

    action = lexicon_of(spec).action()
    return FactBook((*facts, *of_things), action, events, lists, values=StatedValues(columns, recorded))


def _listed_by_results(
    spec: AgentSpec, calls: Sequence[RecordedCall], things: Sequence[NamedThing]
) -> Iterator[SayableFact]:
    """Yield facts of results about things that no tool looks up by their id: “start of the appointment”."""
    known_keys = {thing.record.key for thing in things}
    for proposal in propose_all(spec, calls):
        record = proposal.record
        if record is None or record.look_up is not None or record.key in known_keys:
            continue
        for fact in fields_of_arguments(proposal.arguments):
            yield replace(fact, records=proposal.records)


def _itself(thing: NamedThing) -> SayableFact:
    """The fact about a thing that a call names; it is known if an earlier result has the thing."""
    words = frozenset(stem(word) for word in split_words(thing.argument.description))
    return SayableFact(
        thing.argument.description,
        FactSource.EARLIER_RESULT,
        thing.argument,
        stems=words,
        records=(thing.record,),
    )


def _recorded_texts(fact: SayableFact, spec: AgentSpec, calls: Sequence[RecordedCall]) -> frozenset[str]:
    """The texts that recorded calls and their context have for a fact; none for facts of earlier calls."""
    argument = fact.value
    if not isinstance(argument, Argument) or fact.source not in (FactSource.CALL, FactSource.CONTEXT):
        return frozenset()
    extractor = Extractor((argument,), spec)
    values = (extractor.extract(call)[argument.name].value for call in calls)
    listed = (value if isinstance(value, frozenset) else {value} for value in values)
    return frozenset(text for texts in listed for text in texts if isinstance(text, str))
