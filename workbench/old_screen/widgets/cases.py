"""The cases by requirement, what was expected and what the policy decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.binding import BindingType

from workbench.clean_text import one_line
from workbench.model import Case, CaseResult, Requirement, Verdict
from workbench.old_screen.actions import bindings
from workbench.old_screen.kept_lines import subtitle
from workbench.old_screen.messages import CaseFormWanted, CaseRemoved, OutputWanted, RunCases
from workbench.old_screen.plain import TextRun, Tone, fit, line, muted, title
from workbench.old_screen.state import Cases
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import BLANK, argument_rows, paragraph, reading_rows, verdict_run
from workbench.old_screen.widgets.lines import Row, RowList


class CasesPane(RowList):
    """Every case under the requirement it tests. Enter opens and closes a requirement or a case."""

    DEFAULT_CSS = style_sheet(__file__)
    HELP = """The test cases, grouped by requirement. They come from the request and the assumptions, not from
the edited policy, so an edit can fail them. Enter shows or hides the arguments of a case; those of
failed cases are always shown. Enter on a requirement hides its cases or shows them again, as Left and
Right do; z does it for all. r runs the marked case, f the failing ones, o shows the test runner's own
text; e edits the marked case in a form, n makes a new one like it, Delete removes it."""
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("cases")]

    def __init__(self, *, id: str | None = None) -> None:
        """Start empty."""
        super().__init__(id=id, classes="pane")
        self._opened: set[str] = set()
        self._folded: set[str] = set()
        self._tests = Cases()
        self._bad: frozenset[str] = frozenset()
        self._requirements: Mapping[str, Requirement] = {}

    def on_mount(self) -> None:
        """Name the pane."""
        self.border_title = title("Cases F4")
        self.show_rows(reading_rows)

    def on_focus(self) -> None:
        """Begin at the first case, which the keys of the pane are about."""
        if self.cursor < 0:
            self.cursor = next((at for at, row in enumerate(self._rows) if _case_of(row.key)), -1)

    def show(self, tests: Cases, requirements: Sequence[Requirement]) -> None:
        """Show the cases and what is known of them."""
        if tests is self._tests:
            return
        self._tests = tests
        self._requirements = {requirement.id: requirement for requirement in requirements}
        self._draw()

    def _draw(self) -> None:
        subtitle(self, cases_summary(self._tests))
        self.show_rows(self._rows_for)
        bad = frozenset(name for name, result in self._tests.results.items() if not result.passed)
        if self._tests.stale:
            return
        if bad and bad != self._bad:
            first = next(case for case in self._tests.cases if case.id in bad)
            self.select(f"{(*first.requirements, '')[0]} {first.id}")
        self._bad = bad

    def _rows_for(self, width: int) -> list[Row]:
        tests = self._tests
        if tests.why:
            return paragraph(line(TextRun(tests.why, Tone.WARN)), width)
        if not tests.cases:
            return paragraph(line(muted("No cases yet. They are made when the request is drafted.")), width)
        rows: list[Row] = []
        for requirement, cases in by_requirement(tests.cases).items():
            rows += [BLANK] if rows else []
            rows += self._group_head(requirement, cases, width)
            for case in () if requirement in self._folded else cases:
                rows += self._case_rows(case, f"{requirement} {case.id}", width)
        return rows

    def _group_head(self, requirement: str, cases: Sequence[Case], width: int) -> list[Row]:
        results = self._tests.results
        ran = [results[case.id] for case in cases if case.id in results]
        failed = sum(not result.passed for result in ran)
        count = TextRun(f" {len(ran) - failed}/{len(cases)}", Tone.BAD if failed else Tone.MUTED)
        known = self._requirements.get(requirement)
        text = f"{requirement} {one_line(known.text)}" if known else requirement or "Any requirement"
        mark = "▸" if requirement in self._folded else "▾"
        room = max(width - len(count.text) - 2, 8)
        return [Row(line(muted(f"{mark} "), TextRun(fit(text, room), Tone.TITLE), count), f"{requirement} ")]

    def _case_rows(self, case: Case, key: str, width: int) -> list[Row]:
        result = self._tests.results.get(case.id)
        failed = result is not None and not result.passed
        mark, tone = case_mark(result, self._tests.stale)
        expected = verdict_run(case.expected)
        subject = key.partition(" ")[0]
        reason = one_line(case.reason.removeprefix(f"{subject}: "))
        text = fit(reason, max(width - 4 - len(expected.text), 4))
        rows = [Row(line(TextRun(f" {mark} ", tone), text, " ", expected), key)]
        if failed and result is not None:
            got = verdict_run(result.got) if result.got is not None else TextRun("no decision", Tone.BAD)
            rows.append(Row(line(muted("   expected "), expected, muted(", got "), got), key))
            if result.got is None and result.detail:
                rows += paragraph(line(muted(result.detail)), width, key, indent=3)
        if failed or key in self._opened:
            if text.rstrip() != reason:
                rows += paragraph(line(reason), width, key, indent=3)
            rows += argument_rows(case.arguments, width, key, indent=3)
        return rows

    def select(self, key: str) -> None:
        """Put the cursor on a case, whose requirement is opened for it."""
        if _case_of(key) and (requirement := key.partition(" ")[0]) in self._folded:
            self._folded.discard(requirement)
            self.show_rows(self._rows_for)
        super().select(key)

    def action_choose(self) -> None:
        """Show or hide the cases of the marked requirement, or the arguments of the marked case."""
        if self._case is None:
            self._folded ^= {self.key.partition(" ")[0]}
        else:
            self._opened ^= {self.key}
        self._draw()

    def action_unfold(self, opening: bool) -> None:
        """Show or hide the cases of the requirement that the cursor is in."""
        requirement = self.key.partition(" ")[0]
        if not self.key or opening is not (requirement in self._folded):
            return
        self._folded ^= {requirement}
        super().select(f"{requirement} ")
        self._draw()

    def action_fold(self) -> None:
        """Hide the cases of all requirements, or show all of them."""
        head = f"{self.key.partition(' ')[0]} "
        self._folded = set() if self._folded else set(by_requirement(self._tests.cases))
        if self._folded:
            super().select(head)
        self._draw()

    @property
    def _case(self) -> Case | None:
        name = _case_of(self.key)
        return next((case for case in self._tests.cases if case.id == name), None)

    def action_run_one(self) -> None:
        """Run the marked case."""
        if case := self._case:
            self.post_message(RunCases(frozenset({case.id})))

    def action_run_failing(self) -> None:
        """Run the failing cases."""
        results = self._tests.results.values()
        self.post_message(RunCases(frozenset(result.case for result in results if not result.passed)))

    def action_output(self) -> None:
        """Show the test runner's own text."""
        self.post_message(OutputWanted())

    def action_edit(self) -> None:
        """Edit the marked case."""
        if case := self._case:
            self.post_message(CaseFormWanted(case, f"Case {case.id}"))

    def action_remove(self) -> None:
        """Remove the marked case."""
        if case := self._case:
            self.post_message(CaseRemoved(case))

    @property
    def case(self) -> str:
        """The id of the marked case, empty if the line is none."""
        return self._case.id if self._case else ""

    def action_add(self) -> None:
        """Make a case, with the values of the marked one to begin with."""
        requirement = self.key.partition(" ")[0]
        like = self._case or next(iter(by_requirement(self._tests.cases).get(requirement, ())), None)
        taken = {case.id for case in self._tests.cases}
        name = next(f"own-{number}" for number in range(1, len(taken) + 2) if f"own-{number}" not in taken)
        case = Case(name, like.arguments if like else {}, Verdict.DENY, "", like.requirements if like else ())
        self.post_message(CaseFormWanted(case, "New case"))


def _case_of(key: str) -> str:
    """The id of the case that a line is about, empty for a requirement's line."""
    return key.partition(" ")[2]


def by_requirement(cases: Sequence[Case]) -> Mapping[str, list[Case]]:
    """The cases under each requirement they test, in order of first appearance."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        for requirement in case.requirements or ("",):
            groups.setdefault(requirement, []).append(case)
    return groups


def case_mark(result: CaseResult | None, stale: bool) -> tuple[str, Tone]:
    """The mark of a case and its tone."""
    if result is None:
        return "·", Tone.MUTED
    if stale:
        return "~", Tone.MUTED
    return ("✓", Tone.GOOD) if result.passed else ("✗", Tone.BAD)


def cases_summary(tests: Cases) -> str:
    """The cases in a few words."""
    if not tests.cases:
        return "none"
    if not tests.results:
        return f"{len(tests.cases)} to run"
    words = f"{tests.failed} failed" if tests.failed else f"{len(tests.results)} passed"
    return words + (", stale" if tests.stale else "")


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample import CONTENTS, TESTS

    run_alone(CasesPane(), lambda widget: widget.show(TESTS, CONTENTS.requirements))
