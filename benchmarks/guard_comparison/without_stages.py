"""Drafts of a session without one stage of the loop: the paper's ablation.

A stage is a set of critics that are switched off, or the answers of a person, which are withheld. The
drafting starts from its beginning, first without answers and then with all of them, as in a session. Calls
that the stage does not affect have the same words, so recorded replies answer them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from workbench.author.model.client import ModelClient
from workbench.author.model.whole_file.author import FileAuthor
from workbench.author.model.whole_file.critics import Critic
from workbench.author.model.whole_file.stored_drafting import KeptDrafting
from workbench.model import AgentSpec, Draft


class Stage(StrEnum):
    """A stage of the drafting that can be left out."""

    VALIDATION = "validation"
    TESTS = "tests"
    VERIFICATION = "verification"
    ALL = "any stage"


_TESTS = frozenset({Critic.CASES})
_VERIFICATION = frozenset({Critic.PREVIEW, Critic.VACUITY, Critic.STRENGTH, Critic.NAGINI})
_SILENT = {Stage.TESTS: _TESTS, Stage.VERIFICATION: _VERIFICATION, Stage.ALL: _TESTS | _VERIFICATION}


class _InMemory:
    """A store of a drafting in memory, outside any session."""

    def __init__(self) -> None:
        self._drafting: KeptDrafting | None = None

    def read(self) -> KeptDrafting | None:
        return self._drafting

    def write(self, drafting: KeptDrafting) -> None:
        self._drafting = drafting


def drafted_without(
    stage: Stage | None,
    author: FileAuthor,
    client: ModelClient,
    request: str,
    spec: AgentSpec,
    choices: Mapping[str, str],
) -> Draft:
    """The draft of the author's session without a stage, or with all stages for None; nothing is stored.

    Raises ModelError if a call was never recorded and no model can be asked.
    """
    rounds = 0 if stage is Stage.ALL else None
    used_choices = {} if stage in (Stage.VALIDATION, Stage.ALL) else dict(choices)
    silent = frozenset[Critic]() if stage is None else _SILENT.get(stage, frozenset[Critic]())
    given_spec = author.given_spec(spec)
    again = author.another(client, _InMemory(), silent=silent, rounds=rounds)
    draft = again.draft(request, given_spec, {})
    if used_choices:
        again.renew()
        draft = again.draft(request, given_spec, used_choices)
    return draft
