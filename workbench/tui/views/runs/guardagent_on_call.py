"""GuardAgent on the chosen call: ask it, correct it by hand, keep its result, settle a disagreement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from workbench.model import Case, Verdict, WorkbenchError
from workbench.tui.messages import Act, Ask, Go, Say
from workbench.tui.numbered_options import PICK, picked
from workbench.tui.retrieval_list import Retrieving, retrieving_wanted
from workbench.tui.screen_places import Place, PlaceKind, ViewName
from workbench.tui.views.runs.guardagent_rows import guarding_rows
from workbench.tui.widgets.text_editor import TextEditor

if TYPE_CHECKING:
    from workbench.app.guardagent_calls import GuardAgentCall, GuardAgentMeans
    from workbench.app.policy import PolicyTerms
    from workbench.app.results import Logs
    from workbench.app.session_state import SessionState
    from workbench.app.workbench import Workbench
    from workbench.tui.views.runs.view import RunsView
    from workbench.tui.widgets.lines import Row

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
        self._call_by_position: Mapping[int, GuardAgentCall] = {}
        self._calls_of: tuple[PolicyTerms, Logs] | None = None
        self._means: tuple[Logs, int, GuardAgentMeans] | None = None
        self._trouble: tuple[int, str] | None = None
        self._writing = ""
        self._k: int | None = None
        self._least = False
        self.open = False

    # --- the known results

    def take(self, state: SessionState) -> None:
        """Find GuardAgent's kept results on the calls of a state."""
        terms, logs = state.terms, state.logs
        if terms is None or logs is None or not state.decisions or self._calls_of == (terms, logs):
            return

        def keep_calls(call_by_position: Mapping[int, GuardAgentCall]) -> None:
            self._call_by_position, self._calls_of = call_by_position, (terms, logs)
            self._view.guarded()

        self._view.post_message(
            Ask("guarded", lambda bench: partial(keep_calls, bench.guardagent.all_kept(terms, logs)))
        )
        self._find_means()

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
        if state is None or state.terms is None or state.logs is None or self._view.chosen is None:
            return None
        assert position is not None
        return _Chosen(state, state.terms, state.logs, position)

    def rows(self, width: int) -> Sequence[Row]:
        """Rows of GuardAgent's result on the chosen call, with the options."""
        call = self._call
        if call is None:
            return ()
        means, trouble, position = self._means, self._trouble, call.position
        return guarding_rows(
            call.logs.calls[position],
            call.state.decisions[position],
            self.of(position),
            means[2] if means is not None and means[:2] == (call.logs, position) else None,
            trouble[1] if trouble is not None and trouble[0] == position else "",
            _settled(call.state, position),
            "least" if self._least else "most",
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
        logs, position = call.logs, call.position
        k, least_similar = self._k, self._least

        def keep_means(guarding_means: GuardAgentMeans) -> None:
            self._means = (logs, position, guarding_means)
            self._view.show_chosen()

        def work(bench: Workbench) -> Callable[[], object]:
            return partial(
                keep_means, bench.guardagent.means(logs.calls[position], k, least_similar=least_similar)
            )

        self._view.post_message(Ask("means", work))

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
        self._k, self._least = chosen.k, chosen.least
        self._find_means()

    def do_again(self) -> bool:
        """Let GuardAgent decide the chosen call by a model; False if GuardAgent is not shown."""
        call = self._call
        return self.open and call is not None and self._ask(call)

    def _ask(
        self, call: _Chosen, plan: Sequence[str] = (), failed: Callable[[], object] | None = None
    ) -> bool:
        """Let the model decide a call with retrieved demonstrations, by a person's plan if there is one."""
        k, least_similar = self._k, self._least

        def guard(bench: Workbench) -> GuardAgentCall:
            return bench.guardagent.guard(*call.place, k=k, least_similar=least_similar, plan=plan)

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

        def keep_call(guarded_call: GuardAgentCall) -> None:
            self._trouble = None
            self._call_by_position = {**self._call_by_position, position: guarded_call}
            self._view.guarded()

        def troubled(why: str) -> None:
            self._trouble = (position, why)
            self._view.post_message(Say(why, problem=True))
            self._view.show_chosen()
            if failed is not None:
                failed()

        def work(bench: Workbench) -> Callable[[], object]:
            try:
                return partial(keep_call, guard(bench))
            except WorkbenchError as error:
                return partial(troubled, str(error))

        self._view.post_message(Ask("guardagent", work, f"GuardAgent on {call.name}"))
        return True

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
        editor = self._view.query_one(TextEditor)
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
