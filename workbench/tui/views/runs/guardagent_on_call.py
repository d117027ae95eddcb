"""GuardAgent on the chosen call: ask it, correct it by hand, keep its result, settle a disagreement.

Rows of GuardAgent's result on a call, next to the policy's decision, with the options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from workbench.app.value_texts import undetermined_words
from workbench.clean_text import in_a_row, one_line
from workbench.model import CallDecision, Case, Verdict, WorkbenchError
from workbench.tones import Tone
from workbench.tui.background_result import BackgroundResult
from workbench.tui.code_rows import code_rows
from workbench.tui.messages import Act, Ask, Go, Say
from workbench.tui.numbered_options import PICK, Picks, picked
from workbench.tui.retrieval_list import Retrieving, retrieving_wanted
from workbench.tui.run_text import call_text
from workbench.tui.screen_places import Place, PlaceKind, ViewName
from workbench.tui.text_runs import TextRun, line, muted
from workbench.tui.value_text import BLANK, heading, paragraph
from workbench.tui.verdict_signs import VERDICT_WORD, verdict_run
from workbench.tui.widgets.lines import Row
from workbench.tui.widgets.text_editor import TextEditor

if TYPE_CHECKING:
    from workbench.app.guardagent_calls import GuardAgentCall, GuardAgentMeans
    from workbench.app.policy import PolicyTerms
    from workbench.app.results import Logs
    from workbench.app.session_state import SessionState
    from workbench.app.workbench import Workbench
    from workbench.model import RecordedCall
    from workbench.tui.views.runs.view import RunsView


type GuardAgentWork = Callable[[Workbench], GuardAgentCall]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The chosen call, in the state with the policy's decision on it."""

    state: SessionState
    terms: PolicyTerms
    logs: Logs
    position: int

    @property
    def name(self) -> str:
        decided = self.state.decisions[self.position]
        return f"call {decided.index} of {decided.run}"

    @property
    def place(self) -> tuple[PolicyTerms, Logs, str, int]:
        """The call as the application names it."""
        decided = self.state.decisions[self.position]
        return self.terms, self.logs, decided.run, decided.index


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
        self._trouble: tuple[int, str] | None = None
        self._writing = ""
        self._retrieving = Retrieving(None)
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
            for position, guarded_call in sorted(self._call_by_position.items())
            if position < len(state.decisions)
            and guarded_call.guarded.decision.verdict is not state.decisions[position].decision.verdict
            and _settled(state, position) is None
        ]

    @property
    def _call(self) -> _Chosen | None:
        state, position = self._view.state, self._view.calls.position
        if state.terms is None or state.logs is None or self._view.chosen is None:
            return None
        assert position is not None
        return _Chosen(state, state.terms, state.logs, position)

    def rows(self, width: int) -> Sequence[Row]:
        """Rows of GuardAgent's result on the chosen call, with the options."""
        call = self._call
        if call is None:
            return ()
        trouble, position = self._trouble, call.position
        return _guarding_rows(
            call.logs.calls[position],
            call.state.decisions[position],
            self.of(position),
            self._means.of(call.logs, position),
            trouble[1] if trouble is not None and trouble[0] == position else "",
            _settled(call.state, position),
            "least" if self._retrieving.least else "most",
            call.state.words.noun,
            width,
        )

    def go_on(self) -> None:
        """Find what GuardAgent would decide the newly chosen call with, if GuardAgent is shown."""
        if self.open:
            self._find_means()

    def _find_means(self) -> None:
        call = self._call
        if not self.open or call is None:
            return
        recorded, retrieving = call.logs.calls[call.position], self._retrieving

        def find(bench: Workbench) -> GuardAgentMeans:
            return bench.guardagent.means(recorded, retrieving.k, least_similar=retrieving.least)

        self._means.find(find, call.logs, call.position, retrieving)

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
        options = picked(self.rows(80))
        return number <= len(options) and self.choose(f"{PICK}{options[number - 1]}")

    def choose(self, key: str) -> bool:
        """Do the action of a row; False if it has none."""
        kind, _, name = key.removeprefix(PICK).partition(":")
        if kind == "demonstration":
            self._view.post_message(Go(Place(ViewName.MEMORY, PlaceKind.DEMONSTRATION, name)))
            return True
        match kind:
            case "case":
                return self._settle(Verdict(name))
            case "ask":
                return self.do_again()
            case "plan" | "code":
                return self._write(kind)
            case "keep":
                return self.keep()
            case "retrieve":
                self._view.post_message(retrieving_wanted(self._settle_retrieval))
                return True
            case _:
                return False

    def _settle_retrieval(self, chosen: Retrieving) -> None:
        self._retrieving = chosen
        self._find_means()

    def do_again(self) -> bool:
        """Let GuardAgent decide the chosen call by a model; False if GuardAgent is not shown."""
        call = self._call
        return self.open and call is not None and self._ask(call)

    def _ask(
        self, call: _Chosen, plan: Sequence[str] = (), failed: Callable[[], object] | None = None
    ) -> bool:
        """Let the model decide a call with retrieved demonstrations, by a person's plan if there is one."""
        k, least = self._retrieving.k, self._retrieving.least

        def guard(bench: Workbench) -> GuardAgentCall:
            return bench.guardagent.guard(*call.place, k=k, least_similar=least, plan=plan)

        return self._guard(call, guard, failed)

    def keep(self) -> bool:
        """Keep plan and code as a demonstration; False if there is no result on the call."""
        call = self._call
        guarded_call = None if call is None else self.of(call.position)
        if call is None or guarded_call is None:
            return False
        logs, chosen_call = call.logs, guarded_call
        label = f"Demonstration of GuardAgent on {call.name}"
        self._view.post_message(Act(label, lambda bench: bench.guardagent.demonstrate(chosen_call, logs)))
        return True

    def _settle(self, expected: Verdict) -> bool:
        call = self._call
        guarded_call = None if call is None else self.of(call.position)
        if call is None or guarded_call is None:
            return False
        terms, chosen_call = call.terms, guarded_call
        self._view.post_message(
            Act(
                f"Case of {call.name}: {expected.value}",
                lambda bench: bench.guardagent.keep_case(terms, chosen_call, expected),
            )
        )
        return True

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
                self._trouble = None
                self._call_by_position = {**self._call_by_position, position: found}
                self._view.guarded()
                return
            self._trouble = position, str(found)
            self._view.post_message(Say(str(found), problem=True))
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
        guarded_call = self.of(call.position)
        if part == "plan":
            plan = (
                guarded_call.guarded.plan
                if guarded_call is not None and guarded_call.guarded.plan
                else ("",) * 4
            )
            self._begin(part, "\n".join(plan), "four steps, one a line; Esc lets the model follow them")
        else:
            from workbench.app.guardagent_calls import BEGUN_CODE

            code = guarded_call.code if guarded_call is not None else ""
            self._begin(part, code or BEGUN_CODE, "Esc runs it, without a model")
        return True

    def _begin(self, part: str, text: str, note: str) -> None:
        self._writing = part
        self._view.mark(self._view.run)
        editor = self._view.text
        editor.begin(part, text, note)
        lines = text.splitlines()
        label = next((at for at, line in enumerate(lines) if line.startswith("label")), 0)
        editor.move_cursor((label, len(lines[label]) if lines else 0))

    def left(self, event: TextEditor.Left) -> None:
        """Run the edited code, or let the model follow the edited plan; on failure edit the plan again."""
        self._view.run.focus()
        call, part, text = self._call, self._writing, event.text
        if not event.is_kept or call is None:
            return
        if part == "code":
            self._guard(call, lambda bench: bench.guardagent.run_code(*call.place, text))
            return
        plan = tuple(line.strip() for line in text.splitlines() if line.strip())
        again = partial(self._begin, part, text, "not followed")
        self._ask(call, plan or ("",), again)


