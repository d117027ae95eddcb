"""The policy file of a session: its terms, versions and differences; export and guard of the accepted one."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.app.enforced import Subagents, extended_by
from workbench.model import Arguments, Json, Problem, Proof, WorkbenchError

if TYPE_CHECKING:
    from workbench.app.enforced import Baselines, Enforced
    from workbench.app.guardagent_guard import KeptGuarding
    from workbench.app.live_grants import CheckedGrants, GuardPart
    from workbench.app.request import Request
    from workbench.app.results import ExportedFile, Logs, PolicyChange
    from workbench.app.runs import Runs
    from workbench.check.policy_overlaps import PolicyOverlap
    from workbench.guard import Approval, DecisionLog, Guard, LookUps, Mode, NamedPolicy, Strategy
    from workbench.guard.export import ExportedPart
    from workbench.model import AgentSpec, DraftRound
    from workbench.policy.terms import PolicyTerms, Scalar, Table
    from workbench.policy.written import ArgumentWords
    from workbench.session import Session

__all__ = ["POLICY", "Policy", "PolicyOverlap", "PolicyTerms", "Scalar", "Table", "context_facts"]

POLICY = "policy.py"
AS_IF_ALLOWED = (
    'DEFAULT is "deny": what no sentence allows is denied at present. Rule against rule, as if allowed:'
)
"""What a difference is, where the default of both versions denies all that they differ in."""


def _warn(sentence: str) -> None:
    """Show a sentence to the programmer whose program guards by a session."""
    warnings.warn(sentence, stacklevel=3)


class Policy:
    """The policy of a session, or another text in its place: its terms, differences, export and guard."""

    def __init__(self, session: Session, request: Request, runs: Runs, enforced: Enforced) -> None:
        self._session = session
        self._request = request
        self._runs = runs
        self.enforced = enforced

    def terms(
        self, source: str | None = None, path: str = POLICY, *, agent: AgentSpec | None = None
    ) -> PolicyTerms:
        """The checked policy of the session or of ``source``; raises PolicyError with all problems.

        ``path`` is the name of the file in the problems, ``agent`` an agent in the place of the session's.
        """
        from workbench.dialect.lowered_policy import lowered_policy

        lowered = self._session.lowered
        if lowered is not None and agent is None and source in (None, self._session.written):
            return lowered.terms
        text = self._session.written if source is None else source
        return lowered_policy(text, agent or self._session.agent, path).terms

    def problems(self, source: str | None = None) -> tuple[Problem, ...]:
        """The problems that keep the policy from being in the dialect; empty if there are none."""
        return self.checked(source)[1]

    def checked(self, source: str | None = None) -> tuple[PolicyTerms | None, tuple[Problem, ...]]:
        """The checked policy, or None with the problems that keep it from being in the dialect."""
        try:
            return self.terms(source), ()
        except WorkbenchError as error:
            return None, error.problems or (Problem(str(error)),)

    @property
    def words(self) -> ArgumentWords:
        """The words for the arguments of the session's policy."""
        from workbench.policy.written import OWN_NAMES

        terms = self.checked()[0]
        return OWN_NAMES if terms is None else terms.file.words

    def version(self, name: str) -> str:
        """The text of the version of the policy that ``name`` denotes.

        ``current`` is the session's policy. ``accepted`` is the one that guards enforce. ``before`` is the
        policy before its last change (the draft if it was never changed). ``draft`` is the author's draft for
        the request. ``round:N`` is the version after that round of a model's refinement (0: its first). A
        number is the version after that change of the session's history (0: before the first). ``git:REF``
        is the version in that commit. Any other name is a policy file or a session's folder. Raises
        WorkbenchError if there is none.
        """
        session = self._session
        match name:
            case "current":
                return session.written
            case "accepted":
                return _accepted(session)
            case "draft":
                return self._draft()
            case "before":
                changes = _policy_changes(session)
                return self._draft() if not changes else changes[-1][1] or ""
            case _ if name.startswith(_ROUND):
                return self._round(name.removeprefix(_ROUND)).policy
            case _ if name.isdigit():
                return _after_change(session, int(name))
            case _ if name.startswith("git:"):
                return _in_commit(session.path, name.removeprefix("git:"))
            case _:
                return _in_file(Path(name))

    def _draft(self) -> str:
        if not self._session.is_drafted:
            raise WorkbenchError(
                "The policy of this session is written, so there is no draft of it: "
                "name a file, a change, current, accepted or git:REF."
            )
        return self._request.draft().policy

    def _round(self, number: str) -> DraftRound:
        """The round with this number; raises WorkbenchError if the draft had none."""
        rounds = self._request.draft().rounds
        count = len(rounds)
        if number.isdigit() and int(number) < count:
            return rounds[int(number)]
        had = (
            f"it had the rounds 0 to {count - 1}" if count else "only the author that asks a model has rounds"
        )
        raise WorkbenchError(f"The draft has no round {number[:20]!r}; {had}.")

    def version_words(self, name: str) -> str:
        """The words for the version that ``name`` denotes: its number, and the change that it comes from."""
        session = self._session
        if name == "draft":
            return "the author's draft"
        if name == "accepted" and session.accepted_version is not None:
            return f"the version accepted {session.accepted_version.when}"
        labels = {change.id: change.label for change in session.history}
        if name == "before":
            changes = _policy_changes(session)
            last = changes[-1][0] if changes else 0
            return f"version {last - 1}, before “{labels[last]}”" if changes else "the author's draft"
        if name.isdigit():
            return f"version {name}, “{labels[int(name)]}”" if int(name) in labels else f"version {name}"
        return name

    def restore(self, number: int) -> bool:
        """Make the policy of an earlier version the present one; False if it is that already."""
        text = self.version(str(number))
        changed = text != self._session.written
        if changed:
            self._session.set_policy(text, f"Go back to version {number}")
        return changed

    def take_round(self, number: int) -> bool:
        """Make a round of a model's refinement the policy file; False if it is that already.

        Raises WorkbenchError if the draft had no such round. Undo restores the replaced version.
        """
        from workbench.policy.render import format_policy

        text = format_policy(self._round(str(number)).policy)
        changed = text != self._session.written
        if changed:
            self._session.set_policy(text, f"Go back to round {number} of the draft")
        return changed

    def diff(
        self, old: str, new: str, logs: Logs | None = None, *, most: int | None = None, near: bool = True
    ) -> PolicyChange:
        """Inputs that a change of the policy newly allows and newly denies: proved, and seen in the logs.

        ``most`` is the number of regions to look for; with 0 only the logs are compared. A run that shows an
        input is looked for ``near`` it too, which takes most of the time.
        """
        from workbench.app.results import Logs, PolicyChange, complete
        from workbench.check.realise.realised_differences import Versions
        from workbench.dialect.same_expressions import named_alike
        from workbench.engines.smt.diff import MOST_DIFFERING_REGIONS, SemanticDiff, semantic_diff
        from workbench.runs.replay.flips import flips

        before = self.terms(old)
        after = named_alike(self.terms(new), before)
        decided_logs = logs or Logs()
        decision_flips = tuple(
            flips(self._runs.decide(before, decided_logs), self._runs.decide(after, decided_logs))
        )
        words = before.file.words.joined(after.file.words)
        if most == 0:
            unknown = "the inputs that no log has; 'workbench diff' compares them"
            return PolicyChange(SemanticDiff(None, unknown=unknown), decision_flips, words)
        names = {parameter.name for parameter in (*before.arguments, *after.arguments)}
        recorded = [
            complete({name: value for name, value in read.items() if name in names})
            for read in ({**flip.old.extracted, **flip.new.extracted} for flip in decision_flips)
        ]
        semantic = semantic_diff(before, after, prefer=recorded, most=most or MOST_DIFFERING_REGIONS)
        semantic = Versions(before, after, self._session.agent).of_diff(semantic, near=near)
        placed = all(
            inputs is not None and names <= inputs.keys()
            for inputs, flip in zip(recorded, decision_flips, strict=True)
            if flip.turns
        )
        return PolicyChange(semantic, decision_flips, words, placed)

    def diff_by_agent(self, after: PolicyTerms, agent: AgentSpec, logs: Logs | None) -> PolicyChange:
        """What a policy decides otherwise of logged calls that another agent file reads otherwise."""
        from workbench.app.results import Logs, PolicyChange
        from workbench.engines.smt.diff import SemanticDiff
        from workbench.runs.replay.flips import flips

        before, known = self.terms(), logs or Logs()
        read = self._runs.read_by(agent, after, known)
        turned = tuple(flips(self._runs.decide(before, known), self._runs.decide(after, read)))
        unknown = "the inputs that no log has, as agent.toml reads calls otherwise then"
        words = before.file.words.joined(after.file.words)
        return PolicyChange(SemanticDiff(None, unknown=unknown), turned, words)

    def diff_of_rules(
        self, old: str, new: str, logs: Logs | None = None, *, most: int | None = None
    ) -> PolicyChange:
        """What a change of a policy of calls does, also where its default denies all that it is about.

        Then the versions are compared as if what no rule speaks of were allowed.
        """
        from workbench.language.kept_sentence import with_default

        change = self.diff(old, new, logs, most=most, near=False)
        before, after = self.terms(old), self.terms(new)
        rules = [{(rule.name, rule.body) for rule in terms.rules} for terms in (before, after)]
        turned = any(flip.turns for flip in change.flips)
        is_hidden = not turned and (change.semantic.equivalent or most == 0) and rules[0] != rules[1]
        if before.file.default_allow or after.file.default_allow or not is_hidden:
            return change
        old, new = with_default(old, "allow"), with_default(new, "allow")
        return replace(self.diff(old, new, logs, most=most, near=False), as_if=AS_IF_ALLOWED)

    def export(self, proof: Proof | None = None, also: Sequence[Policy] = ()) -> ExportedFile:
        """The accepted version as one Python file that reads calls itself, its contract as comments.

        Its header says which version it is, and names the packages that it needs in addition to Python, as
        some methods of extraction do. Without ``proof`` the header has the stored results of earlier proofs;
        no proof is run. The file is run on all cases and on the policy's boundaries. Raises WorkbenchError if
        no version is accepted, if the file decides otherwise than the policy, or if GuardAgent guards too,
        which no file carries. With ``also``, policies that guard the same agent, the file enforces all of
        them, and each part has its own proof; so it does the baselines of all.
        """
        from workbench.app.results import ExportedFile
        from workbench.guard.export import header_of
        from workbench.guard.export_check import tried_export

        _, *others = every = self._enforcing(also)
        exported = {self.enforced.name: exported_part(self.enforced, proof)}
        exported |= {enforced.name: exported_part(enforced) for enforced in others}
        if len(exported) < len(every):
            raise WorkbenchError("Two of these sessions have one name; give each its own in session.toml.")
        parts = {name: part for name, (part, _) in exported.items()}
        text = tried_export(parts, {name: inputs for name, (_, inputs) in exported.items()})
        shown = ("accepted", "proof", "needs")
        return ExportedFile(
            text, {name: fact for name, fact in header_of(parts).items() if name.startswith(shown)}
        )

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
        note: Callable[[str], None] = _warn,
    ) -> Guard:
        """A guard that enforces the accepted version of the session; ``.run()`` makes one for each run.

        It stays with the version that is accepted now. Without one it denies every call. Where the session
        differs from it, ``note`` is called with a sentence, which is a warning unless the caller shows it.

        Arguments come from a call by the same extraction as from a recorded call. ``look_ups`` are the
        read-only tools that the guard may ask for records that the run does not show. A strategy that does
        not enforce needs ``measuring``. With ``also``, policies that guard the same agent, a call runs only
        if all of them allow it. Then the name of their session precedes rules and reasons; so it does if
        GuardAgent guards too, the session extends another one, or others decide for its subagents, as
        ``session.toml`` may say. Once
        ``stopped`` returns true, the guard no longer waits for GuardAgent's model.
        """
        from workbench.app.live_grants import GuardPart
        from workbench.guard import Guard

        every = [policy.enforced for policy in (self, *also)]
        subagents = self.subagents(also)
        notices = [enforced.notice for enforced in every]
        notices += [enforced.compared_otherwise for enforced, _ in subagents.every]
        for notice in filter(None, notices):
            note(notice)
        ruling = self._ruling(every, also)
        beside = list(subagents.named())
        beside += [enforced.guardagent(stopped) for enforced in every if enforced.asks_guardagent]
        parts = [*(part.policy for part in ruling), *beside]
        policy, reader = (parts, None) if len(parts) > 1 else (parts[0].policy, parts[0].reader)
        grants = self.enforced.live_grants((*ruling, *map(GuardPart, beside)))
        return Guard(
            policy, reader, strategy=strategy, mode=mode, log=log, approval=approval, context=context,
            look_ups=look_ups, measuring=measuring, grants=grants,
        )  # fmt: skip

    def _ruling(self, every: Sequence[Enforced], also: Sequence[Policy]) -> list[GuardPart]:
        """The policies that guard together: those of the sessions, and what these extend."""
        from functools import partial

        from workbench.app.live_grants import GuardPart

        parts = [
            GuardPart(
                one.named(),
                one.asking_rules,
                partial(one.named, version=one.version),
                is_own=one is self.enforced,
            )
            for one in every
        ]
        for folder, these in self._extended(also).items():
            asking = these.by_folder[folder].asking_rules
            parts.append(GuardPart(these.named(folder), asking, partial(these.named, folder)))
        return parts

    def checked_grants(self) -> CheckedGrants:
        """The grants of the session as its guard checks them now; none is checked if every call is denied."""
        from workbench.app.live_grants import CheckedGrants, unchecked_grants
        from workbench.session.grants_file import NAME

        if not os.path.lexists(self.enforced.folder / NAME):
            return CheckedGrants()
        grants = self.enforced.live_grants(self._ruling((self.enforced,), ()))
        return unchecked_grants(self.enforced.folder) if grants is None else grants.current()

    def baselines(self, also: Sequence[Policy] = ()) -> tuple[Enforced, ...]:
        """What this session and the others extend: they decide beside these sessions."""
        return tuple(these.by_folder[folder] for folder, these in self._extended(also).items())

    def subagents(self, also: Sequence[Policy] = ()) -> Subagents:
        """What decides only the calls of subagents of this session, the others, and what they extend."""
        enforcing = self._enforcing(also)
        return Subagents.of({enforced.folder: (enforced.name, enforced.subagents) for enforced in enforcing})

    def _enforcing(self, also: Sequence[Policy]) -> tuple[Enforced, ...]:
        return (*(policy.enforced for policy in (self, *also)), *self.baselines(also))

    def _extended(self, also: Sequence[Policy]) -> dict[Path, Baselines]:
        """The folders that the sessions of these policies extend and that are none of these sessions."""
        return extended_by([policy.enforced for policy in (self, *also)], lambda one: one.info)

    def guarded_tools(self, also: Sequence[Policy] = ()) -> tuple[Sequence[str], Collection[str]]:
        """The tools of the agent by the accepted specs, and the look-ups among them."""
        specs = [enforced.spec for enforced in self._enforcing(also)]
        names = dict.fromkeys(tool.name for spec in specs for tool in spec.tools)
        records = [record for spec in specs for record in spec.records]
        return list(names), {record.look_up.tool for record in records if record.look_up is not None}

    @property
    def name(self) -> str:
        """The name of the policy among several: the name of its session."""
        return self._session.info.name

    def named(self) -> NamedPolicy:
        """The accepted policy with its name and its reader of calls; with what it extends, all as one."""
        from workbench.guard import NamedPolicy
        from workbench.guard.several_policies import SeveralPolicies

        others = [these.named(folder) for folder, these in self._extended(()).items()]
        others += self.subagents().named()
        if not others:
            return self.enforced.named()
        several = SeveralPolicies((self.enforced.named(), *others))
        return NamedPolicy(self.enforced.name, several.as_policy(), several)

    def kept_guarding(self) -> KeptGuarding | None:
        """The repetition of GuardAgent's decisions without a model; None if GuardAgent guards no call."""
        from workbench.app.guardagent_guard import KeptGuarding, asks_guardagent

        return KeptGuarding(self._session, self._session) if asks_guardagent(self._session) else None

    def overlaps(self, others: Sequence[Policy]) -> tuple[PolicyOverlap, ...]:
        """Conflicts and overlaps of this policy and others that guard the same agent, found by the solver.

        Raises WorkbenchError if two of them have the same name, or use different types for an argument of one
        name.
        """
        from workbench.check.policy_overlaps import policy_overlaps
        from workbench.dialect.same_expressions import named_alike

        own_terms = self.terms()
        policies = {self.name: own_terms}
        policies |= {policy.name: named_alike(policy.terms(), own_terms) for policy in others}
        if len(policies) <= len(others):
            raise WorkbenchError("Two of these sessions have one name; give each its own in session.toml.")
        return policy_overlaps(policies)


