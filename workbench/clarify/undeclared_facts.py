"""Facts that a rule may mention but the agent spec does not declare yet, each with its source.

They follow only from the tools' schemas and recorded calls. They are arguments of calls (nested ones, and
each element of lists), facts of the run's context, and the time of the call. Each fact is an argument that
the agent spec can take unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from workbench.author.rules.words import split_words, stem
from workbench.clarify.facts_of_calls import facts_of_calls, facts_of_context, facts_of_time
from workbench.clarify.sayable_facts import SayableFact, with_meaning
from workbench.clarify.stated_settings import NOW, KindOptions, chosen_options
from workbench.clarify.tool_values import called_values
from workbench.model import AgentSpec, Argument, Extraction, RecordedCall
from workbench.runs.extract.propose import free_name

MOST_FACTS = 3000


def undeclared_facts(
    spec: AgentSpec, calls: Sequence[RecordedCall], settings: Mapping[str, str] | None = None
) -> tuple[SayableFact, ...]:
    """Every fact in schemas and recorded calls, under names that are free in the agent spec.

    ``settings`` apply to all texts of a kind, by the words of ``SETTINGS``.
    """
    taken_names = {argument.name for argument in spec.arguments}
    chosen = chosen_options(spec, settings or {})
    sayable_facts: list[SayableFact] = []
    facts = (
        *facts_of_calls(called_values(spec, calls)),
        *facts_of_context(calls),
        *facts_of_time(calls, (settings or {}).get(NOW, "")),
    )
    for fact in facts:
        if len(sayable_facts) >= MOST_FACTS:
            break
        assert isinstance(fact.value, Argument), "what is derived has no name of its own"
        named = replace(fact.value, name=free_name(fact.name, taken_names))
        named = replace(named, extraction=_with_settings(named.extraction, chosen))
        words = frozenset(stem(word) for word in split_words(fact.phrase))
        sayable_facts.append(with_meaning(replace(fact, value=named, stems=words)))
    return tuple(sayable_facts)


def _with_settings(source: Extraction | None, chosen: KindOptions) -> Extraction | None:
    part = str(source.options.get("part", "")).partition(".")[0] if source is not None else ""
    kind_options = {option: value for (kind, option), value in chosen.items() if kind == part}
    return (
        replace(source, options={**source.options, **kind_options})
        if source is not None and kind_options
        else source
    )
