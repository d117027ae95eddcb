"""GuardAgent on the chosen call: ask it, correct it by hand, keep its result, settle a disagreement.

Rows of GuardAgent's result on a call, next to the policy's decision, with the options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from workbench.app.value_texts import undetermined_words
from workbench.clean_text import in_a_row, one_line
from workbench.model import CallDecision, Case, Verdict, WorkbenchError
from workbench.tui.background_result import BackgroundResult
from workbench.tui.code_rows import code_rows
from workbench.tui.messages import Ask, Workbench
from workbench.tui.run_text import call_text
from workbench.tui.text_runs import LONGEST_LINE, accent, bad, coded, muted, warn
from workbench.tui.verdict_signs import VERDICT_WORD, verdict_run
from workbench.tui.widgets.lines import BLANK, PICK, Row, heading, paragraph, pick_row, picked

if TYPE_CHECKING:
    from workbench.app.guardagent_calls import GuardAgentCall, GuardAgentMeans
    from workbench.app.policy import PolicyTerms
    from workbench.app.results import Logs
    from workbench.app.session_state import SessionState
    from workbench.tui.views.runs.view import RunsView


type GuardAgentWork = Callable[[Workbench], GuardAgentCall]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The chosen call with the policy's decision on it, and what is known of GuardAgent on it.

    ``result`` is GuardAgent's last one, and ``trouble`` says why there is no newer one. ``means`` are those
    with which it would decide now.
    """

    state: SessionState
    terms: PolicyTerms
    logs: Logs
    position: int
    result: GuardAgentCall | None
    means: GuardAgentMeans | None
    trouble: str

    @property
    def decided(self) -> CallDecision:
        return self.state.decisions[self.position]

    @property
    def name(self) -> str:
        return f"call {self.decided.index} of {self.decided.run}"

    @property
    def place(self) -> tuple[PolicyTerms, Logs, str, int]:
        """The call as the application names it."""
        return self.terms, self.logs, self.decided.run, self.decided.index