def _settled(state: SessionState, position: int) -> Case | None:
    """The case that settles the right decision on a call, if a person made one."""
    arguments = state.decisions[position].decision.arguments
    return next((case for case in state.cases if case.origin == "log" and case.arguments == arguments), None)


_BY = {"model": "by the model", "person": "by hand"}


def _guarding_rows(
    call: RecordedCall,
    decided: CallDecision,
    guarded_call: GuardAgentCall | None,
    means: GuardAgentMeans | None,
    trouble: str,
    settled: Case | None,
    order: str,
    noun: Callable[[str], str],
    width: int,
) -> Sequence[Row]:
    """Both decisions, the question if they differ, the options; then how GuardAgent came to its decision.

    The ``order`` in which demonstrations are retrieved is the most or the least similar first.
    """
    picks = Picks()
    rows = paragraph(line(muted(f"{call.index} "), one_line(call_text(call))[: 2 * width]), width, hang=4)
    rows += _decisions(decided, guarded_call, noun, width)
    if trouble:
        rows += paragraph(line(TextRun(one_line(trouble), Tone.WARN)), width)
    if guarded_call is not None and guarded_call.guarded.decision.verdict is not decided.decision.verdict:
        rows += [BLANK, *_question(decided, guarded_call, settled, picks, width)]
    rows += [BLANK, *_offers(guarded_call, means, picks, width)]
    if means is not None:
        words = line("set what is retrieved", muted(f"  the {means.k} {order} similar"))
        rows += picks.rows("retrieve", words, width)
    if means is not None and means.no_model and not trouble:
        rows += paragraph(line(TextRun(means.no_model, Tone.WARN)), width)
    would = means.demonstrations if means is not None else ()
    shown_demonstrations = guarded_call.demonstrations if guarded_call is not None else ()
    rows += [BLANK, *_retrieved("Retrieved", shown_demonstrations or would, width)]
    if shown_demonstrations and would and shown_demonstrations != would:
        rows += [BLANK, *_retrieved("Retrieved anew", would, width)]
    if guarded_call is not None:
        rows += _plan_and_code(guarded_call, width)
    if means is not None:
        rows += [BLANK, *_functions(means, width)]
    return rows


