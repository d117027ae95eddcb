"""The clauses of the contract, what is proved of each, and counterexamples in the user's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from workbench.check.verdict_words import contradictory
from workbench.clean_text import one_line
from workbench.model import ClauseProof, Counterexample, ProofStatus, Requirement
from workbench.old_screen.actions import bindings
from workbench.old_screen.kept_lines import subtitle
from workbench.old_screen.matrix import matrix_rows, survivor_of
from workbench.old_screen.messages import (
    ClauseWanted,
    CounterexampleAsked,
    CounterexampleKept,
    EvidenceWanted,
    LineWanted,
    LongerWanted,
    ReportWanted,
    SurvivorAccepted,
    SurvivorAsked,
    SurvivorKept,
)
from workbench.old_screen.plain import TextRun, Tone, line, muted, title
from workbench.old_screen.state import Survivor, Verdicts
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import (
    BLANK,
    argument_rows,
    clause_state,
    paragraph,
    reading_rows,
    value_text,
    verdict_run,
)
from workbench.old_screen.widgets.lines import Row, RowList

if TYPE_CHECKING:
    from workbench.policy.terms import Clause


class ProofPane(RowList):
    """One entry per clause: verdict, engine, sentence, and the counterexample of a refuted one."""

    DEFAULT_CSS = style_sheet(__file__)
    HELP = """The contract, clause by clause. The preview (a solver) answers at once; Nagini's proof is the