class GuardAgentOnCall:
    """Shows GuardAgent in the place of the run, for every chosen call, while it is open."""

    def __init__(self, view: RunsView) -> None:
        """Request results and acts for a view."""
        self._view = view
        self._kept: BackgroundResult[Mapping[int, GuardAgentCall]] = BackgroundResult(
            view, "guarded", self._take_kept
        )
        self._call_by_position: Mapping[int, GuardAgentCall] = {}
        self._means: BackgroundResult[GuardAgentMeans] = BackgroundResult(view, "means", view.show_chosen)
        self._trouble: Mapping[int, str] = {}
        self.open = False

    # --- the known results

    def take(self, state: SessionState) -> None:
        """Find GuardAgent's kept results on the calls of a state."""
        terms, logs = state.terms, state.logs
        if terms is not None and logs is not None and state.decisions:
            self._kept.find(lambda bench: bench.guardagent.all_kept(terms, logs), terms, logs)
            self._find_means()

    def _take_kept(self) -> None:
        self._call_by_position = self._kept.of() or {}
        self._view.guarded()

    def of(self, position: int) -> GuardAgentCall | None:
        """GuardAgent's last result on a call."""
        return self._call_by_position.get(position)

    def disagreeing(self, state: SessionState) -> Sequence[int]:
        """The calls that GuardAgent and the policy decide differently, and that no person has judged."""
        return [
            position
            for position, result in sorted(self._call_by_position.items())
            if position < len(state.decisions)
            and _disagree(result, state.decisions[position])
            and _settled(state, position) is None
        ]

    @property
    def _call(self) -> _Chosen | None:
        state, position = self._view.state, self._view.calls.position
        if state.terms is None or state.logs is None or self._view.chosen is None:
            return None
        assert position is not None
        result, means = self.of(position), self._means.of(state.logs, position)
        trouble = self._trouble.get(position, "")
        return _Chosen(state, state.terms, state.logs, position, result, means, trouble)

    def rows(self) -> Iterable[Row]:
        """Rows of GuardAgent's result on the chosen call, with the options."""
        call = self._call
        return () if call is None else _guarding_rows(call)

    def go_on(self) -> None:
        """Find what GuardAgent would decide the newly chosen call with, if GuardAgent is shown."""
        if self.open:
            self._find_means()

    def _find_means(self) -> None:
        call = self._call
        if not self.open or call is None:
            return
        recorded = call.logs.calls[call.position]
        self._means.find(lambda bench: bench.guardagent.means(recorded), call.logs, call.position)

    # --- actions

    def toggle(self) -> bool:
        """Show GuardAgent on the chosen call, or its run again; False if no call is chosen."""
        if self._call is None:
            return False
        self.open = not self.open
        self._find_means()
        return True

    def choose_number(self, number: int) -> bool:
        """Choose a visible numbered option; False if there is none with this number."""
        options = picked(self.rows())
        return number <= len(options) and self.choose(f"{PICK}{options[number - 1]}")

    def choose(self, key: str) -> bool:
        """Do the action of a row; False if it has none."""
        kind, _, name = key.removeprefix(PICK).partition(":")
        match kind:
            case "demonstration":
                return self._view.follow(f"{kind}:{name}")
            case "case":
                return self._settle(Verdict(name))
            case "ask":
                return self.do_again()
            case "plan" | "code":
                return self._write(kind)
            case "keep":
                return self.do_add()
            case _:
                return False

    def do_again(self) -> bool:
        """Let GuardAgent decide the chosen call by a model; False if GuardAgent is not shown."""
        call = self._call
        if not self.open or call is None:
            return False
        return self._guard(call, lambda bench: bench.guardagent.guard(*call.place))

    def do_add(self) -> bool:
        """Keep plan and code as a demonstration; False if no result on the call is shown."""
        call = self._call
        if not self.open or call is None or call.result is None:
            return False
        logs, result = call.logs, call.result
        label = f"Demonstration of GuardAgent on {call.name}"
        return self._view.act(label, lambda bench: bench.guardagent.demonstrate(result, logs))

    def _settle(self, expected: Verdict) -> bool:
        call = self._call
        if call is None or call.result is None:
            return False
        terms, result = call.terms, call.result
        label = f"Case of {call.name}: {expected.value}"
        return self._view.act(label, lambda bench: bench.guardagent.keep_case(terms, result, expected))

    def _guard(
        self, call: _Chosen, guard: GuardAgentWork, failed: Callable[[], object] | None = None
    ) -> bool:
        """Decide a call in a thread that a person may stop; ``failed`` is called if that fails."""
        position = call.position

        def work(bench: Workbench) -> GuardAgentCall | WorkbenchError:
            try:
                return guard(bench)
            except WorkbenchError as error:
                return error

        def keep(found: GuardAgentCall | WorkbenchError) -> None:
            if not isinstance(found, WorkbenchError):
                self._trouble = {}
                self._call_by_position = {**self._call_by_position, position: found}
                self._view.guarded()
                return
            self._trouble = {position: str(found)}
            self._view.say(str(found), problem=True)
            self._view.show_chosen()
            if failed is not None:
                failed()

        return self._view.post_message(Ask("guardagent", work, keep, f"GuardAgent on {call.name}"))

    # --- the editor

    def do_edit(self) -> bool:
        """Correct the plan or the code of the call, depending on the cursor; False if it is not shown."""
        return self.open and self._write(self._edited)

    @property
    def words(self) -> Mapping[str, str]:
        """The hints of actions on the shown call, by their ids."""
        return {"edit": f"correct the {self._edited}"} if self.open else {}

    @property
    def _edited(self) -> str:
        return "plan" if self._view.run.key in ("plan", f"{PICK}plan") else "code"

    def _write(self, part: str) -> bool:
        call = self._call
        if call is None:
            return False
        if part == "plan":
            plan = call.result.guarded.plan if call.result is not None else ()
            text = "\n".join(plan or ("",) * 4)
            self._write_plan(call, text, "four steps, one a line; Esc lets the model follow them")
        else:
            self._write_code(call, call.result.code if call.result is not None else "")
        return True

    def _write_plan(self, call: _Chosen, text: str, note: str) -> None:
        """Edit a plan that the model then follows; if it does not, edit the plan again."""

        def follow(text: str) -> None:
            plan = tuple(line.strip() for line in text.splitlines() if line.strip())
            failed = partial(self._write_plan, call, text, "not followed")
            self._guard(call, lambda bench: bench.guardagent.guard(*call.place, plan=plan or ("",)), failed)

        self._view.edit_text(self._view.text, "plan", text, follow, note=note)
        self._view.text.move_cursor((0, len(text.partition("\n")[0])))

    def _write_code(self, call: _Chosen, code: str) -> None:
        """Edit code that then runs, from the line that gives the label."""
        from workbench.app.guardagent_calls import BEGUN_CODE

        def run(text: str) -> None:
            self._guard(call, lambda bench: bench.guardagent.run_code(*call.place, text))

        editor, text = self._view.text, code or BEGUN_CODE
        self._view.edit_text(editor, "code", text, run, note="Esc runs it, without a model")
        lines = text.splitlines()
        label = next((at for at, line in enumerate(lines) if line.startswith("label")), 0)
        editor.move_cursor((label, len(lines[label])))


