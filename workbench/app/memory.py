"""GuardAgent's memory: ranking demonstrations, making them from calls, editing them, and the effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.app.results import Logs
from workbench.app.what_changed import CallChange
from workbench.memory.retrieval_order import Order
from workbench.model import Demonstration, Json, RecordedCall, WorkbenchError
from workbench.serialization.json_form import json_form

if TYPE_CHECKING:
    from workbench.app.runs import Runs
    from workbench.memory.retrieval import DemonstrationIndex, Retrieved
    from workbench.memory.retrieval_order import RetrievalChange
    from workbench.policy.terms import PolicyTerms
    from workbench.session import Session

__all__ = ["Memory", "MemoryChange", "PromptSize", "Retrieved", "call_place"]

_CHARACTERS_OF_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class PromptSize:
    """The characters that demonstrations add to the prompts of one action on average."""

    before: int = 0
    after: int = 0

    @property
    def tokens_before(self) -> int:
        """The tokens before the edit, estimated."""
        return round(self.before / _CHARACTERS_OF_A_TOKEN)

    @property
    def tokens_after(self) -> int:
        """The tokens after the edit, estimated."""
        return round(self.after / _CHARACTERS_OF_A_TOKEN)


json_form(PromptSize, "tokens_before", "tokens_after")


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """An edit of the memory and its effect: which calls retrieve differently, and are decided otherwise.

    ``label`` is empty if nothing is stored. ``turned`` are the calls whose decision changes because the
    memory teaches an extraction. ``prompt`` is the size that demonstrations add to GuardAgent's prompts.
    """

    label: str
    demonstrations: tuple[Demonstration, ...]
    changes: tuple[RetrievalChange, ...] = ()
    turned: tuple[CallChange, ...] = ()
    prompt: PromptSize = PromptSize()


json_form(
    MemoryChange,
    *(("change", "label"), ("retrieve_differently", "changes"), ("decided_otherwise", "turned"), "prompt"),
)


class Memory:
    """The demonstrations of a session: ranking and editing them, and the effect of an edit."""

    def __init__(self, session: Session, runs: Runs) -> None:
        self._session = session
        self._runs = runs
        self._index: tuple[tuple[Demonstration, ...], DemonstrationIndex] | None = None
        self._retrieved: tuple[tuple[Demonstration, ...], Logs, int, tuple[tuple[str, ...], ...]] | None = (
            None
        )

    @property
    def k(self) -> int:
        """How many demonstrations a call retrieves unless something else is asked for."""
        return self._session.info.guardagent.k

    def rank(
        self, call: RecordedCall, k: int | None = None, *, least_similar: bool = False
    ) -> tuple[Retrieved, ...]:
        """The ``k`` enabled demonstrations that GuardAgent would get for a call, best first.

        With ``least_similar`` the worst come first, as in GuardAgent's ablation.
        """
        from workbench.memory.call_texts import call_texts
        from workbench.memory.retrieval import DemonstrationIndex

        demonstrations = self._session.demonstrations
        if self._index is None or self._index[0] is not demonstrations:
            self._index = demonstrations, DemonstrationIndex(demonstrations)
        order = Order.LEAST_SIMILAR if least_similar else Order.MOST_SIMILAR
        return self._index[1].nearest(*call_texts(call), self.k if k is None else k, order)

    def rank_recorded(
        self, logs: Logs, run: str, index: int, k: int | None = None, *, least_similar: bool = False
    ) -> tuple[Retrieved, ...]:
        """The demonstrations that a recorded call retrieves; raises WorkbenchError if it is missing."""
        call = logs.calls[call_place(logs.calls, run, index)]
        return self.rank(call, k, least_similar=least_similar)

    def retrieved(self, logs: Logs) -> tuple[tuple[str, ...], ...]:
        """The ids of the demonstrations that each recorded call retrieves, best first."""
        demonstrations = self._session.demonstrations
        cached = self._retrieved
        if cached is None or cached[0] is not demonstrations or cached[1] is not logs or cached[2] != self.k:
            ids = tuple(
                tuple(retrieved.demonstration.id for retrieved in self.rank(call)) for call in logs.calls
            )
            cached = self._retrieved = (demonstrations, logs, self.k, ids)
        return cached[3]

    def begun(self, logs: Logs, run: str = "", index: int = 0) -> Demonstration:
        """The beginning of a demonstration, which a person completes: of a recorded call, or of none."""
        from workbench.memory.call_texts import call_texts
        from workbench.memory.demonstrating import free_id

        taken_ids = _by_id(self._session.demonstrations).keys()
        if not run:
            return Demonstration(free_id("demonstration", taken_ids), "", "", ("", "", "", ""), "")
        call = logs.calls[call_place(logs.calls, run, index)]
        return Demonstration(
            free_id(f"{run}-{index}", taken_ids),
            *call_texts(call),
            ("", "", "", ""),
            "label = 0\ndetails = []\n",
        )

    def begun_text(self, begun: Demonstration) -> str:
        """The beginning of a demonstration as TOML, for an editor."""
        from workbench.session.excerpts import demonstration_text

        return demonstration_text(begun)

    def add_text(self, begun: Demonstration, text: str) -> MemoryChange:
        """Store the demonstration that an edited text makes of one that was begun.

        Raises WorkbenchError if it has no input, no output, no id of its own, or code that is not Python.
        """
        from workbench.session.excerpts import read_demonstration

        demonstration = _checked(read_demonstration(text, begun))
        if any(stored.id == demonstration.id for stored in self._session.demonstrations):
            raise WorkbenchError(f"There is a demonstration {demonstration.id} already; choose another id.")
        return self.keep(demonstration)

    def effect(self, changed: Sequence[Demonstration], logs: Logs, k: int | None = None) -> MemoryChange:
        """The effect that replacing the memory by ``changed`` would have on the recorded calls."""
        from workbench.memory.retrieval import retrieval_changes

        demonstrations, retrieved_count = self._session.demonstrations, self.k if k is None else k
        changes = retrieval_changes(demonstrations, changed, logs.calls, retrieved_count)
        size = PromptSize(
            _shown_size(demonstrations, logs.calls, retrieved_count),
            _shown_size(changed, logs.calls, retrieved_count),
        )
        return MemoryChange("", tuple(changed), changes, self._turned(logs, changed), size)

    def _turned(self, logs: Logs, changed: Sequence[Demonstration]) -> tuple[CallChange, ...]:
        """The calls that the session's policy decides otherwise, or by other rules, with another memory."""
        taught, lowered = self._runs.taught(logs, changed), self._session.lowered
        if taught is logs or lowered is None:  # a policy outside the dialect decides nothing
            return ()
        before = self._runs.decide(lowered.terms, logs)
        pairs = zip(before, self._runs.decide(lowered.terms, taught), strict=True)
        return tuple(
            CallChange(old.run, old.index, position, old.decision.verdict, new.decision.verdict)
            for position, (old, new) in enumerate(pairs)
            if old.decision.verdict is not new.decision.verdict
            or old.decision.violations != new.decision.violations
        )

    def effect_of(
        self, logs: Logs, *, without: Sequence[str] = (), added: str = "", k: int | None = None
    ) -> MemoryChange:
        """The effect of leaving some demonstrations out and adding those of a ``memory.jsonl``."""
        from workbench.session.session_files import read_memory

        gone = dict.fromkeys(self.demonstration(id_).id for id_ in without)
        return self.effect(self._with({**gone, **_by_id(read_memory(added))}), logs, k)

    def demonstrate(self, terms: PolicyTerms, logs: Logs, run: str, index: int) -> Demonstration:
        """The demonstration that a recorded call gives; nothing is stored.

        Raises WorkbenchError if there is no such call, or if it demonstrates nothing.
        """
        from workbench.memory.demonstrating import demonstration_of

        place = call_place(logs.calls, run, index)
        decided = self._runs.decide(terms, logs)[place]
        taken_ids = _by_id(self._session.demonstrations).keys()
        return demonstration_of(logs.calls[place], decided, terms, taken_ids, run=_label_of)

    def add_from_call(self, terms: PolicyTerms, logs: Logs, run: str, index: int) -> MemoryChange:
        """Add a recorded call, as the policy decides it, to the memory."""
        demonstration = self.demonstrate(terms, logs, run, index)
        return self.keep(demonstration, logs)

    def keep(self, demonstration: Demonstration, logs: Logs | None = None) -> MemoryChange:
        """Store a demonstration, in place of the one with its id if there is one."""
        verb = "Edit" if demonstration.id in _by_id(self._session.demonstrations) else "Add"
        changed = self._with({demonstration.id: demonstration})
        return self.store(changed, f"{verb} the demonstration {demonstration.id}", logs)

    def text(self, id_: str) -> str:
        """A demonstration as TOML, each text on lines of its own, for an editor."""
        from workbench.session.excerpts import demonstration_text

        return demonstration_text(self.demonstration(id_))

    def put_text(self, id_: str, text: str, logs: Logs | None = None) -> MemoryChange:
        """Store the parts of a demonstration that an edited text states; the other parts stay as they are."""
        from workbench.session.excerpts import read_demonstration

        demonstration = _checked(read_demonstration(text, self.demonstration(id_)))
        changed = self._with({id_: demonstration})
        return self.store(changed, f"Edit the demonstration {demonstration.id}", logs)

    def enable(self, id_: str, enabled: bool, logs: Logs | None = None) -> MemoryChange:
        """Switch the retrieval of a demonstration on or off; raises WorkbenchError for an unknown id."""
        changed = self._with({id_: replace(self.demonstration(id_), enabled=enabled)})
        return self.store(changed, f"{'Enable' if enabled else 'Disable'} the demonstration {id_}", logs)

    def remove(self, id_: str, logs: Logs | None = None) -> MemoryChange:
        """Delete a demonstration; raises WorkbenchError for an unknown id."""
        changed = self._with({self.demonstration(id_).id: None})
        return self.store(changed, f"Delete the demonstration {id_}", logs)

    def import_text(self, text: str, logs: Logs | None = None) -> MemoryChange:
        """Add the demonstrations of a ``memory.jsonl``; each replaces a stored one of the same id.

        Raises WorkbenchError for a text that cannot be read, and changes nothing then.
        """
        from workbench.session.session_files import read_memory

        return self.store(self._with(_by_id(read_memory(text))), "Import demonstrations", logs)

    def export(self, ids: Sequence[str] = ()) -> str:
        """The demonstrations with these ids, or all, as a ``memory.jsonl``."""
        from workbench.session.session_files import write_memory

        chosen = [self.demonstration(id_) for id_ in ids] if ids else self._session.demonstrations
        return write_memory(chosen)

    def demonstration(self, id_: str) -> Demonstration:
        """The demonstration with this id; raises WorkbenchError if there is none."""
        demonstrations = self._session.demonstrations
        if found := _by_id(demonstrations).get(id_):
            return found
        names = ", ".join(demonstration.id for demonstration in demonstrations[:12]) or "none"
        raise WorkbenchError(f"The session has no demonstration {id_!r}; it has {names}.")

    def _with(self, new: Mapping[str, Demonstration | None]) -> tuple[Demonstration, ...]:
        """The demonstrations with others in the place of those of these ids, or at the end; None is gone."""
        changed = {**_by_id(self._session.demonstrations), **new}
        return tuple(demonstration for demonstration in changed.values() if demonstration is not None)

    def store(self, changed: tuple[Demonstration, ...], label: str, logs: Logs | None = None) -> MemoryChange:
        """Store all demonstrations; with ``logs`` also return which recorded calls retrieve differently."""
        effect = MemoryChange(label, changed) if logs is None else self.effect(changed, logs)
        self._session.set_demonstrations(changed, label)
        return replace(effect, label=label)


