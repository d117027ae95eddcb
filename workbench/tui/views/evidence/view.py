"""The view of the evidence for every clause, and of the versions of the policy.

The versions of the session, and the difference of one from the present policy: proved, and in logs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical

from workbench.app.session_state import PolicyVersion, SessionState
from workbench.clean_text import one_line
from workbench.model import NEWLY, Arguments, TheoremVerdict, Verdict
from workbench.tui.background_result import BackgroundResult
from workbench.tui.change_walk import text_diff
from workbench.tui.messages import (
    Ask,
    Choose,
    EvidenceWanted,
    LogWanted,
    Place,
    PlaceKind,
    TypeIn,
    ViewName,
    Workbench,
)
from workbench.tui.owed_rows import mending
from workbench.tui.text_runs import accent, good, muted, strong, warn
from workbench.tui.verdict_signs import turned_line
from workbench.tui.views.evidence.matrix import matrix_rows, owed_in
from workbench.tui.views.view import UNKNOWN, View
from workbench.tui.widgets.lines import BLANK, LineList, Row, argument_rows, heading, paragraph, plural
from workbench.tui.widgets.pane import Pane

if TYPE_CHECKING:
    from workbench.app.proof import Evidence
    from workbench.app.results import Flip, PolicyChange, RecordedRegion
    from workbench.app.strength import MutantResult, StrengthReport
    from workbench.app.value_texts import ArgumentWords


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
        self._quick: BackgroundResult[Evidence] = BackgroundResult(
            self, "clauses", lambda: self.show(self.state)
        )
        self._measured: tuple[str, StrengthReport] | None = None
        self._compared: VersionComparison | None = None

    def compose(self) -> ComposeResult:
        """The matrix, the versions, and below them the difference."""
        yield self._matrix
        with Vertical(id="right"):
            yield from (self._versions, self._difference)

    # --- drawing

    def show(self, state: SessionState) -> None:
        """Draw another state, and request the evidence that needs no wrong versions."""
        self.state = state
        if state.strength is not None:
            self._measured = (state.policy, state.strength)
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
        state = self.state
        if state.evidence is not None:
            return state.evidence
        return self._quick.of(state.terms)

    @property
    def _strength(self) -> StrengthReport | None:
        """The last measure of wrong versions, if it is of the present policy."""
        state, measured = self.state, self._measured
        is_current = measured is not None and measured[0] == state.policy
        return measured[1] if is_current and measured is not None else None

    def _ask_evidence(self, state: SessionState) -> None:
        terms = state.terms
        undecided = state.logs is None or (bool(state.logs.calls) and not state.decisions)
        if terms is None or state.evidence is not None or undecided:
            return
        strength = self._strength

        def find(bench: Workbench) -> Evidence:
            return bench.proof.evidence(
                terms,
                strength=strength,
                decisions=state.decisions,
                theorems=bench.theorems.verdicts(terms, verify=False),
            )

        self._quick.find(find, terms, state.proof)

    def go(self, place: Place) -> None:
        """Put the cursor on a clause or a version."""
        if place.kind is PlaceKind.CLAUSE:
            self._matrix.select(f"clause:{place.name}")
        elif place.kind is PlaceKind.VERSION:
            self._versions.select(f"version:{place.name}")

    @property
    def panes(self) -> Sequence[LineList]:
        """The panes in the order of Tab; the difference only if there is one."""
        alone = self._compared is None
        return [pane for pane in super().panes if not (alone and pane.id == "difference")]

    # --- the person's actions

    def do_again(self) -> bool:
        """Measure how many wrong versions the contract refuses."""
        return self.post_message(EvidenceWanted())

    def do_compare(self) -> bool:
        """Prove the difference in decisions between the version at the cursor and the present policy."""
        state = self.state
        name = self._versions.key.removeprefix("version:") if self._versions.has_focus else ""
        if not name or name == next(
            (str(version.number) for version in state.versions if version.current), ""
        ):
            name = BEFORE if state.versions else DRAFT  # the present version has no difference from itself
        return self._compare(name)

    def do_compare_with(self) -> bool:
        """Choose the version to compare with the present policy: a draft, a commit, a file."""
        offers = [
            (BEFORE, "", "before the last change of the policy"),
            (DRAFT, "", "what the author makes of the request"),
            ("", "", "a file, a session's folder, git:COMMIT or round:NUMBER, to be typed"),
        ]

        def chosen(key: str) -> None:
            if key:
                self._compare(key)
            else:
                self.post_message(TypeIn("compare with ", self._compare))

        return self.post_message(Choose("Compare the policy with", offers, chosen))

    def _compare(self, name: str) -> bool:
        state = self.state
        if state.problems or not name.strip():
            return False
        policy, logs = state.policy, state.logs
        version_name = name.strip()

        def compare(bench: Workbench) -> VersionComparison:
            old = bench.policy.version(version_name)
            change, words = bench.policy.diff(old, policy, logs), bench.policy.version_words(version_name)
            return VersionComparison(words, old, policy, change)

        return self.post_message(Ask("difference", compare, self._show_difference, "comparing two versions"))

    def _show_difference(self, comparison: VersionComparison) -> None:
        self._compared = comparison
        self.remove_class("-alone")
        self._difference.fill(partial(_comparison_rows, comparison), name=f"Since {comparison.name}")
        self.call_after_refresh(self._difference.focus)

    def do_pin(self) -> bool:
        """Keep the input at the cursor as a case: that of a wrong version, or of a difference."""
        pane = self._difference if self._difference.has_focus else self._matrix
        kind, _, name = pane.key.partition(":")
        if kind == "mutant":
            return self._pin_mutant(name)
        if kind == "theorem":
            return self._keep_theorem(name)
        if kind == "region" and self._compared is not None:
            return self._keep(self._compared.regions[int(name)].region.witness)
        return False

    def _keep_theorem(self, name: str) -> bool:
        """Keep the last call of the run that breaks a theorem: it is to be denied."""
        state = self.state
        if state.terms is None or self._broken(name) is None:
            return False
        terms = state.terms
        label = "The last call of a run that breaks a theorem became a case"
        return self.act(label, lambda bench: bench.theorems.keep(terms, name))

    def _broken(self, name: str) -> TheoremVerdict | None:
        """The theorem of this name, if a run breaks it."""
        theorems = () if self._evidence is None else self._evidence.theorems
        found = next((one for one in theorems if one.name == name), None)
        has_run = found is not None and found.breaking is not None and bool(found.breaking.calls)
        return found if has_run else None

    def _open_run(self, name: str) -> None:
        """Open the run that breaks a theorem in Runs, as any other log."""
        state = self.state
        if state.terms is None:
            return
        terms = state.terms
        self.post_message(
            Ask(
                "theorem",
                lambda bench: bench.theorems.opened(terms, name),
                lambda path: self.post_message(LogWanted(path)),
                "playing the run that breaks it",
            )
        )

    def _pin_mutant(self, name: str) -> bool:
        state = self.state
        strength = self._strength
        if strength is None or state.terms is None:
            return False
        terms = state.terms
        mutant_result = next((result for result in strength.results if result.mutant.id == name), None)
        if (
            mutant_result is None
            or mutant_result.policy_decision is None
            or mutant_result.mutant_decision is None
        ):
            return False
        mutant, here, there = (
            mutant_result.mutant,
            mutant_result.policy_decision,
            mutant_result.mutant_decision,
        )
        offers = [
            (here, "case", f"it is right that the policy says {here.value}"),
            (there, "case", f"it should be {there.value}"),
            (None, "pass", "it may pass, for a reason"),
        ]

        def chosen(expected: Verdict | None) -> None:
            if expected is None:
                self.post_message(TypeIn("it may pass because ", partial(self._accept, mutant_result)))
                return
            label = "A wrong version became a case"
            self.act(label, lambda bench: bench.strength.case(terms, mutant_result, expected))

        name = f"{mutant.where}: {state.words.said(mutant.description)}"
        return self.post_message(Choose(name, offers, chosen))

    def _accept(self, mutant_result: MutantResult, reason: str) -> None:
        if self._measured is not None:
            policy, strength_report = self._measured
            accepted = {**strength_report.accepted, mutant_result.mutant.id: reason}
            self._measured = (policy, replace(strength_report, accepted=accepted))
        label = "A wrong version may pass"
        self.act(label, lambda bench: bench.strength.accept(mutant_result, reason))

    def _keep(self, arguments: Arguments) -> bool:
        state = self.state
        if state.terms is None:
            return False
        terms = state.terms
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
        if kind == "mutant" and self._strength is not None:
            mutant = next(result.mutant for result in self._strength.results if result.mutant.id == name)
            self.follow(f"rule:{mutant.where}")
        elif kind == PlaceKind.OWED and (mends := mending(owed_in(self.state), name)):
            self.post_message(mends)
        elif kind == "theorem" and self._broken(name) is not None:
            self._open_run(name)
        else:
            self.follow(key.replace("theorem:", "rule:", 1))

    def chosen_versions(self) -> None:
        """Restore a version; u brings the present one back."""
        number = self._versions.key.removeprefix("version:")
        if number:
            label = f"Back to version {number}"
            self.act(label, lambda bench: bench.policy.restore(int(number)))

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