def _settled(state: SessionState, position: int) -> Case | None:
    """The case that settles the right decision on a call, if a person made one."""
    arguments = state.decisions[position].decision.arguments
    return next((case for case in state.cases if case.origin == "log" and case.arguments == arguments), None)


def _disagree(result: GuardAgentCall, decided: CallDecision) -> bool:
    return result.guarded.decision.verdict is not decided.decision.verdict


_BY = {"model": "by the model", "person": "by hand"}


def _guarding_rows(call: _Chosen) -> Iterator[Row]:
    """Both decisions, the question if they differ, the options; then how GuardAgent came to its decision."""
    numbers, means, result = count(1), call.means, call.result
    recorded = call.logs.calls[call.position]
    yield paragraph(muted(f"{recorded.index} "), one_line(call_text(recorded), LONGEST_LINE), hang=4, most=3)
    yield from _decisions(call)
    if call.trouble:
        yield paragraph(warn(one_line(call.trouble)))
    if result is not None and _disagree(result, call.decided):
        yield BLANK
        yield from _question(call, result, numbers)
    yield BLANK
    yield from _offers(call, numbers)
    if means is not None and means.no_model and not call.trouble:
        yield paragraph(warn(means.no_model))
    would = means.demonstrations if means is not None else ()
    had = result.demonstrations if result is not None else ()
    yield from _retrieved("Retrieved", had or would)
    if had and would and had != would:
        yield from _retrieved("Retrieved anew", would)
    if result is not None:
        yield from _plan_and_code(result)
    if means is not None:
        yield from (BLANK, heading("Functions that code may call"))
        for signature, summary in means.functions:
            words = coded(one_line(signature)), muted(f"  {one_line(summary)}")
            yield paragraph(*words, key=f"function:{signature}", indent=2, hang=2)


def _decisions(call: _Chosen) -> Iterator[Row]:
    decision, result = call.decided.decision, call.result
    rules = ", ".join(violation.rule for violation in decision.violations)
    why = one_line(rules or in_a_row(undetermined_words(decision.reasons, call.state.words.noun)))
    yield paragraph("policy      ", verdict_run(decision.verdict), muted(why and f"  {why}"), hang=12)
    if result is None:
        yield paragraph("GuardAgent  ", muted("has not decided this call"), hang=12)
        return
    guarded = result.guarded
    why = one_line(in_a_row((*guarded.details, *guarded.decision.reasons)))
    by = f"  label {guarded.label}" if guarded.label is not None else ""
    origin = ", ".join(filter(None, (result.model, result.when[:16].replace("T", " "))))
    said = verdict_run(guarded.decision.verdict), muted(by), f"  {why}", muted(f"  {origin}")
    yield paragraph("GuardAgent  ", *said, hang=12)


