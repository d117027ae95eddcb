"""The sample session's answers about its agent spec."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

from workbench.old_screen.agent_state import AgentView, ArgumentEffect, SpecEdit
from workbench.old_screen.samples.sample_agent import try_sample, view_of
from workbench.old_screen.state import Contents
from workbench.policy.terms import PolicyTerms


class SampleAgent(ABC):
    """The calls about the agent spec, on the contents that the sample port holds."""

    calls: list[str]

    @abstractmethod
    def contents(self) -> Contents:
        """The contents as they stand."""

    @abstractmethod
    def _put(self, contents: Contents) -> Contents:
        """Make these the contents."""

    def agent(self) -> AgentView:
        """The spec with the sample's methods."""
        return view_of(self.contents().spec)

    def set_spec(self, edit: SpecEdit) -> Contents:
        """Take the spec."""
        self.calls.append(edit.label)
        try_sample(edit, None)
        return self._put(replace(self.contents(), spec=edit.spec))

    def accept_proposal(self, name: str) -> Contents:
        """Take it."""
        self.calls.append(f"accept {name}")
        spec = self.contents().spec
        made = next(one for one in view_of(spec).proposals if one.name == name)
        changed = replace(
            spec, records=(*spec.records, *made.records), arguments=(*spec.arguments, *made.arguments)
        )
        return self._put(replace(self.contents(), spec=changed))

    def drop_proposal(self, name: str) -> Contents:
        """Remember it."""
        self.calls.append(f"drop {name}")
        spec = self.contents().spec
        changed = replace(spec, not_proposed=(*spec.not_proposed, name))
        return self._put(replace(self.contents(), spec=changed))

    def try_argument(
        self,
        edit: SpecEdit,
        terms: PolicyTerms | None,
        at: int | None,
        tell: Callable[[ArgumentEffect], None],
        cancelled: threading.Event,
    ) -> ArgumentEffect:
        """Look it up."""
        del terms, tell, cancelled
        return try_sample(edit, at)
