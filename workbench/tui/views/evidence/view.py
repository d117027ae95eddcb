"""The view of the evidence for every clause, and of the versions of the policy.

The evidence in rows: sentence, verdict, cases, wrong versions, logged calls. The difference of a version from
the present policy: proved, and in logs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical

from workbench.app.owed import Owed, not_asked
from workbench.app.question_texts import once
from workbench.app.session_state import ClauseState, PolicyVersion, SessionState
from workbench.app.value_texts import ArgumentWords, arguments_words
from workbench.clean_text import one_line
from workbench.model import NEWLY, Arguments, ClauseProof, Engine, ProofStatus, Verdict
from workbench.tui.background_result import BackgroundResult
from workbench.tui.change_walk import text_diff
from workbench.tui.messages import Ask, Choose, LogWanted, Place, Progress, TypeIn, ViewName, Workbench
from workbench.tui.owed_rows import mending, owed_rows
from workbench.tui.text_runs import Line, accent, bad, coded, good, line, muted, strong, warn
from workbench.tui.theorem_rows import theorem_rows
from workbench.tui.verdict_signs import STATUS_SIGN, clause_sign, turned_line, verdict_run
from workbench.tui.views.view import UNKNOWN, View
from workbench.tui.widgets.lines import BLANK, LineList, Row, argument_rows, heading, paragraph, plural
from workbench.tui.widgets.pane import Pane

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.app.policy import PolicyTerms
    from workbench.app.proof import Evidence, EvidenceRow
    from workbench.app.results import Flip, PolicyChange, RecordedRegion
    from workbench.app.strength import MutantResult, StrengthReport


MOST_SENTENCE = 2
"""The most lines of a sentence here; Enter shows it whole, in the view of its requirement."""
MOST_NAMES = 100
"""The most names in a list of gaps."""
NOT_MEASURED = "r measures which wrong versions of the policy the contract refuses."


def matrix_rows(
    state: SessionState, evidence: Evidence | None, strength: StrengthReport | None
) -> Iterator[Row]:
    """Rows of the wrong versions that pass and of gaps, then a block for each clause."""
    if above := [*_above(state, evidence, strength)]:
        yield from (*above, BLANK)
    row_by_clause = {} if evidence is None else {row.clause: row for row in evidence.rows}
    for clause in sorted(state.clauses, key=_worst_first):
        yield from _clause(state, clause, row_by_clause.get(clause.clause.id))
    for theorem in () if evidence is None else evidence.theorems:
        yield from theorem_rows(theorem)
    if not state.clauses:
        wrong = "The policy is not in the dialect: P shows what to mend before anything can be proved."
        none = "The policy has no contract: nothing can be proved of it."
        yield paragraph(muted(wrong if state.problems else none))


def _above(state: SessionState, evidence: Evidence | None, strength: StrengthReport | None) -> Iterator[Row]:
    """Rows of what is owed, asked, lacking and not measured."""
    yield from owed_rows(owed_in(state))
    if state.open:
        yield paragraph(warn(f"{plural(len(state.open), 'question')} open: n goes to what is left."))
    if evidence is not None:
        yield from _survivors(state, evidence, strength)
        yield from _missing(evidence, logged=bool(state.decisions))
    if strength is None and state.clauses:
        yield paragraph(muted(NOT_MEASURED))


def owed_in(state: SessionState) -> Sequence[Owed]:
    """What is not in force although nothing asks for it, and what guards let run meanwhile."""
    return (*not_asked(state.not_in_force, state.open), *state.not_accepted)


# --- a clause


def _clause(state: SessionState, clause: ClauseState, found: EvidenceRow | None) -> Iterator[Row]:
    key = f"clause:{clause.clause.id}"
    head = clause_sign(clause), strong(f" {clause.clause.id} ".ljust(5))
    names = accent(f"{', '.join(clause.clause.requirements)} ")
    yield paragraph(*head, names, _sentence_of(state, clause), key=key, hang=6, most=MOST_SENTENCE)
    facts = (*_verdicts(clause, found), *(() if found is None else _facts(found)))
    yield paragraph(*(line(fact, "  ") for fact in facts), key=key, indent=6)
    said = [] if found is None else [one_line(sentence) for sentence in found.sentences]
    for one in () if found is None else found.assumptions:
        words = muted(f"assumes{one.by_default}: {once(one_line(one.statement), said)}")
        yield paragraph(words, key=key, indent=6, hang=2, most=MOST_SENTENCE)


def _sentence_of(state: SessionState, clause: ClauseState) -> str:
    """The sentence of a clause; of several with one sentence its comment, or its tool and line."""
    own_clause = clause.clause
    comment = one_line(own_clause.comment)
    alike = [one for one in state.clauses if one.clause.requirements == own_clause.requirements]
    rows = filter(None, map(state.row, own_clause.requirements))
    sentence = " ".join(one_line(row.requirement.text) for row in rows)
    if len(alike) == 1:
        return sentence or comment or "no sentence"
    if comment and sum(one.clause.comment == own_clause.comment for one in alike) == 1:
        return comment
    part = clause.part
    tool = f"{part.tool}, " if part is not None and part.tool else ""
    place = "" if part is None else f" ({tool}line {part.line})"
    return f"{comment or sentence or 'no sentence'}{place}"


def _worst_first(clause: ClauseState) -> int:
    """The rank of a clause: wrong first, then unknown; others keep the order of the file."""
    order = (ProofStatus.REFUTED, ProofStatus.POSSIBLE, ProofStatus.VACUOUS, ProofStatus.UNKNOWN, None)
    return order.index(clause.status) if clause.status in order else len(order)


def _verdicts(clause: ClauseState, evidence_row: EvidenceRow | None) -> Iterator[Line]:
    """The verdict of each engine; a contradiction between the engines comes first."""
    verdicts = () if evidence_row is None else evidence_row.verdicts
    if evidence_row is not None and evidence_row.engines_disagree:
        yield line(bad("the engines contradict each other: an error of the workbench"))
    found = {verdict.engine: verdict for verdict in verdicts}
    stored = found.get(Engine.NAGINI)
    if stored is not None and stored.status is ProofStatus.UNKNOWN:
        stored = None  # nothing is stored; the running proof has the newer verdict
    yield _verdict("preview", clause.preview or found.get(Engine.CVC5))
    yield _verdict("Nagini", clause.proof or stored)
    if clause.provisional:
        yield line(warn("provisional"))


def _verdict(engine: str, verdict: ClauseProof | None) -> Line:
    if verdict is None:
        return line(muted(f"{engine} –"))
    # A preview is as good as instant; what it took says more of the machine than of the clause.
    slow = verdict.engine is Engine.NAGINI and verdict.seconds >= 0.05
    took = f" {verdict.seconds:.1f} s" if slow else ""
    return line(muted(f"{engine} "), STATUS_SIGN[verdict.status], muted(took))


def _facts(row: EvidenceRow) -> Iterator[Line]:
    """Vacuity, cases, wrong versions and logged calls; missing ones are emphasised."""
    vacuous = None if row.vacuity is None else row.vacuity.vacuous
    if vacuous is not None:
        yield line(warn("vacuous") if vacuous else muted("not vacuous"))
    yield _count(len(row.cases), "case")
    if row.mutants_killed is not None:
        yield line(muted(f"refuses {row.mutants_killed}"))
    if row.calls is not None:
        yield _count(row.calls, "call")


def _count(number: int, noun: str) -> Line:
    return line(muted(plural(number, noun)) if number else warn(f"no {noun}"))


# --- gaps and survivors


def _missing(evidence: Evidence, *, logged: bool) -> Iterator[Row]:
    never = evidence.clauses_never_exercised if logged else ()
    quoted = [f"“{one}”" for one in evidence.sentences_without_clause]
    for names, words, kind in (
        (quoted, "Sentences without a clause", "requirement"),
        (evidence.rules_without_sentence, "Rules without a sentence", "rule"),
        (never, "Clauses that no recorded call exercises", "clause"),
    ):
        if names:
            more = f", and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
            named = ", ".join(names[:MOST_NAMES]) + more
            yield paragraph(warn(f"{words}: "), named, key=f"missing:{kind}:{names[0]}", hang=2)


def _survivors(state: SessionState, evidence: Evidence, strength: StrengthReport | None) -> Iterator[Row]:
    if strength is None or evidence.killed is None or evidence.killable is None:
        return
    words = f"The contract refuses {evidence.killed} of {evidence.killable} wrong versions."
    yield paragraph(good(words) if evidence.killed == evidence.killable else warn(words))
    for result in sorted(strength.survived, key=lambda result: result.mutant.id in strength.accepted):
        yield from _survivor(state, result, strength.accepted)


def _survivor(state: SessionState, result: MutantResult, accepted: Mapping[str, str]) -> Iterator[Row]:
    """Rows of a wrong version, with the reason why it may pass, or an input that it decides differently."""
    mutant, reason = result.mutant, accepted.get(result.mutant.id)
    key = f"mutant:{mutant.id}"
    sign = muted("may pass ") if reason is not None else warn("✗ lets pass ")
    part = None if state.terms is None else state.terms.file.parts.get(mutant.where)
    place = f"{mutant.where}, line {part.line}" if part is not None and part.line else mutant.where
    yield paragraph(sign, f"{place}: {one_line(state.words.said(mutant.description))}", key=key, hang=2)
    if reason is not None:
        yield paragraph(muted(f"because {one_line(reason)}"), key=key, indent=4)
    elif result.example is not None and result.policy_decision and result.mutant_decision:
        example = coded(one_line(arguments_words(state.words.shown(result.example))))
        here, there = verdict_run(result.policy_decision), verdict_run(result.mutant_decision)
        yield paragraph(example, muted(": here "), here, muted(", there "), there, key=key, indent=4)


BEFORE = "before"
DRAFT = "draft"


class EvidenceView(View):
    """A row for each clause, the versions, and the difference of one of them."""

    NAME = ViewName.EVIDENCE
    SHOWN_IN: ClassVar[Mapping[str, ViewName]] = {**View.SHOWN_IN, "clause": ViewName.AUTHOR}
    HELP = """What speaks for every clause: the verdicts of both engines, cases, wrong versions that it