def _question(call: _Chosen, result: GuardAgentCall, numbers: Iterator[int]) -> Iterator[Row]:
    """The question which decision is right; once it is answered, the case that settles it."""
    settled = _settled(call.state, call.position)
    if settled is not None:
        why = f": {settled.reason}" if settled.reason else "."
        words = f"They disagree; the case {settled.id} says {VERDICT_WORD[settled.expected]}{why}"
        yield paragraph(muted(one_line(words)))
        return
    yield paragraph(warn("? They disagree. Which decision is right of this call?"), hang=2)
    policy, agent = call.decided.decision.verdict, result.guarded.decision.verdict
    for verdict in (Verdict.DENY, *([Verdict.ASK] if Verdict.ASK in (policy, agent) else ()), Verdict.ALLOW):
        who = ["the policy"] * (policy is verdict) + ["GuardAgent"] * (agent is verdict)
        says = muted(f"{f' as {" and ".join(who)} says' if who else ''}: keep the call as a case")
        yield pick_row(numbers, f"case:{verdict}", verdict_run(verdict), says)


def _offers(call: _Chosen, numbers: Iterator[int]) -> Iterator[Row]:
    means, result = call.means, call.result
    plan = result.guarded.plan if result is not None else ()
    if means is not None and not means.no_model:
        words = f"let GuardAgent decide it{'' if result is None else ' anew'}"
        yield pick_row(numbers, "ask", words, muted("  retrieval, plan, code, sandbox"))
        words = f"{'correct' if plan else 'write'} the plan"
        yield pick_row(numbers, "plan", words, muted("  the model writes the code for it"))
    words = f"{'correct' if result is not None and result.code else 'write'} the code"
    yield pick_row(numbers, "code", words, muted("  it runs without a model"))
    if result is not None and result.guarded.label is not None and len(plan) == 4:
        yield pick_row(numbers, "keep", "keep plan and code as a demonstration")


def _retrieved(title: str, names: Sequence[str]) -> Iterator[Row]:
    yield from (BLANK, heading(title))
    for number, name in enumerate(names, start=1):
        key = f"demonstration:{name}"
        yield paragraph(accent(f"{number} "), one_line(name), key=key, indent=2, hang=2)
    if not names:
        yield paragraph(muted("no demonstration"), indent=2)


def _plan_and_code(result: GuardAgentCall) -> Iterator[Row]:
    """The plan, and each piece of code with its result."""
    guarded = result.guarded
    if guarded.plan:
        yield from (BLANK, heading(f"Plan  {_BY[result.plan_by.value]}"))
    for number, text in enumerate(guarded.plan, start=1):
        yield paragraph(accent(f"{number} "), one_line(text), key="plan", indent=2, hang=2)
    rounds = len(guarded.attempts)
    for number, attempt in enumerate(guarded.attempts, start=1):
        of = f", round {number} of {rounds}" if rounds > 1 else ""
        yield from (BLANK, heading(f"Code  {_BY[result.code_by.value]}{of}"))
        yield from code_rows(attempt.code, 1, len(attempt.code.splitlines()), f"code:{number}")
        if attempt.printed:
            yield paragraph(muted("printed "), one_line(attempt.printed), hang=2)
        failed = attempt.error and bad(f"failed: {one_line(attempt.error)}")
        yield paragraph(failed or accent(f"label {guarded.label}"), hang=2)
    if guarded.answer:
        yield from (BLANK, paragraph(muted("the user is told "), one_line(guarded.answer), hang=2))