authority and follows. Only what Nagini proved is called proved; a clause that holds but says nothing is
vacuous, with the reason. A refuted clause shows arguments on which it fails, confirmed by running the policy.
Enter goes to the clause in the policy; t keeps the arguments as a case, a asks whether they should be
allowed, c copies them. r proves a clause that ran out of time again, with more of it. m shows how much the
proof means: cases, log steps and wrong versions of the policy (mutants) per clause, and the wrong versions
that no clause refuses, with i to make a clause of one, t a case, a to be asked, o to not care."""
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("proof")]

    def __init__(self, *, id: str | None = None) -> None:
        """Start empty."""
        super().__init__(id=id, classes="pane")
        self._verdicts = Verdicts()
        self._bad: tuple[str, ...] = ()
        self._requirements: dict[str, Requirement] = {}
        self._matrix = False

    def on_mount(self) -> None:
        """Name the pane."""
        self.border_title = title("Proof F5")
        self.show_rows(reading_rows)

    def show(self, verdicts: Verdicts, requirements: Sequence[Requirement]) -> None:
        """Show the verdicts."""
        if verdicts is self._verdicts:
            return
        self._verdicts = verdicts
        self._requirements = {requirement.id: requirement for requirement in requirements}
        self._draw()
        self._want_evidence()

    def _want_evidence(self) -> None:
        """Ask for the evidence where the matrix is shown, once the proof that it is about has ended."""
        verdicts = self._verdicts
        busy = verdicts.running or verdicts.stale or verdicts.measuring
        if self._matrix and verdicts.evidence is None and not busy:
            self.post_message(EvidenceWanted())

    def _draw(self) -> None:
        subtitle(self, proof_summary(self._verdicts))
        self.border_title = title("Evidence F5" if self._matrix else "Proof F5")
        self.show_rows(self._rows_for)
        if self._matrix:
            return
        bad = refuted_clauses(self._verdicts)
        if bad and bad != self._bad:
            self.select(bad[0])
        self._bad = bad

    def _rows_for(self, width: int) -> list[Row]:
        verdicts = self._verdicts
        rows: list[Row] = []
        if self._matrix:
            return matrix_rows(verdicts, width)
        if verdicts.why:
            rows += [*paragraph(line(TextRun(verdicts.why, Tone.WARN)), width), BLANK]
        if verdicts.terms is None:
            return rows or paragraph(
                line(muted("Nothing to prove until the policy is in the dialect.")), width
            )
        if not verdicts.terms.clauses:
            return paragraph(line(muted("The policy has no contract: add Ensures(...) to allow().")), width)
        for clause in verdicts.terms.clauses:
            rows += [*self._clause_rows(clause, width), BLANK]
        return rows[:-1]

    def _clause_rows(self, clause: Clause, width: int) -> list[Row]:
        verdicts = self._verdicts
        proved, previewed = verdicts.proved(clause.id), verdicts.preview_of(clause.id)
        mark, tone, words = clause_state(proved, previewed, verdicts.running)
        if verdicts.stale:
            mark, tone, words = "~", Tone.MUTED, f"stale: was {words}"
        subject = ", ".join(clause.requirements)
        head = line(
            TextRun(f"{mark} {clause.id}", tone), TextRun(f" {subject}" if subject else "", Tone.TITLE)
        )
        rows = paragraph((*head, TextRun(f"  {words}", tone)), width, clause.id, hang=2)
        rows += paragraph(line(muted(self._sentence(clause))), width, clause.id, indent=2)
        found = verdicts.of(clause.id)
        if found is None or verdicts.stale:
            return rows
        if found.status in (ProofStatus.UNKNOWN, ProofStatus.VACUOUS) and found.why:
            rows += paragraph(line(TextRun(one_line(found.why), Tone.WARN)), width, clause.id, indent=2)
        if _contradictory(proved, previewed):
            text = "The engines disagree: this is an error of the workbench. e shows what to report."
            rows += paragraph(line(TextRun(text, Tone.BAD)), width, clause.id, indent=2)
        if undecided(proved):
            keys = line(muted("r proves it again, with a longer time limit"))
            rows += paragraph(keys, width, clause.id, indent=2)
        example = refutation(proved, previewed)
        return rows + (counterexample_rows(example, width, clause.id) if example else [])

    def _sentence(self, clause: Clause) -> str:
        texts = [self._requirements[name].text for name in clause.requirements if name in self._requirements]
        return one_line(clause.comment or " ".join(texts) or clause.source)

    def select_clause(self, clause: str) -> None:
        """Show the clauses with the cursor on one."""
        self._matrix = False
        self._draw()
        self.select(clause)

    @property
    def _example(self) -> Counterexample | None:
        """The counterexample of the marked clause."""
        verdicts = self._verdicts
        found = refutation(verdicts.proved(self.key), verdicts.preview_of(self.key))
        return None if verdicts.stale else found

    @property
    def _survivor(self) -> Survivor | None:
        return survivor_of(self._verdicts.evidence, self.key) if self._matrix else None

    def action_choose(self) -> None:
        """Go to the clause, or to the line that a wrong version changes."""
        terms = self._verdicts.terms
        if survivor := self._survivor:
            self.post_message(LineWanted(survivor.line))
        for clause in terms.clauses if terms else ():
            if clause.id == self.key:
                self.post_message(LineWanted(clause.line))

    def action_matrix(self) -> None:
        """Show the evidence matrix, or the clauses again."""
        self._matrix = not self._matrix
        self.set_reactive(RowList.cursor, -1)
        self._draw()
        self.scroll_home(animate=False)
        if self._matrix:
            self.post_message(EvidenceWanted())

    def action_prove_longer(self) -> None:
        """Prove again what Nagini did not decide."""
        if any(undecided(found) for found in self._verdicts.proof.clauses):
            self.post_message(LongerWanted())

    def action_report(self) -> None:
        """Show everything that a report of disagreeing engines needs."""
        verdicts = self._verdicts
        if _contradictory(verdicts.proved(self.key), verdicts.preview_of(self.key)):
            self.post_message(ReportWanted(self.key))

    def action_keep_case(self) -> None:
        """Keep the marked counterexample or survivor as a case."""
        if survivor := self._survivor:
            self.post_message(SurvivorKept(survivor))
        elif (found := self._example) is not None:
            self.post_message(CounterexampleKept(self.key, found))

    def action_ask(self) -> None:
        """Ask whether the marked counterexample or survivor should be allowed."""
        if survivor := self._survivor:
            self.post_message(SurvivorAsked(survivor))
        elif (found := self._example) is not None:
            self.post_message(CounterexampleAsked(self.key, found))

    def action_add_clause(self) -> None:
        """Make a clause of the marked survivor."""
        if survivor := self._survivor:
            self.post_message(ClauseWanted(survivor))

    def action_accept(self) -> None:
        """Do not care about the marked survivor."""
        if survivor := self._survivor:
            self.post_message(SurvivorAccepted(survivor))

    def action_copy(self) -> None:
        """Copy the marked counterexample's arguments, or the clause's source."""
        survivor, found = self._survivor, self._example
        arguments = survivor.example if survivor else found.arguments if found else None
        if arguments is not None:
            text = "\n".join(f"{name} = {value_text(value)}" for name, value in arguments.items())
            self.post_message(self.Copied(text))
            return
        clauses = self._verdicts.terms.clauses if self._verdicts.terms else ()
        source = next((clause.source for clause in clauses if clause.id == self.key), "")
        if source:
            self.post_message(self.Copied(source))


def _contradictory(proved: ClauseProof | None, previewed: ClauseProof | None) -> bool:
    return contradictory(verdict for verdict in (proved, previewed) if verdict is not None)


def undecided(proved: ClauseProof | None) -> bool:
    """Whether the prover ran out of time, so that more of it may help."""
    return proved is not None and proved.status is ProofStatus.UNKNOWN and "time limit" in proved.why


def refutation(proved: ClauseProof | None, previewed: ClauseProof | None) -> Counterexample | None:
    """The counterexample to show, the prover's own before the preview's."""
    for found in (proved, previewed):
        if found is not None and found.status is ProofStatus.REFUTED and found.counterexample is not None:
            return found.counterexample
    return None


def counterexample_rows(found: Counterexample, width: int, key: str) -> list[Row]:
    """A counterexample: its arguments, what the policy decides on them, and through which rules."""
    note = (
        "Fails on these arguments:"
        if found.confirmed
        else "May fail on these arguments, not confirmed by a run:"
    )
    rows = [Row(line(TextRun(f"  {note}", Tone.BAD if found.confirmed else Tone.WARN)), key)]
    rows += argument_rows(found.shown, width, key, indent=4)
    if found.left_out:
        rest = (
            f"does not rest on {', '.join(found.left_out)}" if found.shown else "whatever the arguments are"
        )
        rows += paragraph(line(muted(rest)), width, key, indent=4)
    if found.decision is not None:
        rows.append(Row(line(muted("    the policy decides  "), verdict_run(found.decision)), key))
    for step in found.path:
        fired = TextRun("fired", Tone.BAD) if step.fired else muted("did not fire")
        rows += paragraph(line(muted(f"{step.rule} "), fired), width, key, indent=4)
        for text, held in step.conditions:
            mark = TextRun("✓ ", Tone.GOOD) if held else TextRun("✗ ", Tone.MUTED)
            rows += paragraph(line(mark, TextRun(one_line(text), Tone.CODE)), width, key, indent=6, hang=2)
    if found.note:
        rows += paragraph(line(muted(one_line(found.note))), width, key, indent=4)
    return rows


def refuted_clauses(verdicts: Verdicts) -> tuple[str, ...]:
    """The ids of the refuted clauses, in order; none while the verdicts are stale."""
    if verdicts.terms is None or verdicts.stale:
        return ()
    found = ((clause.id, verdicts.of(clause.id)) for clause in verdicts.terms.clauses)
    return tuple(name for name, proof in found if proof is not None and proof.status is ProofStatus.REFUTED)


def proof_summary(verdicts: Verdicts) -> str:
    """The proof in a few words."""
    if verdicts.terms is None:
        return "nothing to prove"
    refuted = len(refuted_clauses(verdicts))
    proved = sum(found.status is ProofStatus.PROVED for found in verdicts.proof.clauses)
    if verdicts.stale:
        return "stale"
    if refuted:
        return f"{refuted} refuted"
    words = f"{proved} of {len(verdicts.terms.clauses)} proved"
    vacuous = sum(found.status is ProofStatus.VACUOUS for found in verdicts.proof.clauses)
    words += f", {vacuous} vacuous" if vacuous else ""
    return f"{words}, {verdicts.progress or 'proving'}" if verdicts.running else words


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample import CONTENTS, VERDICTS

    run_alone(ProofPane(), lambda widget: widget.show(VERDICTS, CONTENTS.requirements))
