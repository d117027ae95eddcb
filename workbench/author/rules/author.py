"""The offline author: reads a request in the controlled language of docs/request-language.md."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.author.rules.compose import compose
from workbench.author.rules.drafting import understand
from workbench.author.rules.interview import Interview
from workbench.author.rules.lexicon import build_lexicon, effective_arguments
from workbench.model import AgentSpec, Draft


class RulesAuthor:
    """An author that needs no model and no network.

    It reads role tables, rule cards, tool lists and controlled sentences. A sentence that
    it cannot read becomes an open question; it is never dropped and never guessed.
    """

    def draft(self, request: str, spec: AgentSpec, choices: Mapping[str, str]) -> Draft:
        """Draft policy and contract of the request under the choices (VeriGuard, section 3.1)."""
        arguments = effective_arguments(spec)
        interview = Interview(choices)
        understanding = understand(request, spec, build_lexicon(spec, arguments), interview)
        composed = compose(understanding)
        return Draft(
            sentences=tuple(understanding.sentences),
            requirements=composed.requirements,
            arguments=composed.arguments,
            policy=composed.policy,
            doubts=tuple(interview.asked.values()),
            permissions=composed.permissions,
        )
