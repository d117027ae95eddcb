"""The agent spec of a session: editing it, and what reading an argument otherwise does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.app.results import Logs, SessionChange
from workbench.model import AgentSpec, Argument

if TYPE_CHECKING:
    from workbench.app.request import Request
    from workbench.app.runs import Runs
    from workbench.policy.terms import PolicyTerms
    from workbench.runs.extract.described import DescribedMethod
    from workbench.runs.replay.rereading import ArgumentEffect
    from workbench.runs.values.described_option import DescribedOption
    from workbench.session import Session


class Agent:
    """What can be changed in the agent spec of a session, and tried before it is stored."""

    def __init__(self, session: Session, request: Request, runs: Runs) -> None:
        self._session = session
        self._request = request
        self._runs = runs

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
        redrafts = self._session.info.author == "rules"  # any other author would have to be asked
        before, made = (self._request.draft(), self._request.assumptions) if redrafts else (None, ())
        policy, cases = self._session.policy, self._session.cases
        changed = SessionChange(policy=False, cases=False)
        types = {argument.name: argument.type for argument in self._session.spec.arguments}
        with self._session.transaction(label):
            if any(types.get(argument.name, argument.type) != argument.type for argument in spec.arguments):
                # Generated cases are made again in the new types; a person's have to fit them.
                self._session.set_cases(case for case in cases if case.origin != "generated")
            self._session.set_spec(spec, label)
            if before is not None and policy.strip():
                changed = self._request.assume(made, label, before)
            else:
                self._session.set_cases(cases)
            kept = self._session.cases
        return replace(changed, policy=self._session.policy != policy, cases=kept != cases)

    def text(self, part: str, name: str) -> str:
        """A part of the agent spec as it stands in ``agent.toml``, for an editor."""
        from workbench.session.excerpts import spec_text

        return spec_text(self._session.spec, part, name)

    def put_text(self, part: str, name: str, text: str, label: str) -> SessionChange:
        """Store what an edited text says of a part of the agent spec, as ``set_spec`` does."""
        from workbench.session.excerpts import read_spec

        return self.set_spec(read_spec(text, self._session.spec, part, name), label)

    def asks_model(self, argument: Argument) -> bool:
        """Whether a model reads the argument, so that trying a definition of it would cost calls."""
        return argument.extraction is not None and argument.extraction.method == "model"

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
            self._runs.extractor((argument,)),
            argument,
            replaces,
            logs.runs,
            logs.extracted,
            None if terms is None else compile_policy(terms),
            at=at,
            tell=tell,
            cancelled=cancelled,
        )

    def propose_arguments(self, *, write: bool = False, history: bool = False) -> tuple[Argument, ...]:
        """Arguments with their extraction from the tools' schemas, without those declared already.

        With ``history`` also facts about the earlier steps of a run: calls, sums, what was read before.
        """
        from workbench.runs.extract.propose import propose_arguments
        from workbench.runs.extract.propose_history import propose_history

        spec = self._session.spec
        declared = {argument.name for argument in spec.arguments}
        proposed = propose_arguments(spec.tools)
        if history:
            proposed += propose_history(spec.tools, (argument.name for argument in proposed))
        found = tuple(one for one in proposed if one.name not in declared)
        if write and found:
            changed = replace(spec, arguments=(*spec.arguments, *found))
            self._session.set_spec(changed, f"Add {len(found)} proposed arguments")
        return found