def _decisions(
    decided: CallDecision, guarded_call: GuardAgentCall | None, noun: Callable[[str], str], width: int
) -> Iterator[Row]:
    decision = decided.decision
    rules = ", ".join(violation.rule for violation in decision.violations)
    why = rules or in_a_row(undetermined_words(decision.reasons, noun))
    words = line("policy      ", verdict_run(decision.verdict), muted(f"  {one_line(why)}" if why else ""))
    yield from paragraph(words, width, hang=12)
    if guarded_call is None:
        yield from paragraph(line("GuardAgent  ", muted("has not decided this call")), width, hang=12)
        return
    guarded = guarded_call.guarded
    why = in_a_row((*guarded.details, *guarded.decision.reasons))
    by = f"  label {guarded.label}" if guarded.label is not None else ""
    when = guarded_call.when[:16].replace("T", " ")
    origin = f"  {', '.join(part for part in (guarded_call.model, when) if part)}"
    words = line(
        "GuardAgent  ", verdict_run(guarded.decision.verdict), muted(by), f"  {one_line(why)}", muted(origin)
    )
    yield from paragraph(words, width, hang=12)


def _question(
    decided: CallDecision, guarded_call: GuardAgentCall, settled: Case | None, picks: Picks, width: int
) -> Iterator[Row]:
    """The question which decision is right; once it is answered, the case that settles it."""
    if settled is not None:
        why = f": {settled.reason}" if settled.reason else "."
        words = f"They disagree; the case {settled.id} says {VERDICT_WORD[settled.expected]}{why}"
        yield from paragraph(line(muted(one_line(words))), width)
        return
    yield from paragraph(
        line(TextRun("? They disagree. Which decision is right of this call?", Tone.WARN)), width, hang=2
    )
    verdict_by_name = {
        "the policy": decided.decision.verdict,
        "GuardAgent": guarded_call.guarded.decision.verdict,
    }
    asked = [Verdict.ASK] if Verdict.ASK in verdict_by_name.values() else []
    for verdict in (Verdict.DENY, *asked, Verdict.ALLOW):
        who = [name for name, own_verdict in verdict_by_name.items() if own_verdict is verdict]
        says = f" as {' and '.join(who)} says" if who else ""
        label = line(verdict_run(verdict), muted(f"{says}: keep the call as a case"))
        yield from picks.rows(f"case:{verdict}", label, width)


