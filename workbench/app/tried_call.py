"""A call that a person tries: in the place of a recorded one, edited, and decided there; nothing is kept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from workbench.app.session_state import SessionState
from workbench.model import CallDecision, Json, RecordedCall, WorkbenchError
from workbench.runs.values.jsontext import BadJson, parse_json
from workbench.runs.world.earlier_calls import Earlier

if TYPE_CHECKING:
    from workbench.app.runs import CallExplanation, Runs

_OF_CALL = ("tool", "arguments", "result")
"""The texts that are parts of the call; all others stood before it."""


@dataclass(frozen=True, slots=True)
class TriedCall:
    """A tried call as the last one of its run: a state with the run alone, and why it is decided so."""

    state: SessionState
    why: CallExplanation

    @property
    def position(self) -> int:
        """The position of the call in the state."""
        return len(self.state.decisions) - 1


def call_as_text(call: RecordedCall) -> str:
    """A call as a person edits it: its tool in a line, then its arguments."""
    arguments = json.dumps(dict(call.arguments or {}), indent=2, ensure_ascii=False)
    return f"{call.tool or ''}\n{arguments}"


def tried(runs: Runs, state: SessionState, position: int, text: str) -> TriedCall:
    """The call that a text says, decided in the place of a recorded one.

    Raises WorkbenchError if the text is no call.
    """
    terms, logs = state.terms, state.logs
    if terms is None or logs is None:
        raise WorkbenchError("There is no policy that could decide the call.")
    recorded = logs.calls[position]
    first = position
    while first and logs.calls[first - 1].run == recorded.run:
        first -= 1
    call = _edited(recorded, text)
    calls = (*logs.calls[first:position], call)
    decided = _decided(runs, state, calls)
    run_state = replace(
        state,
        logs=replace(logs, runs=(), calls=calls, extracted=(), problems=()),
        decisions=(*state.decisions[first:position], decided),
    )
    return TriedCall(run_state, runs.explain_call(terms, logs, calls, decided))


def _decided(runs: Runs, state: SessionState, calls: Sequence[RecordedCall]) -> CallDecision:
    """The decision on the last of the calls."""
    from workbench.engines.compiled.compile import compile_policy
    from workbench.runs.replay.decide import decision_on

    assert state.terms is not None
    call = calls[-1]
    read = runs.extractor(state.terms.sources).extract(call, Earlier(calls, len(calls) - 1))
    return CallDecision(call.run, call.index, decision_on(compile_policy(state.terms), read), read)


def _edited(recorded: RecordedCall, text: str) -> RecordedCall:
    tool, _, written = text.strip().partition("\n")
    try:
        arguments = parse_json(written.strip() or "{}", unique_keys=True)
    except BadJson as error:
        raise WorkbenchError(f"The arguments are no JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise WorkbenchError("The arguments are no JSON object, {...}.")
    given = cast("Mapping[str, Json]", arguments)
    texts = {name: said for name, said in recorded.texts.items() if name.partition(".")[0] not in _OF_CALL}
    texts |= {"tool": tool.strip(), "arguments": json.dumps(arguments, ensure_ascii=False)}
    texts |= {f"arguments.{name}": value for name, value in given.items() if isinstance(value, str)}
    return replace(
        recorded,
        tool=tool.strip(),
        arguments=given,
        texts=texts,
        result=None,
        facts={},
        failed=False,
        ran=True,
    )