# --- the versions of a policy by their names

_ROUND = "round:"
# A repository may name a program that brings objects which it lacks; git would start it.
_FETCHES_NOTHING = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}


def _accepted(session: Session) -> str:
    version = session.accepted_version
    if version is None or not version.unchanged:
        was = "was accepted" if version is None else "is accepted: accepted.toml was changed since"
        raise WorkbenchError(
            f"No version of {session.path} {was}; `workbench check {session.path} --accept` accepts one."
        )
    return version.texts[POLICY]


def _policy_changes(session: Session) -> list[tuple[int, str | None, str | None]]:
    """The changes of the policy file: change id, text before and text after."""
    return [
        (change.id, file.old, file.new)
        for change in session.history
        for file in change.files
        if file.name == POLICY
    ]


def _after_change(session: Session, number: int) -> str:
    changes = _policy_changes(session)
    earlier_changes = [change for change in changes if change[0] <= number]
    if earlier_changes:
        return earlier_changes[-1][2] or ""
    return session.written if not changes else changes[0][1] or ""


def _in_commit(folder: Path, ref: str) -> str:
    import subprocess

    try:
        completed = subprocess.run(
            ["git", "cat-file", "blob", "--end-of-options", f"{ref}:./{POLICY}"],
            cwd=folder,
            env={**os.environ, **_FETCHES_NOTHING},
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise WorkbenchError("git cannot be run; name a file instead of a commit.", exit_code=3) from error
    if completed.returncode:
        raise WorkbenchError(f"git has no {POLICY} of {folder} at {ref!r}; check the commit's name.")
    return completed.stdout.decode("utf-8", errors="replace")


def _in_file(path: Path) -> str:
    from workbench.session.atomic import inside, read_text

    if path.is_dir():
        text = read_text(inside(path, POLICY), POLICY)
        if text is None:
            raise WorkbenchError(f"{path} has no {POLICY}; name a session's folder, or a file.")
        return text
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise WorkbenchError(f"{path} is not UTF-8 text; save it as UTF-8.") from error
    except OSError as error:
        raise WorkbenchError(
            f"{path} cannot be read ({error.strerror}); name a file, a folder, a change, "
            "current, accepted, before, draft, round:N or git:REF."
        ) from error


# --- what is exported


def exported_part(enforced: Enforced, proof: Proof | None = None) -> tuple[ExportedPart, Sequence[Arguments]]:
    """The contents of an exported file, and the inputs on which the file is tried."""
    from workbench.check.cases_inputs import boundary_inputs
    from workbench.check.known_proof import known_proof
    from workbench.check.realise.realised_proof import realised_proof
    from workbench.guard.export import ExportedPart, proof_summary
    from workbench.guard.exported_reading import reading_for
    from workbench.runs.extract.reading_needs import (
        needed_beside_python,
        needed_context,
        needed_messages,
    )

    version = enforced.needed()
    if enforced.asks_guardagent:
        raise WorkbenchError(
            "An exported file guards by the policy alone; session.toml says that GuardAgent guards too. "
            'Write guard = ["policy"] there and accept the session to export, or guard by the session '
            "itself."
        )
    if version.info.agents:
        raise WorkbenchError(
            f"{enforced.name} leaves some subagents to other sessions, and an exported file does not tell "
            "agents apart. Guard by the session itself, or export one without [agents] in session.toml."
        )
    terms = version.terms
    if proof is None:
        proof = realised_proof(terms, version.spec, known_proof(terms))
    status = proof_summary(proof)
    inputs = [*(case.arguments for case in enforced.cases), *boundary_inputs(terms)]
    names = [argument.name for argument in terms.arguments]
    reading = reading_for(names, version.spec.arguments, version.spec, version.demonstrations)
    header = {
        "session": enforced.name,
        "accepted": version.words,
        "proof": status,
        "needs": needed_beside_python(reading),
        "context": needed_context(reading),
        "messages": needed_messages(reading),
    }
    return ExportedPart(terms, header, reading), inputs


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
