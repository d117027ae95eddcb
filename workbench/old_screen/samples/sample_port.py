"""A port to the sample session, so that the whole screen runs without a folder or a prover."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.check.disputed_input import example_question
from workbench.model import (
    Assumption,
    Case,
    CaseResult,
    ClauseProof,
    Counterexample,
    MadeBy,
    Proof,
    Question,
    Step,
    StepDecision,
    Verdict,
)
from workbench.old_screen.samples.sample import (
    CASES,
    CONTENTS,
    EVIDENCE,
    PREVIEW,
    PROOF,
    STEPS,
    decide_sample,
    explain_sample,
    run_sample_cases,
)
from workbench.old_screen.samples.sample_port_agent import SampleAgent
from workbench.old_screen.samples.sample_port_memory import SampleMemory
from workbench.old_screen.samples.sample_port_records import SampleRecords
from workbench.old_screen.samples.sample_port_replay import SampleReplay
from workbench.old_screen.state import (
    Cases,
    Contents,
    Evidence,
    Explained,
    PolicyComparison,
    Survivor,
    Turned,
)
from workbench.policy.check import check
from workbench.policy.literals import literal
from workbench.policy.terms import PolicyTerms

if TYPE_CHECKING:
    from workbench.author.model.progress import CallProgress


class SamplePort(SampleAgent, SampleMemory, SampleRecords, SampleReplay):
    """A ``Port`` to the sample: answers at once, stores nothing, proves by looking it up."""

    def __init__(
        self, contents: Contents = CONTENTS, *, proof: Proof = PROOF, preview: Proof = PREVIEW
    ) -> None:
        """Begin with these contents; ``proof`` and ``preview`` are what the engines will say."""
        self._states = [contents]
        self._undone: list[Contents] = []
        self._proof = proof
        self._preview = preview
        self._cases = CASES
        self.calls: list[str] = []
        self.judgements: dict[str, str] = {}

    def watch(self, tell: Callable[[str], None]) -> None:
        """The sample's prover is always ready."""
        tell("")

    def watch_model(self, tell: Callable[[CallProgress], None], stopped: threading.Event) -> None:
        """The sample asks no model; who wants to see a call tells of one."""
        self.tell_call, self.calls_stopped = tell, stopped

    def contents(self) -> Contents:
        """The contents as they stand."""
        return self._states[-1]

    def _put(self, contents: Contents) -> Contents:
        self._states.append(contents)
        self._undone.clear()
        return contents

    def keep(self, policy: str) -> None:
        """Note that a text was kept."""
        self.calls.append(f"keep {len(policy)}")

    def store(self, policy: str) -> Contents | None:
        """Make the text the stored one."""
        self.calls.append("store")
        if policy == self._states[-1].policy:
            return None
        return self._put(replace(self._states[-1], policy=policy))

    def answer(self, question: Question, value: str) -> Contents:
        """Turn the answer into an assumption; the boundary of R4 follows its question."""
        self.calls.append(f"answer {question.id} {value}")
        now = self._states[-1]
        option = next(option for option in question.options if option.value == value)
        kept = tuple(item for item in now.assumptions if item.question != question.id)
        made = Assumption(
            f"A:{question.id}",
            question.id,
            value,
            option.statement,
            MadeBy.HUMAN,
            "2026-01-05T09:01:00+00:00",
        )
        policy = now.policy
        if question.id == "boundary:rows" and value == "no":
            policy = policy.replace("rows > 100", "rows >= 100")
        return self._put(replace(now, assumptions=(*kept, made), policy=policy))

    def retract(self, question_id: str) -> Contents:
        """Take an assumption back."""
        now = self._states[-1]
        kept = tuple(item for item in now.assumptions if item.question != question_id)
        return self._put(replace(now, assumptions=kept))

    def put_assumption(self, made: Assumption) -> Contents:
        """Take the assumption."""
        self.calls.append(f"assumption {made.id}")
        now = self._states[-1]
        changed = tuple(made if item.id == made.id else item for item in now.assumptions)
        return self._put(replace(now, assumptions=changed))

    def watch_files(self, tell: Callable[[], None]) -> None:
        """Nothing changes the sample from outside."""
        del tell

    def changed_outside(self) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def take_outside(self, policy: str) -> Contents | None:
        """Nothing to take."""
        del policy
        return None

    def undo(self) -> Contents | None:
        """Go back to the contents before."""
        if len(self._states) == 1:
            return None
        self._undone.append(self._states.pop())
        return self._states[-1]

    def redo(self) -> Contents | None:
        """Go forward again."""
        if not self._undone:
            return None
        self._states.append(self._undone.pop())
        return self._states[-1]

    def check(self, policy: str) -> PolicyTerms:
        """Check by the real dialect."""
        return check(policy)

    def preview(self, terms: PolicyTerms) -> Proof:
        """The given verdicts."""
        del terms
        return self._preview

    def prove(
        self, terms: PolicyTerms, on_clause: Callable[[ClauseProof], None], cancelled: threading.Event
    ) -> Proof:
        """The given verdicts, clause by clause."""
        del terms
        for clause in self._proof.clauses:
            if not cancelled.is_set():
                on_clause(clause)
        return self._proof

    def allow_time(self, seconds: float) -> None:
        """Note the limit."""
        self.calls.append(f"allow {seconds:g} s")

    def cases(self) -> Cases:
        """The sample's cases."""
        return Cases(self._cases)

    def test(
        self, policy: str, cancelled: threading.Event, only: frozenset[str] | None = None
    ) -> Sequence[CaseResult]:
        """Run the cases in this process."""
        del cancelled
        if only is not None:
            self.calls.append(f"test {' '.join(sorted(only))}")
        chosen = tuple(case for case in self._cases if only is None or case.id in only)
        return run_sample_cases(policy, chosen)

    def effects(self, question: Question) -> str:
        """The options with what they would do."""
        return "\n".join(f"{option.label}: 2 log steps decided otherwise" for option in question.options)

    def turned(self, question: Question) -> Mapping[str, Turned]:
        """The default turns nothing, any other answer turns two steps."""
        return {
            option.value: Turned(steps=len(STEPS))
            if option.value == question.default
            else Turned(2, 1, 0, len(STEPS))
            for option in question.options
        }

    def reject(self, question: Question) -> Contents:
        """The question asks for other words."""
        self.calls.append(f"reject {question.id}")
        now = self._states[-1]
        asked = tuple(replace(item, free_text=True) if item is question else item for item in now.questions)
        return self._put(replace(now, questions=asked))

    def paths(self, question: Question) -> str:
        """A line for each answer."""
        return "\n".join(f"{option.label}: forbid_unreadable_column fires" for option in question.options)

    def refined(self) -> str:
        """The sentences, as if understood as written."""
        return "\n".join(sentence.text for sentence in self._states[-1].sentences)

    def test_output(self, policy: str) -> str:
        """A text like pytest's."""
        failed = sum(not result.passed for result in run_sample_cases(policy, self._cases))
        return f"cases.py ........F\n\n{failed} failed, {len(self._cases) - failed} passed"

    def put_case(self, case: Case, label: str) -> Contents:
        """Keep the case."""
        self.calls.append(f"case {case.id} {case.expected}: {label}")
        self._cases = (*(item for item in self._cases if item.id != case.id), case)
        return self.contents()

    def keep_counterexample(self, terms: PolicyTerms, clause: str, found: Counterexample) -> Contents:
        """Keep it as a case that expects the other decision."""
        other = Verdict.ALLOW if found.decision is not Verdict.ALLOW else Verdict.DENY
        named = next(one for one in terms.clauses if one.id == clause)
        name, why = f"counterexample-{clause}", f"Counterexample to {clause}"
        return self.put_case(
            Case(name, found.arguments, other, why, named.requirements, "counterexample"), why
        )

    def keep_survivor(self, terms: PolicyTerms, survivor: Survivor) -> Contents:
        """Keep its input as a case."""
        del terms
        case = Case(f"mutant-{survivor.id}", survivor.example, survivor.ours, survivor.what, (), "mutant")
        return self.put_case(case, survivor.what)

    def ask_counterexample(self, terms: PolicyTerms, clause: str, found: Counterexample) -> Question:
        """Ask about its arguments."""
        named = next(one for one in terms.clauses if one.id == clause)
        return example_question(f"example:{clause}", found.arguments, None, named)

    def ask_survivor(self, terms: PolicyTerms, survivor: Survivor) -> Question:
        """Ask about its input."""
        del terms
        return example_question(f"mutant:{survivor.id}", survivor.example)

    def answer_example(self, terms: PolicyTerms, question: Question, value: str) -> Contents:
        """Keep the answer as a case."""
        del terms
        asked = question.example or {}
        case = Case(
            question.id, asked, Verdict(value), "Answered by a person", question.requirements, "human"
        )
        return self.put_case(case, case.reason)

    def pin(self, terms: PolicyTerms, survivor: Survivor) -> Contents:
        """Write a clause about the whole input after the last one."""
        where = " and ".join(f"{name} == {literal(value)}" for name, value in survivor.example.items())
        result = "Result()" if survivor.ours is Verdict.ALLOW else "not Result()"
        lines = terms.source.splitlines(keepends=True)
        lines.insert(terms.clauses[-1].end_line, f"    Ensures(Implies({where}, {result}))\n")
        return self._put(replace(self._states[-1], policy="".join(lines)))

    def remove_case(self, case: Case) -> Contents:
        """Remove the case."""
        self.calls.append(f"remove {case.id}")
        self._cases = tuple(item for item in self._cases if item.id != case.id)
        return self.contents()

    def restore(self, number: int) -> Contents | None:
        """Take the sample's first text."""
        self.calls.append(f"restore {number}")
        return self._put(replace(self._states[-1], policy=self._states[0].policy))

    def set_request(self, text: str) -> Contents | None:
        """Replace the request."""
        self.calls.append("request")
        return self._put(replace(self._states[-1], request=text))

    def accept(self, survivor: Survivor, reason: str) -> None:
        """Note the reason."""
        self.calls.append(f"accept {survivor.id} {reason}")

    def disagreement(self, terms: PolicyTerms, clause: str, proofs: Sequence[Proof]) -> str:
        """A report of the verdicts."""
        verdicts = [one for proof in proofs for one in proof.clauses if one.clause == clause]
        return "\n".join([*(f"{one.engine}: {one.status}" for one in verdicts), terms.source])

    def lowered(self, terms: PolicyTerms) -> str:
        """A stand-in for the lowered program."""
        return "\n".join(
            f"def {rule.name}(role: int, columns: PSet[int]) -> bool: ..." for rule in terms.rules
        )

    def version(self, name: str) -> str:
        """The text of the sample, with another boundary."""
        return self._states[0].policy.replace(
            "rows > 100", f"rows > {name}" if name.isdigit() else "rows > 100"
        )

    def compare(self, old: str, new: str) -> PolicyComparison:
        """A difference wherever the texts differ."""
        if old == new:
            return PolicyComparison(True)
        return PolicyComparison(False, denied=(CASES[7].arguments,), flips=2)

    def evidence(
        self,
        terms: PolicyTerms,
        proofs: Sequence[Proof],
        progress: Callable[[int, int], None],
        cancelled: threading.Event,
    ) -> Evidence:
        """The sample's matrix."""
        del terms, proofs, cancelled
        progress(40, 40)
        return EVIDENCE

    def explain(self, terms: PolicyTerms, index: int) -> Explained:
        """Explain a step."""
        return explain_sample(terms, index)

    def steps(self) -> tuple[Sequence[Step], int]:
        """The sample's steps."""
        return STEPS, 0

    def decide(self, terms: PolicyTerms, cancelled: threading.Event) -> Sequence[StepDecision]:
        """Decide them."""
        del cancelled
        return decide_sample(terms)

    def cancel(self) -> None:
        """Nothing takes long here."""
        self.calls.append("cancel")

    def close(self) -> None:
        """Nothing to release."""
        self.calls.append("close")
