"""The calls of the pipeline about the agent spec: editing it, and what reading an argument otherwise does.

``workbench.app.workbench.Workbench`` inherits them; front ends call them there.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.app.results import Logs, SessionChange
from workbench.model import AgentSpec, Argument, Assumption, Draft

if TYPE_CHECKING:
    from workbench.policy.terms import PolicyTerms
    from workbench.runs.extract import Extractor
    from workbench.runs.extract.described import DescribedMethod, DescribedOption
    from workbench.runs.replay.rereading import ArgumentEffect
    from workbench.session import Session


class AgentCalls(ABC):
    """What can be changed in the agent spec of a session, and tried before it is stored."""

    session: Session

    @abstractmethod
    def draft(self, choices: Mapping[str, str] | None = None) -> Draft:
        """The draft under the given choices, or under the session's assumptions."""

    @abstractmethod
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments that are extracted."""

    @property
    @abstractmethod
    def assumptions(self) -> tuple[Assumption, ...]:
        """The session's assumptions, with the ids of the present draft."""

    @abstractmethod
    def _assume(
        self, assumptions: tuple[Assumption, ...], label: str, before: Draft | None = None
    ) -> SessionChange:
        """Store assumptions with what follows from them, as one change."""

    @abstractmethod
    def extractor(self, arguments: Sequence[Argument] | None = None) -> Extractor:
        """The extractor of the given arguments, or of all."""

    def methods(self) -> tuple[DescribedMethod, ...]:
        """The extraction methods with their options, in words."""
        from workbench.runs.extract.described import METHODS_DESCRIBED

        return METHODS_DESCRIBED

    def common_options(self) -> tuple[DescribedOption, ...]:
        """The options that every extraction method has."""
        from workbench.runs.extract.described import EVERY_METHOD

        return EVERY_METHOD

    def set_spec(self, spec: AgentSpec, label: str) -> SessionChange:
        """Write the agent spec and carry what it changes of the draft into policy and cases.

        Raises WorkbenchError, and changes nothing, where an extraction cannot be prepared or a case
        no longer fits the type of its argument.
        """
        from workbench.runs.extract import Extractor

        Extractor(spec.arguments, spec)
        redrafts = self.session.info.author == "rules"  # any other author would have to be asked
        before, made = (self.draft(), self.assumptions) if redrafts else (None, ())
        policy, cases = self.session.policy, self.session.cases
        changed = SessionChange(policy=False, cases=False)
        types = {argument.name: argument.type for argument in self.session.spec.arguments}
        with self.session.transaction(label):
            if any(types.get(argument.name, argument.type) != argument.type for argument in spec.arguments):
                # Generated cases are made again in the new types; a person's have to fit them.
                self.session.set_cases(case for case in cases if case.origin != "generated")
            self.session.set_spec(spec, label)
            if before is not None and policy.strip():
                changed = self._assume(made, label, before)
            else:
                self.session.set_cases(cases)
            kept = self.session.cases
        return replace(changed, policy=self.session.policy != policy, cases=kept != cases)

    def try_argument(
        self,
        argument: Argument,
        replaces: str,
        logs: Logs,
        terms: PolicyTerms | None = None,
        *,
        at: int | None = None,
        tell: Callable[[ArgumentEffect], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> ArgumentEffect:
        """What defining an argument so would change on the loaded steps; see ``argument_effect``.

        Raises WorkbenchError where its extraction cannot be prepared.
        """
        from workbench.engines.compiled.compile import compile_policy
        from workbench.runs.replay.rereading import argument_effect

        return argument_effect(
            self.extractor((argument,)),
            argument,
            replaces,
            logs.runs,
            logs.extracted,
            None if terms is None else compile_policy(terms),
            at=at,
            tell=tell,
            cancelled=cancelled,
        )

    def read_again(self, logs: Logs, old: AgentSpec, before: Sequence[Argument]) -> Logs:
        """Loaded logs under the session's agent spec; ``old`` and ``before`` are what they were read by."""
        from workbench.runs.replay.rereading import read_again

        spec = self.session.spec
        extracted = read_again(
            self.extractor,
            before,
            self.arguments(),
            logs.runs,
            logs.extracted,
            all_of_them=replace(spec, arguments=()) != replace(old, arguments=()),
        )
        return logs if extracted is logs.extracted else replace(logs, extracted=extracted)
