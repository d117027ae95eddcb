"""What the screen asks about a real session on demand, in the screen's own values."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.model import Case, Counterexample, Proof, Question, WorkbenchError
from workbench.old_screen.live_calls import LiveCalls
from workbench.old_screen.state import Contents, Evidence, EvidenceRow, Explained, PolicyComparison, Survivor
from workbench.old_screen.value_text import VERDICT_NAME, plural

if TYPE_CHECKING:
    from workbench.policy.terms import PolicyTerms


MOST_STEPS = 6


class Inspection(LiveCalls):
    """The calls of a ``Port`` that look closer at a session or edit one part of it."""

    # --- changes

    def put_case(self, case: Case, label: str) -> Contents:
        """Store a case, in place of one with the same id."""
        self._bench.cases.put(case, label)
        return self.contents()

    def keep_counterexample(self, terms: PolicyTerms, clause: str, found: Counterexample) -> Contents:
        """Store a counterexample as a case by which its clause is right."""
        self._bench.cases.keep_refuted(terms, clause, found)
        return self.contents()

    def keep_survivor(self, terms: PolicyTerms, survivor: Survivor) -> Contents:
        """Store the input on which a wrong version differs as a case."""
        strength = self._bench.strength
        strength.case(terms, strength.survivor(terms, survivor.id), survivor.ours)
        return self.contents()

    def ask_counterexample(self, terms: PolicyTerms, clause: str, found: Counterexample) -> Question:
        """The question whether a counterexample should be allowed."""
        return self._bench.cases.question_of_clause(terms, clause, found.arguments)

    def ask_survivor(self, terms: PolicyTerms, survivor: Survivor) -> Question:
        """The question whether the input on which a wrong version differs should be allowed."""
        strength = self._bench.strength
        return strength.question(terms, strength.survivor(terms, survivor.id))

    def answer_example(self, terms: PolicyTerms, question: Question, value: str) -> Contents:
        """Store the answer to a question by example as a case."""
        self._bench.cases.answer_example(terms, question, value)
        return self.contents()

    def pin(self, terms: PolicyTerms, survivor: Survivor) -> Contents:
        """Add a clause to the policy that refuses a wrong version."""
        strength = self._bench.strength
        strength.pin(terms, strength.survivor(terms, survivor.id))
        return self.contents()

    def remove_case(self, case: Case) -> Contents:
        """Remove a case."""
        self._bench.cases.remove(case.id)
        return self.contents()

    def restore(self, number: int) -> Contents | None:
        """Make the policy of an earlier version the present one."""
        return self.contents() if self._bench.policy.restore(number) else None

    def set_request(self, text: str) -> Contents | None:
        """Write the request and draft again, keeping what a person edited."""
        written = self._bench.editing.set_request(text)
        if written is None:
            return None
        changed, followed = written
        contents = self._changed(changed)
        if followed:
            return contents
        why = "The policy cannot be read, so it does not follow yet: mend it, then answer a question."
        return replace(contents, notice=f"{contents.notice} {why}".strip())

    def accept(self, survivor: Survivor, reason: str) -> None:
        """Store that the contract may let a wrong version pass."""
        terms = self._bench.policy.terms(self._bench.editing.kept)
        self._bench.strength.accept(self._bench.strength.survivor(terms, survivor.id), reason)

    # --- looking closer

    def lowered(self, terms: PolicyTerms) -> str:
        """The program that is handed to Nagini."""
        return self._bench.proof.lowered(terms)

    def version(self, name: str) -> str:
        """The policy's text at a version."""
        return self._bench.policy.version(name)

    def compare(self, old: str, new: str) -> PolicyComparison:
        """What the newer text decides otherwise, by proof and on the logs."""
        found = self._bench.policy.diff(old, new, self._loaded())
        semantic = found.semantic
        return PolicyComparison(
            semantic.equivalent,
            tuple(region.witness for region in semantic.newly_allowed),
            tuple(region.witness for region in semantic.newly_denied),
            sum(flip.turns for flip in found.flips),
            semantic.unknown,
        )

    def evidence(
        self,
        terms: PolicyTerms,
        proofs: Sequence[Proof],
        progress: Callable[[int, int], None],
        cancelled: threading.Event,
    ) -> Evidence:
        """Measure the contract's strength and put the matrix together."""
        strength = self._bench.strength.measure(terms, on_progress=progress, cancelled=cancelled)
        steps = self._bench.runs.decide(terms, self._loaded())
        found = self._bench.proof.evidence(terms, proofs=proofs, strength=strength, steps=steps)
        rows = tuple(
            EvidenceRow(
                row.clause,
                " ".join(row.sentences) or row.source,
                tuple(item.statement for item in row.assumptions),
                None if row.vacuity is None else row.vacuity.vacuous,
                len(row.cases),
                row.mutants_killed,
                row.steps,
                row.engines_disagree,
            )
            for row in found.rows
        )
        left = frozenset(found.survivors)
        survivors = tuple(
            Survivor(
                item.mutant.id, item.mutant.what, item.mutant.line, item.example or {}, item.ours, item.theirs
            )
            for item in strength.results
            if item.mutant.id in left and item.ours is not None and item.theirs is not None
        )
        missing = (
            *(f"No clause for the sentence {name}." for name in found.sentences_without_clause),
            *(f"No sentence for the rule {name}." for name in found.rules_without_sentence),
            *(f"No log step exercised {name}." for name in found.clauses_never_exercised),
        )
        return Evidence(rows, strength.killed, strength.killable, survivors, missing)

    def disagreement(self, terms: PolicyTerms, clause: str, proofs: Sequence[Proof]) -> str:
        """Everything that a report of engines that contradict each other on a clause needs."""
        return self._bench.proof.disagreement(terms, clause, proofs)

    def effects(self, question: Question) -> str:
        """What each answer would change: log steps that flip, clauses, own edits that it cannot merge."""
        lines: list[str] = []
        taken = next(
            (item.value for item in self._bench.request.assumptions if item.question == question.id), None
        )
        answers: list[tuple[str, str | None]] = [(each.label, each.value) for each in question.options]
        answers += [("Take the answer back", None)] if taken is not None else []
        for label, value in answers:
            if value is not None and value == taken:
                lines.append(f"{label}: the answer at present")
                continue
            found = self._bench.questions.preview(question, value, self._loaded())
            lines.append(f"{label}:")
            turning = [flip for flip in found.change.flips if flip.turns]
            flips = len(turning)
            lines.append(
                f"  {plural(flips, 'log step')} decided otherwise" if flips else "  no log step flips"
            )
            for flip in turning[:MOST_STEPS]:
                old, new = (VERDICT_NAME[each.decision.verdict] for each in (flip.old, flip.new))
                lines.append(f"    {flip.new.run} call {flip.new.index}: {old}, then {new}")
            lines += [f"    and {flips - MOST_STEPS} more"] if flips > MOST_STEPS else []
            lines += [f"  + {clause.source}" for clause in found.added]
            lines += [f"  - {clause.source}" for clause in found.removed]
            lines += [f"  your own edit of {item.name} is kept" for item in found.conflicts]
        return "\n".join(lines)

    def explain(self, terms: PolicyTerms, index: int) -> Explained:
        """Why a step was decided so, and what would have to differ."""
        logs = self._loaded()
        step = logs.steps[index]
        found = self._bench.runs.explain(terms, logs, step.run, step.index)
        if not found:
            raise WorkbenchError(f"Call {step.index} of {step.run} cannot be explained.")
        one = found[0]
        turn = ""
        if one.turning.found is not None:
            changes = "; ".join(f"{text} ({who})" for text, who in one.turning.found.texts)
            turn = f"{one.turning.found.verdict}: {changes}"
        elif one.turning.impossible:
            turn = "No other values of this call are decided otherwise."
        nearest = ""
        nearest_at: int | None = None
        if one.nearest is not None:
            nearest = f"{one.nearest.decided.run} call {one.nearest.decided.index}"
            place = (one.nearest.decided.run, one.nearest.decided.index)
            nearest_at = next(
                (at for at, one in enumerate(logs.steps) if (one.run, one.index) == place), None
            )
        idle = frozenset(origin.name for origin in one.origins if not one.plays(origin.name))
        return Explained(index, one.reason, one.path, turn, nearest, one.message, nearest_at, idle)