def _offers(
    guarded_call: GuardAgentCall | None, means: GuardAgentMeans | None, picks: Picks, width: int
) -> Iterator[Row]:
    if means is not None and not means.no_model:
        words = "let GuardAgent decide it" if guarded_call is None else "let GuardAgent decide it anew"
        yield from picks.rows("ask", line(words, muted("  retrieval, plan, code, sandbox")), width)
        words = (
            "write the plan" if guarded_call is None or not guarded_call.guarded.plan else "correct the plan"
        )
        yield from picks.rows("plan", line(words, muted("  the model writes the code for it")), width)
    words = "write the code" if guarded_call is None or not guarded_call.code else "correct the code"
    yield from picks.rows("code", line(words, muted("  it runs without a model")), width)
    if (
        guarded_call is not None
        and guarded_call.guarded.label is not None
        and len(guarded_call.guarded.plan) == 4
    ):
        yield from picks.rows("keep", "keep plan and code as a demonstration", width)


def _retrieved(name: str, names: Sequence[str], width: int) -> Iterator[Row]:
    yield heading(name)
    for number, name in enumerate(names, start=1):
        words = line(TextRun(f"{number} ", Tone.ACCENT), one_line(name))
        yield from paragraph(words, width, f"demonstration:{name}", indent=2, hang=2)
    if not names:
        yield from paragraph(line(muted("no demonstration")), width, indent=2)


def _plan_and_code(guarded_call: GuardAgentCall, width: int) -> Iterator[Row]:
    """The plan, and each piece of code with its result."""
    guarded = guarded_call.guarded
    if guarded.plan:
        yield BLANK
        yield heading(f"Plan  {_BY[guarded_call.plan_by.value]}")
        for number, text in enumerate(guarded.plan, start=1):
            words = line(TextRun(f"{number} ", Tone.ACCENT), one_line(text))
            yield from paragraph(words, width, "plan", indent=2, hang=2)
    rounds = len(guarded.attempts)
    for number, attempt in enumerate(guarded.attempts, start=1):
        yield BLANK
        of = f", round {number} of {rounds}" if rounds > 1 else ""
        yield heading(f"Code  {_BY[guarded_call.code_by.value]}{of}")
        yield from code_rows(attempt.code, 1, len(attempt.code.splitlines()), width, f"code:{number}")
        if attempt.printed:
            yield from paragraph(line(muted("printed "), one_line(attempt.printed)), width, hang=2)
        if attempt.error:
            yield from paragraph(line(TextRun(f"failed: {one_line(attempt.error)}", Tone.BAD)), width, hang=2)
        else:
            yield from paragraph(line(TextRun(f"label {guarded.label}", Tone.ACCENT)), width)
    if guarded.answer:
        yield BLANK
        yield from paragraph(line(muted("the user is told "), one_line(guarded.answer)), width, hang=2)


def _functions(means: GuardAgentMeans, width: int) -> Iterator[Row]:
    yield heading("Functions that code may call")
    for signature, summary in means.functions:
        words = line(TextRun(one_line(signature), Tone.CODE), muted(f"  {one_line(summary)}"))
        yield from paragraph(words, width, f"function:{signature}", indent=2, hang=2)