refuses, recorded calls. Beside it are the versions: c proves what one decides otherwise."""

    def __init__(self) -> None:
        """Start empty."""
        super().__init__(id=self.NAME.value, classes="-alone")
        self.state = UNKNOWN
        self._matrix, self._versions = Pane("Evidence", id="matrix"), Pane("Versions", id="versions")
        self._difference = Pane("Difference", id="difference")
        self._known: BackgroundResult[Evidence] = BackgroundResult(
            self, "clauses", lambda: self.show(self.state)
        )
        self._measured: tuple[str, StrengthReport | None] = "", None
        self._compared: VersionComparison | None = None

    def compose(self) -> ComposeResult:
        """The matrix, the versions, and below them the difference."""
        yield self._matrix
        with Vertical(id="right"):
            yield from (self._versions, self._difference)

    # --- drawing

    def show(self, state: SessionState) -> None:
        """Draw another state, and request its evidence."""
        self.state = state
        self._ask_evidence(state)
        parts = (state.rows, state.open, state.clauses, state.not_in_force, state.not_accepted, state.words)
        found = (state.terms, state.problems, self._evidence, self._strength)
        self._matrix.fill(partial(matrix_rows, state, *found[2:]), of=(*parts, *found))
        self._versions.fill(partial(_version_rows, state.versions))
        if self._compared is not None and self._compared.new != state.policy:
            self._compared = None
            self.add_class("-alone")

    @property
    def _evidence(self) -> Evidence | None:
        """The evidence for the present policy, as far as it is known."""
        return self._known.of(self.state.terms)

    @property
    def _strength(self) -> StrengthReport | None:
        """The last measure of wrong versions, if it is of the present policy."""
        policy, strength = self._measured
        return strength if policy == self.state.policy else None

    def _ask_evidence(self, state: SessionState) -> None:
        terms = state.terms
        undecided = state.logs is None or (bool(state.logs.calls) and not state.decisions)
        if terms is None or undecided:
            return
        strength = self._strength

        def find(bench: Workbench) -> Evidence:
            theorems, decided = bench.theorems.verdicts(terms, verify=False), state.decisions
            return bench.proof.evidence(terms, strength=strength, decisions=decided, theorems=theorems)

        self._known.find(find, terms, state.proof, strength)

    def go(self, place: Place) -> None:
        """Put the cursor on a clause or a version."""
        pane = self._versions if place.kind == "version" else self._matrix
        pane.select(f"{place.kind}:{place.name}")

    @property
    def panes(self) -> Sequence[LineList]:
        """The panes in the order of Tab; the difference only if there is one."""
        alone = self._compared is None
        return [pane for pane in super().panes if not (alone and pane.id == "difference")]

    # --- the person's actions

    def do_again(self) -> bool:
        """Measure how many wrong versions the contract refuses; what makes another policy ends it."""
        terms, policy, ended = self.state.terms, self.state.policy, threading.Event()
        if terms is None:
            return False

        def tried(done: int, total: int) -> None:
            if self.state.terms is not terms:
                ended.set()
            self.post_message(Progress("strength", f"{done} of {total} wrong versions tried", stops=True))

        def find(bench: Workbench) -> StrengthReport:
            return bench.strength.measure(terms, on_progress=tried, cancelled=ended)

        def measured(strength: StrengthReport) -> None:
            self._measured = policy, strength
            self.show(self.state)

        return self.post_message(Ask("strength", find, measured, "trying wrong versions", ended))

    def do_compare(self) -> bool:
        """Prove the difference in decisions between the version at the cursor and the present policy."""
        versions = self.state.versions
        name = self._versions.key.removeprefix("version:") if self._versions.has_focus else ""
        if not name or any(version.current and name == str(version.number) for version in versions):
            name = BEFORE if versions else DRAFT  # the present version has no difference from itself
        policy, logs = self.state.policy, self.state.logs
        if self.state.problems:
            return False

        def compare(bench: Workbench) -> VersionComparison:
            old = bench.policy.version(name)
            change, words = bench.policy.diff(old, policy, logs), bench.policy.version_words(name)
            return VersionComparison(words, old, policy, change)

        return self.post_message(Ask("difference", compare, self._show_difference, "comparing two versions"))

    def _show_difference(self, comparison: VersionComparison) -> None:
        self._compared = comparison
        self.remove_class("-alone")
        self._difference.fill(partial(_comparison_rows, comparison), name=f"Since {comparison.name}")
        self.call_after_refresh(self._difference.focus)

    def do_pin(self) -> bool:
        """Keep the input at the cursor as a case: of a wrong version, a difference, or a broken theorem."""
        pane = self._difference if self._difference.has_focus else self._matrix
        kind, _, name = pane.key.partition(":")
        terms = self.state.terms
        if kind == "mutant":
            return self._pin_mutant(name)
        if kind == "theorem" and terms is not None and self._is_broken(name):
            label = "The last call of a run that breaks a theorem became a case"
            return self.act(label, lambda bench: bench.theorems.keep(terms, name))
        if kind == "region" and self._compared is not None:
            return self._keep(self._compared.regions[int(name)].region.witness)
        return False

    def _is_broken(self, name: str) -> bool:
        """Whether a run breaks the theorem of this name."""
        theorems = () if self._evidence is None else self._evidence.theorems
        return any(one.name == name and one.breaking and one.breaking.calls for one in theorems)

    def _open_run(self, terms: PolicyTerms, name: str) -> None:
        """Open the run that breaks a theorem in Runs, as any other log."""

        def find(bench: Workbench) -> Path:
            return bench.theorems.opened(terms, name)

        label = "playing the run that breaks it"
        self.post_message(Ask("theorem", find, lambda path: self.post_message(LogWanted(path)), label))

    def _mutant(self, name: str) -> MutantResult | None:
        """The wrong version of an id."""
        results = () if self._strength is None else self._strength.results
        return next((result for result in results if result.mutant.id == name), None)

    def _pin_mutant(self, name: str) -> bool:
        terms, result = self.state.terms, self._mutant(name)
        if terms is None or result is None:
            return False
        mutant, here, there = result.mutant, result.policy_decision, result.mutant_decision
        if here is None or there is None:
            return False
        offers = [
            (here, "case", f"it is right that the policy says {here.value}"),
            (there, "case", f"it should be {there.value}"),
            (None, "pass", "it may pass, for a reason"),
        ]

        def chosen(expected: Verdict | None) -> None:
            if expected is None:
                self.post_message(TypeIn("it may pass because ", partial(self._accept, result)))
                return
            label = "A wrong version became a case"
            self.act(label, lambda bench: bench.strength.case(terms, result, expected))

        name = f"{mutant.where}: {self.state.words.said(mutant.description)}"
        return self.post_message(Choose(name, offers, chosen))

    def _accept(self, mutant_result: MutantResult, reason: str) -> None:
        policy, strength = self._measured
        if strength is not None:
            accepted = {**strength.accepted, mutant_result.mutant.id: reason}
            self._measured = policy, replace(strength, accepted=accepted)
        label = "A wrong version may pass"
        self.act(label, lambda bench: bench.strength.accept(mutant_result, reason))

    def _keep(self, arguments: Arguments) -> bool:
        terms = self.state.terms
        if terms is None:
            return False
        offers = [(verdict, "", f"it should be {verdict.value}") for verdict in Verdict][:2]

        def chosen(expected: Verdict) -> None:
            label, reason = f"A case is kept: {expected.value}", "Chosen where two versions differ"
            self.act(label, lambda bench: bench.cases.keep(terms, arguments, expected, reason=reason))

        return self.post_message(Choose("Keep this input as a case", offers, chosen))

    # --- navigation

    def chosen_matrix(self) -> None:
        """Show what a row is about: its requirement, its rule, the run that breaks it."""
        key = self._matrix.key.removeprefix("missing:")
        kind, _, name = key.partition(":")
        terms = self.state.terms
        if kind == "mutant" and (result := self._mutant(name)) is not None:
            self.follow(f"rule:{result.mutant.where}")
        elif kind == "owed" and (mends := mending(owed_in(self.state), name)):
            self.post_message(mends)
        elif kind == "theorem" and terms is not None and self._is_broken(name):
            self._open_run(terms, name)
        else:
            self.follow(key.replace("theorem:", "rule:", 1))

    def chosen_versions(self) -> None:
        """Restore a version; u brings the present one back."""
        if number := self._versions.key.removeprefix("version:"):
            self.act(f"Back to version {number}", lambda bench: bench.policy.restore(int(number)))

    def chosen_difference(self) -> None:
        """Show the recorded call that is decided otherwise in its run."""
        key = self._difference.key
        if key.startswith("region:") and self._compared is not None:
            key = f"call:{self._compared.regions[int(key.partition(':')[2])].region.recorded}"
        if key != "call:None":
            self.follow(key)


_MOST_CALLS = 200


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """Two texts of the policy and the inputs that the newer one decides differently."""

    name: str
    old: str
    new: str
    change: PolicyChange

    @property
    def regions(self) -> Sequence[RecordedRegion]:
        """The inputs that are decided differently, those newly allowed first."""
        return self.change.regions(*NEWLY)


def _version_rows(versions: Sequence[PolicyVersion]) -> Iterator[Row]:
    """The versions of the session, the newest first, and last the text before them."""
    for version in versions:
        mark, when = accent("▸ " if version.current else "  "), version.when[:16].replace("T", " ")
        words = muted(f"{version.number:>3} "), one_line(version.label), muted(f"  {when}")
        yield paragraph(mark, *words, key=f"version:{version.number}", hang=6)
    if versions:
        yield paragraph("  ", muted("  0 "), "before the first change", key="version:0")
    else:
        yield paragraph(muted("Nothing was changed yet."))


_VERDICTS = {
    True: good("✓ Decides as now on every input: proved."),
    False: strong("Decides otherwise than now."),
    None: warn("? It is not known whether it decides as now."),
}


def _comparison_rows(comparison: VersionComparison) -> Iterator[Row]:
    """Inputs that the present policy newly allows and denies, the logged calls that turn, and the text."""
    change, number = comparison.change, count()
    yield paragraph(_VERDICTS[change.semantic.equivalent], hang=2)
    for verdict, words in NEWLY.items():
        if regions := change.regions(verdict):
            head = f"{words.capitalize()}: {plural(len(regions), 'region')}"
            yield from (BLANK, paragraph(accent(head) if verdict is Verdict.DENY else warn(head)))
        for region in regions:
            key = f"region:{next(number)}"
            yield from _region(region, change.words, key, logged=bool(change.flips))
    if change.semantic.more:
        yield paragraph(muted("There are more regions than these."))
    if change.semantic.unknown:
        yield paragraph(warn(f"Not decided: {one_line(change.semantic.unknown)}"))
    for note in change.semantic.notes:
        yield paragraph(muted(one_line(note)))
    yield from _calls(change.flips)
    if comparison.old != comparison.new:
        yield from (BLANK, heading("Text"), *text_diff(comparison.old, comparison.new))


def _region(recorded: RecordedRegion, words: ArgumentWords, key: str, *, logged: bool) -> Iterator[Row]:
    """Rows of inputs that are decided differently for one reason: an input, the rules, a logged call."""
    region, call = recorded.region, recorded.recorded
    outer, inner = partial(paragraph, key=key, indent=2, hang=2), partial(argument_rows, key=key, indent=4)
    if (region.where or region.bounds) and region.where != region.witness:
        yield outer(muted("wherever"))
        yield from inner(words.shown(region.where))
        for bound in region.bounds:
            yield paragraph(one_line(words.said(bound)), key=key, indent=4)
    yield outer(muted("for instance"))
    decisive = region.decisive_arguments
    turning = {name: value for name, value in decisive.items() if name in region.turning}
    others = {name: value for name, value in decisive.items() if name not in region.turning}
    if turning:
        yield from inner(words.shown(turning))
    elif not others:
        yield paragraph("any input", key=key, indent=4)
    if others:
        yield outer(muted("with"))
        yield from inner(words.shown(others))
    rules = [", ".join(names) or "no rule" for names in (region.old_rules, region.new_rules)]
    yield outer(muted("then "), rules[0], muted("; now "), rules[1])
    if logged and (call is not None or recorded.placed):
        lies = "no recorded call lies here" if call is None else f"{one_line(call.run)} call {call.index}"
        yield outer(muted(lies))


def _calls(flips: Sequence[Flip]) -> Iterator[Row]:
    if not flips:
        return
    turned = [(place, flip) for place, flip in enumerate(flips) if flip.turns]
    yield BLANK
    yield heading(f"In the logs: {len(turned):,} of {plural(len(flips), 'call')} decided otherwise")
    for place, flip in turned[:_MOST_CALLS]:
        verdicts = turned_line(flip.old.decision.verdict, flip.new.decision.verdict)
        head = f"{one_line(flip.new.run)} call {flip.new.index}  "
        yield paragraph(head, verdicts, key=f"call:{place}", indent=2, hang=2)
    if (more := len(turned) - _MOST_CALLS) > 0:
        yield paragraph(muted(f"  and {more:,} more"))
