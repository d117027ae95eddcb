"""The offline author: reads a request in the controlled language of docs/reference/request-language.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.author.rules.compose import compose
from workbench.author.rules.drafting import understand
from workbench.author.rules.interview import Interview
from workbench.author.rules.kept_readings import KeptReadings
from workbench.author.rules.lexicon import Lexicon, build_lexicon, effective_arguments
from workbench.model import AgentSpec, Draft, Kind

# Agents whose lexicon is kept, the last one last.
_KEPT: list[tuple[AgentSpec, Lexicon, KeptReadings]] = []
_MOST = 4
_UNSAYABLE = frozenset({Kind.RECORD, Kind.LIST, Kind.DURATION})
"""Kinds of which no form of the language speaks: rules about them are written by hand."""


def _known(spec: AgentSpec) -> tuple[Lexicon, KeptReadings]:
    """A lexicon of the agent that a draft may add arguments to, and the readings kept for the agent."""
    for known, lexicon, kept in reversed(_KEPT):
        if known == spec:
            return replace(lexicon), kept
    sayable = tuple(one for one in effective_arguments(spec) if one.type.kind not in _UNSAYABLE)
    lexicon, kept = build_lexicon(spec, sayable), KeptReadings()
    _KEPT.append((spec, lexicon, kept))
    del _KEPT[:-_MOST]
    return replace(lexicon), kept


class RulesAuthor:
    """An author that needs no model and no network.

    It reads role tables, rule cards, tool lists and controlled sentences. A sentence that
    it cannot read becomes an open question; it is never dropped and never guessed.
    """

    def draft(self, request: str, spec: AgentSpec, choices: Mapping[str, str]) -> Draft:
        """Draft policy and contract of the request under the choices (VeriGuard, section 3.1)."""
        interview = Interview(choices)
        lexicon, kept = _known(spec)
        understanding = understand(request, spec, lexicon, interview, kept)
        composed = compose(understanding)
        return Draft(
            sentences=tuple(understanding.sentences),
            requirements=composed.requirements,
            arguments=composed.arguments,
            policy=composed.policy,
            doubts=tuple(interview.asked.values()),
            permissions=composed.permissions,
        )
