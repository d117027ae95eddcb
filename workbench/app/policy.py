"""The policy file of a session: its terms, versions, differences, export and guard."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.app.results import ExportedFile, Logs, PolicyChange, complete
from workbench.model import Arguments, Json, Problem, Proof, WorkbenchError

if TYPE_CHECKING:
    from workbench.app.authorship import Authorship
    from workbench.app.guardagent_guard import KeptGuarding
    from workbench.app.request import Request
    from workbench.app.runs import Runs
    from workbench.check.policy_overlaps import PolicyOverlap
    from workbench.guard import Approval, DecisionLog, Guard, LookUps, Mode, NamedPolicy, Strategy
    from workbench.guard.export_several import ExportedPart
    from workbench.policy.merge import Merged
    from workbench.policy.terms import PolicyTerms, Scalar, Table
    from workbench.session import Session

__all__ = ["POLICY", "Policy", "PolicyOverlap", "PolicyTerms", "Scalar", "Table", "context_facts"]

POLICY = "policy.py"


class Policy:
    """The policy of a session, or another text in its place: its terms, differences, export and guard."""

    def __init__(self, session: Session, request: Request, runs: Runs, authorship: Authorship) -> None:
        self._session = session
        self._request = request
        self._runs = runs
        self._authorship = authorship

    def terms(self, source: str | None = None, path: str = POLICY) -> PolicyTerms:
        """The checked policy of the session or of ``source``; raises PolicyError with all problems.

        ``path`` is the name of the file in the problems.
        """
        from workbench.policy.check import check

        text = self._session.policy if source is None else source
        return check(text, path=path)

    def problems(self, source: str | None = None) -> tuple[Problem, ...]:
        """The problems that keep the policy from being in the dialect; empty if there are none."""
        return self.checked(source)[1]

    def checked(self, source: str | None = None) -> tuple[PolicyTerms | None, tuple[Problem, ...]]:
        """The checked policy, or None with the problems that keep it from being in the dialect."""
        try:
            return self.terms(source), ()
        except WorkbenchError as error:
            return None, error.problems or (Problem(str(error)),)

    def version(self, name: str) -> str:
        """The text of a version of the policy by its name; see ``workbench.session.versions``."""
        from workbench.session.versions import version_text

        return version_text(self._session, name, self._request.draft())

    def version_words(self, name: str) -> str:
        """The words for the version of this name: its number, and the act that made it."""
        from workbench.session.versions import version_words

        return version_words(self._session, name)

    def restore(self, number: int) -> bool:
        """Make the policy of an earlier version the present one; False if it is that already."""
        text = self.version(str(number))
        changed = text != self._session.policy
        if changed:
            self._session.set_policy(text, f"Go back to version {number}")
        return changed

    def take_round(self, number: int) -> bool:
        """Make a round of a model's refinement the policy file; False if it is that already.

        Raises WorkbenchError if the draft had no such round. Undo restores the replaced version.
        """
        from workbench.policy.render import format_policy
        from workbench.session.versions import round_of

        text = format_policy(round_of(self._request.draft(), str(number)).policy)
        changed = text != self._session.policy
        if changed:
            self._session.set_policy(text, f"Go back to round {number} of the draft")
        return changed

    def merged_edits(self, base: str, ours: str, theirs: str) -> Merged:
        """Two edits of one policy as one text; if both changed the same part, ``ours`` stays.

        Raises WorkbenchError if the merged text or ``ours`` is not in the dialect.
        """
        from workbench.policy.merge import merge

        merged = merge(base, ours, theirs)
        for text in (merged.text, ours):
            self.terms(text)
        return merged

    def diff(self, old: str, new: str, logs: Logs | None = None) -> PolicyChange:
        """Inputs that a change of the policy newly allows and newly denies: proved, and seen in the logs."""
        from workbench.engines.smt.diff import semantic_diff
        from workbench.runs.replay import flips

        before, after = self.terms(old), self.terms(new)
        decided_logs = logs or Logs()
        decision_flips = tuple(
            flips(self._runs.decide(before, decided_logs), self._runs.decide(after, decided_logs))
        )
        names = {parameter.name for parameter in (*before.arguments, *after.arguments)}
        recorded = (
            {name: value for name, value in item.items() if name in names} for item in decided_logs.extracted
        )
        return PolicyChange(semantic_diff(before, after, prefer=map(complete, recorded)), decision_flips)

    def export(
        self, proof: Proof | None = None, also: Sequence[Policy] = (), *, in_force: bool = False
    ) -> ExportedFile:
        """The policy as one Python file that reads calls as the session does, its contract as comments.

        Its header names the packages that it needs in addition to Python, as some methods of extraction do.
        Without ``proof`` the header has the stored results of earlier proofs; no proof is run. The file is
        run on all cases and on the policy's boundaries. Raises WorkbenchError if it decides otherwise than
        the policy, or if GuardAgent guards too, which no file carries. With ``also``, policies that guard the
        same agent, the file enforces all of them, and each part has its own proof. ``in_force`` says that all
        that the sessions owe is known to be in force; the header says so.
        """
        from workbench.guard.export_check import tried_export, tried_several
        from workbench.guard.export_several import header_of_several

        if len({policy.name for policy in (self, *also)}) <= len(also):
            raise WorkbenchError("Two of these sessions have one name; give each its own in session.toml.")
        part, inputs = self.exported(proof, in_force=in_force)
        if not also:
            return _exported_file(tried_export(part.terms, part.header, inputs, part.reading), part.header)
        exported = {
            self.name: (part, inputs),
            **{policy.name: policy.exported(in_force=in_force) for policy in also},
        }
        parts = {name: exported_part for name, (exported_part, _) in exported.items()}
        text = tried_several(parts, {name: inputs for name, (_, inputs) in exported.items()})
        return _exported_file(text, header_of_several(parts))

    def exported(
        self, proof: Proof | None = None, *, in_force: bool = False
    ) -> tuple[ExportedPart, Sequence[Arguments]]:
        """The contents of an exported file, and the inputs on which the file is tried."""
        from workbench.check.boundary_inputs import boundary_inputs
        from workbench.check.known_proof import known_proof
        from workbench.guard.export import proof_summary
        from workbench.guard.export_several import ExportedPart
        from workbench.guard.exported_reading import reading_for
        from workbench.runs.extract.reading_needs import needed_beside_python, needed_context

        if self.asks_guardagent:
            raise WorkbenchError(
                "An exported file guards by the policy alone; session.toml says that GuardAgent guards too. "
                'Write guard = ["policy"] there to export, or guard by the session itself.'
            )
        terms = self.terms()
        status = proof_summary(known_proof(terms) if proof is None else proof)
        inputs = [*(case.arguments for case in self._session.cases), *boundary_inputs(terms)]
        names = [argument.name for argument in terms.arguments]
        reading = reading_for(names, self._runs.arguments(), self._session.spec, self._session.demonstrations)
        header = {
            "session": self.name,
            "proof": status,
            "owed": "all that persons said is in force" if in_force else "not checked",
            "needs": needed_beside_python(reading),
            "context": needed_context(reading),
        }
        return ExportedPart(terms, header, reading), inputs

    def guard(
        self,
        strategy: Strategy,
        *,
        mode: Mode,
        log: DecisionLog | None = None,
        approval: Approval | None = None,
        context: Mapping[str, Json] | None = None,
        look_ups: LookUps | None = None,
        measuring: bool = False,
        also: Sequence[Policy] = (),
        stopped: Callable[[], bool] = lambda: False,
    ) -> Guard:
        """A guard that enforces the session's policy; ``.run()`` makes one for each run of an agent.

        Arguments come from a call by the same extraction as from a recorded call. ``look_ups`` are the
        read-only tools that the guard may ask for records that the run does not show. A strategy that does
        not enforce needs ``measuring``. With ``also``, policies that guard the same agent, a call runs only
        if all of them allow it. Then the name of their session precedes rules and reasons; so it does if
        GuardAgent guards too, as ``session.toml`` may say. Once ``stopped`` returns true, the guard no longer
        waits for GuardAgent's model.
        """
        from workbench.engines.compiled.compile import compile_policy
        from workbench.guard import Guard
        from workbench.runs.replay.live_guard import live_guard

        policies = (self, *also)
        if any(policy.asks_guardagent for policy in policies) or also:
            parts = [policy.named() for policy in policies]
            parts += [policy.guardagent(stopped) for policy in policies if policy.asks_guardagent]
            return Guard(
                parts, strategy=strategy, mode=mode, log=log, approval=approval, context=context,
                look_ups=look_ups, measuring=measuring,
            )  # fmt: skip
        policy = compile_policy(self.terms())
        extractor = self._runs.extractor()
        return live_guard(
            policy, extractor, strategy=strategy, mode=mode, log=log, approval=approval, context=context,
            look_ups=look_ups, measuring=measuring,
        )  # fmt: skip

    def guarded_tools(self, also: Sequence[Policy] = ()) -> tuple[Sequence[str], Collection[str]]:
        """The tools of the agent by this spec and the others, and the look-ups among them."""
        specs = [policy._session.spec for policy in (self, *also)]
        names = dict.fromkeys(tool.name for spec in specs for tool in spec.tools)
        records = [record for spec in specs for record in spec.records]
        return list(names), {record.look_up.tool for record in records if record.look_up is not None}

    @property
    def name(self) -> str:
        """The name of the policy among several: the name of its session."""
        return self._session.info.name

    def named(self) -> NamedPolicy:
        """The policy with its name and its reader of calls."""
        from workbench.engines.compiled.compile import compile_policy
        from workbench.guard import NamedPolicy
        from workbench.runs.replay.live_guard import RecordedCallReader

        return NamedPolicy(
            self.name, compile_policy(self.terms()), RecordedCallReader(self._runs.extractor())
        )

    @property
    def asks_guardagent(self) -> bool:
        """Whether GuardAgent guards live calls together with the policy, as ``session.toml`` may say."""
        from workbench.app.guardagent_guard import asks_guardagent

        return asks_guardagent(self._session)

    def guardagent(self, stopped: Callable[[], bool] = lambda: False) -> NamedPolicy:
        """GuardAgent as a guard, behind the policies or in parallel; its decisions are stored in the session.

        Once ``stopped`` returns true, the guard no longer waits for the model. Raises WorkbenchError if the
        session cannot be written.
        """
        from workbench.app.guardagent_guard import GuardAgentReader, NoArguments, name_of
        from workbench.guard import NamedPolicy

        reader = GuardAgentReader(self._session, self._authorship, stopped)
        behind = not self._session.info.guardagent.beside
        return NamedPolicy(name_of(self._session), NoArguments(), reader, behind)

    def kept_guarding(self) -> KeptGuarding | None:
        """The repetition of GuardAgent's decisions without a model; None if GuardAgent guards no call."""
        from workbench.app.guardagent_guard import KeptGuarding

        return KeptGuarding(self._session) if self.asks_guardagent else None

    def overlaps(self, others: Sequence[Policy]) -> tuple[PolicyOverlap, ...]:
        """Conflicts and overlaps of this policy and others that guard the same agent, found by the solver.

        Raises WorkbenchError if two of them have the same name, or use different types for an argument of one
        name.
        """
        from workbench.check.policy_overlaps import policy_overlaps

        policies = {policy.name: policy.terms() for policy in (self, *others)}
        if len(policies) <= len(others):
            raise WorkbenchError("Two of these sessions have one name; give each its own in session.toml.")
        return policy_overlaps(policies)


def _exported_file(text: str, header: Mapping[str, str]) -> ExportedFile:
    return ExportedFile(
        text, {name: fact for name, fact in header.items() if name.startswith(("proof", "owed", "needs"))}
    )


def context_facts(items: Iterable[str]) -> dict[str, Json]:
    """Facts about the user and the run, each ``KEY=VALUE``; a value that is JSON is read as JSON."""
    from workbench.runs.values.jsontext import BadJson, parse_json

    facts: dict[str, Json] = {}
    for item in items:
        key, sign, value = item.partition("=")
        if not sign or not key:
            raise WorkbenchError(f"--context {item!r} is no fact; write it as key=value.")
        try:
            facts[key] = parse_json(value)
        except BadJson:
            facts[key] = value
    return facts