def _by_id(demonstrations: Sequence[Demonstration]) -> dict[str, Demonstration]:
    return {demonstration.id: demonstration for demonstration in demonstrations}


def _shown_size(demonstrations: Sequence[Demonstration], calls: Sequence[RecordedCall], k: int) -> int:
    """The characters that retrieved demonstrations add to the prompts of a call, on average."""
    from workbench.guardagent.prompts import shown_characters
    from workbench.memory.call_texts import call_texts
    from workbench.memory.retrieval import DemonstrationIndex

    index = DemonstrationIndex(demonstrations)
    retrieved_lists = (index.nearest(*call_texts(call), k) for call in calls)
    sizes = [shown_characters([item.demonstration for item in items]) for items in retrieved_lists]
    return round(sum(sizes) / len(sizes)) if sizes else 0


def _checked(demonstration: Demonstration) -> Demonstration:
    """A demonstration that has an input and readable code; raises WorkbenchError, which says what to type."""
    import ast

    if not demonstration.agent_input.strip():
        raise WorkbenchError(
            "agent_input is empty: type what the agent was asked, by which the demonstration is found."
        )
    try:
        ast.parse(demonstration.code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f" in its line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise WorkbenchError(f"code is not Python{line}: mend it, or leave it empty.") from error
    return demonstration


def _label_of(code: str) -> Json:
    """The label that guardrail code gives in the sandbox, or the reason why it gives none."""
    from workbench.guardagent.sandbox import execute
    from workbench.guardagent.toolbox import Toolbox

    execution = execute(code, {}, Toolbox.empty())
    return execution.error or execution.values.get("label")


def call_place(calls: Sequence[RecordedCall], run: str, index: int) -> int:
    """The place of a call in the logs; raises WorkbenchError if it is not there."""
    for place, call in enumerate(calls):
        if call.run == run and call.index == index:
            return place
    call_indices = [call.index for call in calls if call.run == run]
    if call_indices:
        raise WorkbenchError(
            f"The run {run} has no call {index}; it has the calls {call_indices[0]} to {call_indices[-1]}."
        )
    raise WorkbenchError(f"The logs have no run {run!r}; 'workbench replay' lists what there is.")
