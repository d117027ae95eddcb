"""The offline author: reads a request in a controlled language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.author.implied_arguments import effective_arguments
from workbench.author.rules.compose import compose
from workbench.author.rules.doubt_answers import DoubtAnswers
from workbench.author.rules.fact_arguments import fact_arguments
from workbench.author.rules.fact_words import add_facts
from workbench.author.rules.lexicon import Lexicon, build_lexicon
from workbench.author.rules.reading_cache import KeptReadings
from workbench.author.rules.understand_request import understand
from workbench.model import AgentSpec, Draft, Kind

# Agents whose lexicon is cached, the most recently used last.
_KEPT: list[tuple[AgentSpec, Lexicon, KeptReadings]] = []
_MOST_DRAFTS = 8
_MOST = 4
_HELD = frozenset({Kind.RECORD, Kind.LIST})
"""Kinds of arguments whose facts sentences name, instead of the argument."""


def _known(spec: AgentSpec) -> tuple[Lexicon, KeptReadings]:
    """A lexicon of the agent to which a draft may add arguments, and the readings stored for the agent."""
    for kept_spec, lexicon, kept_readings in reversed(_KEPT):
        if kept_spec == spec:
            return replace(lexicon), kept_readings
    arguments = effective_arguments(spec)
    plain_arguments = tuple(
        argument for argument in arguments if argument.type.kind not in {*_HELD, Kind.DURATION}
    )
    lexicon, kept_readings = build_lexicon(spec, plain_arguments), KeptReadings()
    lexicon.records_and_lists = tuple(argument for argument in arguments if argument.type.kind in _HELD)
    lexicon.fact_by_name = fact_arguments(arguments)
    add_facts(
        lexicon, tuple(spec_fact.argument for spec_fact in lexicon.fact_by_name.values()), spec.synonyms
    )
    _KEPT.append((spec, lexicon, kept_readings))
    del _KEPT[:-_MOST]
    return replace(lexicon), kept_readings


def lexicon_of(spec: AgentSpec) -> Lexicon:
    """The words that a request may use for the arguments of an agent spec."""
    return _known(spec)[0]


class RulesAuthor:
    """An author that needs no model and no network.

    It reads role tables, rule cards, tool lists and controlled sentences. A sentence that it cannot read
    becomes an open question; it is never dropped and never guessed.
    """

    def draft(self, request: str, spec: AgentSpec, choices: Mapping[str, str]) -> Draft:
        """Draft policy and contract of the request under the choices (VeriGuard, section 3.1).

        The last drafts of each agent are cached, because one operation of a user needs the same draft several
        times.
        """
        lexicon, kept_readings = _known(spec)
        draft_key = request, frozenset(choices.items())
        draft = kept_readings.drafts.get(draft_key)
        if draft is None:
            draft = _drafted(request, spec, choices, lexicon, kept_readings)
            for oldest in [*kept_readings.drafts][: -_MOST_DRAFTS + 1]:
                kept_readings.drafts.pop(oldest, None)  # another thread may have removed it
            kept_readings.drafts[draft_key] = draft
        return draft


def _drafted(
    request: str, spec: AgentSpec, choices: Mapping[str, str], lexicon: Lexicon, kept_readings: KeptReadings
) -> Draft:
    doubt_answers = DoubtAnswers(choices)
    understanding = understand(request, spec, lexicon, doubt_answers, kept_readings)
    composed = compose(understanding)
    return Draft(
        sentences=tuple(understanding.sentences),
        requirements=composed.requirements,
        arguments=composed.arguments,
        policy=composed.policy,
        doubts=tuple(doubt_answers.doubts.values()),
        permissions=composed.permissions,
        implied=composed.implied,
    )
