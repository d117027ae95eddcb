"""The verdict on each theorem: proved, refuted by a run that the guard let through, or unknown.

A theorem is proved if it holds of a run without calls, and each step is: if it holds of the earlier calls and
a call is allowed, it holds of all of them. A step may assume other theorems, as long as all are proved
together: those of the file, and those that the workbench finds. A theorem that is not proved is refuted only
by a run; without one it is unknown.

Lemmas that the workbench tries for a theorem: what may hold of the values that it and the policy gather.

They are theorems like those that a person states: kept only as far as all of them are proved together.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter

from workbench.check.theorems.breaking_runs import MOST_CALLS, SECONDS, BreakingRuns
from workbench.dialect.call_types import AgentTypes, agent_types
from workbench.dialect.check import check_calls
from workbench.dialect.checked import CallPolicy, CallTheorem, OverCalls
from workbench.dialect.class_names import CALLS
from workbench.dialect.run_terms import text_of
from workbench.dialect.run_values import all_parts
from workbench.dialect.theorem_steps import Step, TheoremPolicy, speaks_of_approvals, theorem_policy
from workbench.engines.smt.preview import preview
from workbench.model import (
    AgentSpec,
    ClauseProof,
    Engine,
    Kind,
    Proof,
    ProofStatus,
    Run,
    StepVerdict,
    TheoremVerdict,
)
from workbench.policy.problems import PolicyError
from workbench.policy.rule_names import ASK
from workbench.policy.terms import Attribute, PolicyTerms

_HOLD = (ProofStatus.PROVED, ProofStatus.VACUOUS)
NO_CALLS = "it does not hold of a run without calls"

ALWAYS = "it holds whatever the policy is"
NEVER = "no call that it speaks of is ever allowed"
NOT_SEEN = "no run was found in which a call that it speaks of is allowed"


_SPEAKING = 2.0
"""The time, in seconds, for the search of a run in which a call is allowed that a theorem speaks of."""

type Verify = Callable[[PolicyTerms, Collection[str]], Proof]
"""The verifier's verdicts on clauses of a policy, by their ids."""


class TheoremVerdicts:
    """Decides the theorems of one policy of calls."""

    def __init__(self, terms: PolicyTerms, spec: AgentSpec, recorded: Sequence[Run] = ()) -> None:
        """Take a policy of calls over plain arguments, with its text, its agent, and recorded runs."""
        self._recorded = recorded
        self.terms = terms
        self.spec = spec
        written = terms.written
        self._calls = (
            check_calls(written.text, agent_types(spec), all_have_ended=True)
            if written is not None and written.theorems
            else None
        )

    @property
    def theorems(self) -> tuple[CallTheorem, ...]:
        """The theorems of the policy."""
        return () if self._calls is None else self._calls.theorems

    @cached_property
    def alone(self) -> TheoremPolicy:
        """The steps of the theorems, each assuming its own theorem only."""
        assert self._calls is not None
        return theorem_policy(self._calls)

    @cached_property
    def runs(self) -> BreakingRuns:
        """The search for runs."""
        assert self._calls is not None
        searched = (
            theorem_policy(self._calls, guards_alone=True) if speaks_of_approvals(self._calls) else self.alone
        )
        return BreakingRuns(searched, self.terms, self.spec, self._recorded)

    def all(
        self,
        verify: Verify | None = None,
        *,
        most: int = MOST_CALLS,
        seconds: float = SECONDS,
        only: Collection[str] = (),
        on_theorem: Callable[[tuple[TheoremVerdict, ...]], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> tuple[TheoremVerdict, ...]:
        """The verdicts, by the preview alone or confirmed by the verifier.

        ``most`` bounds the calls of a run that is searched for, and ``seconds`` the time for one search.
        ``only`` names theorems that are asked about alone; others may be their lemmas. After each theorem
        ``on_theorem`` gets the verdicts so far. Once it is ``cancelled``, no further theorem is decided.
        """
        if not self.theorems:
            return ()
        proofs = self._proofs()
        found: list[TheoremVerdict] = []
        wanted = set(only)
        while lemmas := {lemma for name in wanted for lemma in proofs[name].lemmas} - wanted:
            wanted |= lemmas
        for theorem in self.theorems:
            if cancelled is not None and cancelled():
                break
            if wanted and theorem.name not in wanted:
                continue
            verdict = self._of(theorem, proofs[theorem.name], verify, most, seconds)
            found.append(verdict)
            if on_theorem is not None:
                on_theorem(_resting(found))
        return _resting(found)

    # --- proofs -------------------------------------------------------------------------

    def _proofs(self) -> dict[str, _Steps]:
        """The preview's verdicts on the steps of each theorem, with lemmas where it does not hold alone."""
        found = _steps_of(self.alone, ())
        assert self._calls is not None
        lemmas = [name for name in found if self._begins(name)]
        if len(found) == 1 or all(found[name].hold for name in lemmas):
            return found
        while lemmas:
            steps = _steps_of(theorem_policy(self._calls, lemmas), lemmas)
            left = [name for name in lemmas if steps[name].hold]
            if left == lemmas:
                return {name: one if one.hold or name not in left else self._with_few(name, left)
                        for name, one in found.items()}  # fmt: skip
            lemmas = left
        return found

    def _with_few(self, name: str, lemmas: Sequence[str]) -> _Steps:
        """The steps of a theorem with those of the lemmas only that they need."""
        assert self._calls is not None
        needed = list(lemmas)
        for lemma in lemmas:
            fewer = [one for one in needed if one != lemma]
            if lemma != name and _steps_of(theorem_policy(self._calls, fewer), fewer)[name].hold:
                needed = fewer
        return _steps_of(theorem_policy(self._calls, needed), needed)[name]

    def _with_found_lemmas(
        self, theorem: CallTheorem, verdict: TheoremVerdict, verify: Verify | None
    ) -> TheoremVerdict:
        """The verdict with lemmas that the workbench finds: those that are proved together, if they help."""
        assert self.terms.written is not None
        tried = with_lemmas(self.terms.written.text, agent_types(self.spec), theorem)
        if tried is None:
            return verdict
        sentences = {one.name: one.sentence for one in tried.policy.theorems}
        lemmas = [name for name in tried.lemmas if self._holds_of_nothing(tried.policy, name)]
        steps = _with_lemmas(tried.policy, theorem.name, lemmas)
        while lemmas and not steps.hold:
            left = [name for name in lemmas if steps.is_proved(name)]
            if left == lemmas:
                return verdict
            lemmas = left
            steps = _with_lemmas(tried.policy, theorem.name, lemmas)
        for lemma in tuple(lemmas):
            fewer = [name for name in lemmas if name != lemma]
            with_fewer = _with_lemmas(tried.policy, theorem.name, fewer)
            if with_fewer.hold:
                lemmas, steps = fewer, with_fewer
        if not lemmas or not steps.hold:
            return verdict
        found = tuple(sentences[name] for name in lemmas)
        own = replace(verdict, why="", searched=0, found=found, steps=steps.verdicts())
        return self._proved(own, steps, verify)

    def _holds_of_nothing(self, policy: CallPolicy, name: str) -> bool:
        """Whether a theorem of a policy holds of a run without calls."""
        theorem = next(one for one in policy.theorems if one.name == name)
        return self.runs.value_of(theorem, policy.values, ()) is True

    def _begins(self, name: str) -> bool:
        """Whether a theorem holds of a run without calls."""
        return self.runs.value(name, ()) is True

    def _of(
        self, theorem: CallTheorem, steps: _Steps, verify: Verify | None, most: int, seconds: float
    ) -> TheoremVerdict:
        started = perf_counter()
        verdict = TheoremVerdict(
            theorem.name,
            theorem.sentence,
            theorem.requirements,
            theorem.line,
            ProofStatus.UNKNOWN,
            Engine.CVC5 if verify is None else Engine.NAGINI,
            "",
            tuple(self._assumed(theorem)),
            tuple(name for name in steps.lemmas if name != theorem.name),
            steps.verdicts(),
        )
        if not self._begins(theorem.name):
            empty = Run("breaking", (), format="realised")
            return replace(verdict, status=ProofStatus.REFUTED, why=NO_CALLS, breaking=empty)
        verdict = self._proved(verdict, steps, verify) if steps.hold else verdict
        if verdict.status is ProofStatus.UNKNOWN:
            verdict = self._refuted(verdict, most, seconds)
        if verdict.status is ProofStatus.UNKNOWN and not steps.hold:
            verdict = self._with_found_lemmas(theorem, verdict, verify)
        return replace(verdict, seconds=perf_counter() - started)

    def _proved(self, verdict: TheoremVerdict, steps: _Steps, verify: Verify | None) -> TheoremVerdict:
        """The verdict on a theorem whose steps the preview proves."""
        if steps.vacuous:
            why = NEVER if "never happens" in steps.why else ALWAYS
            return replace(verdict, status=ProofStatus.VACUOUS, why=why)
        if verify is not None:
            proof = verify(steps.policy.terms, [step.clause for step in steps.steps])
            steps = replace(steps, proofs={one.clause: one for one in proof.clauses})
            verdict = replace(verdict, steps=steps.verdicts())
            if not steps.hold:
                return replace(verdict, why=steps.why or "the verifier does not prove each step")
        if not self.runs.speaks(verdict.name, _SPEAKING):
            return replace(verdict, status=ProofStatus.PROVED, why=NOT_SEEN)
        return replace(verdict, status=ProofStatus.PROVED)

    def _refuted(self, verdict: TheoremVerdict, most: int, seconds: float) -> TheoremVerdict:
        """The verdict on a theorem that is not proved: refuted if a run is found."""
        searched = self.runs.breaking(verdict.name, most, seconds)
        if searched.run is None:
            open_steps = [step.tool for step in verdict.steps if step.status not in _HOLD]
            of = f"the step by a call of {', '.join(open_steps)} is not proved" if open_steps else verdict.why
            why = "; ".join(part for part in (of, searched.why) if part)
            return replace(verdict, why=why, searched=searched.complete)
        last = searched.run.calls[-1]
        assert self._calls is not None
        rules = tuple(
            rule.name for rule in self._calls.rules if any(one.tool in ("", last.tool) for one in rule.terms)
        )
        return replace(
            verdict,
            status=ProofStatus.REFUTED,
            engine=Engine.CVC5,
            why="",
            breaking=searched.run,
            rules=rules,
            lemmas=(),
        )

    # --- assumptions ----------------------------------------------------------------------

    def _assumed(self, theorem: CallTheorem) -> Iterator[str]:
        """Sentences about what a verdict on the theorem takes for granted."""
        assert self._calls is not None
        asks = any(
            rule.name.startswith(ASK) and any(one.tool in ("", *theorem.tools) for one in rule.terms)
            for rule in self._calls.rules
        )
        yield "the calls that count are those that the guard lets run" + (
            ", also those that a person approves" if asks else ""
        )
        read = self._read_by(theorem)
        if "call.failed" in read:
            yield "a call that is running, or whose result never comes, may have succeeded or failed"
        if "call.approved" in read:
            yield "approved is what a person approved for a guard that asked, once the call has ended"
        if "call.time" in read:
            yield "time does not go back"
        yield "results are arbitrary: what a record says is what was looked up before the call"

    def _read_by(self, theorem: CallTheorem) -> frozenset[str]:
        assert self._calls is not None
        values = self._calls.values
        return frozenset(
            text_of(part)
            for term in theorem.of_calls
            for part in all_parts(term, values)
            if isinstance(part, Attribute)
        )


def _resting(found: Sequence[TheoremVerdict]) -> tuple[TheoremVerdict, ...]:
    """The verdicts, of which none rests on a theorem that is not proved, or not decided yet.

    A theorem that holds whatever the policy is says something if another one rests on it.
    """
    needed = {name for one in found if one.status is ProofStatus.PROVED for name in one.lemmas}
    verdicts = {
        one.name: replace(one, status=ProofStatus.PROVED)
        if one.name in needed and one.status is ProofStatus.VACUOUS and one.why == ALWAYS
        else one
        for one in found
    }
    while True:
        broken = {
            one.name: name
            for one in verdicts.values()
            if one.status is ProofStatus.PROVED
            for name in one.lemmas
            if name not in verdicts or verdicts[name].status not in _HOLD
        }
        if not broken:
            return tuple(verdicts.values())
        for name, lemma in broken.items():
            why = f"it rests on {lemma}, which is not proved"
            verdicts[name] = replace(verdicts[name], status=ProofStatus.UNKNOWN, why=why)


@dataclass(frozen=True, slots=True)
class _Steps:
    """The steps of one theorem, of this name, and of lemmas that go with it, with the verdicts on them."""

    policy: TheoremPolicy
    steps: tuple[Step, ...]
    lemmas: tuple[str, ...]
    proofs: Mapping[str, ClauseProof]

    name: str

    @property
    def hold(self) -> bool:
        """Whether every step holds, with those of lemmas that are proved with it."""
        return all(self._of(step).status in _HOLD for step in self.steps)

    def is_proved(self, name: str) -> bool:
        """Whether the steps of one of the theorems hold."""
        return all(self._of(step).status in _HOLD for step in self.steps if step.theorem == name)

    @property
    def vacuous(self) -> bool:
        """Whether every step holds, and each of the theorem's own says nothing."""
        return all(self._of(step).status is ProofStatus.VACUOUS for step in self._own)

    @property
    def _own(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.theorem == self.name)

    @property
    def why(self) -> str:
        """The reasons of the verdicts."""
        return "; ".join(dict.fromkeys(one.why for step in self.steps if (one := self._of(step)).why))

    def verdicts(self) -> tuple[StepVerdict, ...]:
        """The verdict on each step of the theorem."""
        return tuple(StepVerdict(step.tool, self._of(step).status, self._of(step).why) for step in self._own)

    def _of(self, step: Step) -> ClauseProof:
        return self.proofs[step.clause]


def _with_lemmas(policy: CallPolicy, name: str, lemmas: Sequence[str]) -> _Steps:
    """The steps of a theorem with these lemmas, and those of the lemmas, which are proved together."""
    others = tuple(one for one in policy.theorems if one.name in (name, *lemmas))
    joint = theorem_policy(replace(policy, theorems=others), lemmas)
    proofs = {one.clause: one for one in preview(joint.terms).clauses}
    return _Steps(joint, joint.steps, tuple(lemmas), proofs, name)


def _steps_of(policy: TheoremPolicy, lemmas: Sequence[str]) -> dict[str, _Steps]:
    """The steps of each theorem of a policy, as the preview decides them."""
    proofs = {one.clause: one for one in preview(policy.terms).clauses}
    return {
        name: _Steps(
            policy, tuple(step for step in policy.steps if step.theorem == name), tuple(lemmas), proofs, name
        )
        for name in policy.theorems
    }


_MOST = 16
_EARLIER = "earlier"


@dataclass(frozen=True, slots=True)
class WithLemmas:
    """A policy with further theorems, which are named here in their order."""

    policy: CallPolicy
    lemmas: tuple[str, ...]


def with_lemmas(text: str, types: AgentTypes, theorem: CallTheorem) -> WithLemmas | None:
    """The policy of a text with what may be lemmas for a theorem; None if there are none to try."""
    conditions = list(dict.fromkeys(_conditions(text, theorem)))[:_MOST]
    names = [f"{theorem.name}_lemma_{number}" for number in range(1, len(conditions) + 1)]
    if not conditions or any(f"def {name}(" in text for name in names):
        return None
    source = text + "".join(
        f"\n\ndef {name}(run: Run) -> bool:\n    {condition!r}\n    return {condition}\n"
        for name, condition in zip(names, conditions, strict=True)
    )
    try:
        return WithLemmas(check_calls(source, types, all_have_ended=True), tuple(names))
    except PolicyError:
        return None  # a name or a type that the file does not have


def _conditions(text: str, theorem: CallTheorem) -> Iterator[str]:
    """Conditions on the sums and counts of a theorem and of the policy's rules."""
    for part in theorem.parts:
        if part.operation in ("sum", "count") and part.before is not None:
            yield from _of_one(part)
    of_rules = tuple(dict.fromkeys(_of_rules(text)))
    yield from (f"{one} >= 0" for one in of_rules)
    gathered = list(dict.fromkeys((*_of_theorem(theorem), *of_rules)))
    for one in gathered:
        yield from (f"{one} <= {other}" for other in gathered if other != one and _comparable(one, other))


def _of_one(part: OverCalls) -> Iterator[str]:
    """A sum or count is not negative, and nothing without calls that count."""
    zero = 'Decimal("0")' if part.type.kind is Kind.DECIMAL else "0"
    own = ast.unparse(_of_run(ast.parse(part.text, mode="eval").body))
    yield f"{own} >= {zero}"
    counted = ast.parse(own, mode="eval").body
    assert isinstance(counted, ast.Call)
    (generator,) = counted.args
    assert isinstance(generator, ast.GeneratorExp)
    some = deepcopy(generator)
    some.elt = ast.Constant(True)
    every = deepcopy(some)
    every.generators[0].ifs = []
    for each in (some, every):
        yield f"any({ast.unparse(each).removeprefix('(').removesuffix(')')}) or {own} == {zero}"


def _of_theorem(theorem: CallTheorem) -> Iterator[str]:
    for part in theorem.parts:
        if part.operation in ("sum", "count") and part.before is not None:
            yield ast.unparse(_of_run(ast.parse(part.text, mode="eval").body))


def _of_rules(text: str) -> Iterator[str]:
    """The sums of a policy's rules and facts over all earlier calls that read nothing else."""
    for node in ast.walk(ast.parse(text)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sum"):
            continue
        match node.args:
            case [ast.GeneratorExp(_, [ast.comprehension(ast.Name(element), many, _, _)]) as generator]:
                named = {one.id for part in (generator.elt, *generator.generators[0].ifs)
                         for one in ast.walk(part) if isinstance(one, ast.Name)}  # fmt: skip
                is_plain = isinstance(many, ast.Call) and isinstance(many.func, ast.Attribute)
                if is_plain and many.func.attr == _EARLIER and named <= {element}:  # type: ignore[union-attr] # it is one
                    yield ast.unparse(_of_run(node))
            case _:
                pass


def _of_run(node: ast.expr) -> ast.expr:
    """What is gathered over earlier calls, or over those of a run of any name, over ``run.calls``."""
    changed = deepcopy(node)
    for part in ast.walk(changed):
        if isinstance(part, ast.Attribute) and part.attr in (_EARLIER, CALLS):
            part.attr, part.value = CALLS, ast.Name("run")
    return changed


def _comparable(one: str, other: str) -> bool:
    """Whether two sums are over the same values of the same calls, so that one may be a part of the other."""
    return _values(one) == _values(other)


def _values(gathered: str) -> Sequence[str]:
    node = ast.parse(gathered, mode="eval").body
    assert isinstance(node, ast.Call) and isinstance(node.args[0], ast.GeneratorExp)
    generator = node.args[0]
    return ast.dump(generator.elt), ast.dump(generator.generators[0].iter)
