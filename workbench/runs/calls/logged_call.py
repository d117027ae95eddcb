"""A call of a log while it is assembled: its result may come later in the log than the call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from workbench.model import FACTS, Json, LookedUp, RecordedCall
from workbench.runs.values.jsontext import dump, parse_arguments, shared, shared_json
from workbench.runs.values.look_up_texts import look_up_texts

NOTHING: Mapping[str, Json] = MappingProxyType({})
_MOST_CONTEXTS, _LONGEST_CONTEXT = 1_024, 1_000
_CONTEXTS: dict[str, Mapping[str, Json]] = {}


def _shared_context(context: Mapping[str, Json], text: str) -> Mapping[str, Json]:
    """An equal context that is in memory already, if there is one: most calls of a run have the same."""
    if len(text) > _LONGEST_CONTEXT:
        return context
    if len(_CONTEXTS) > _MOST_CONTEXTS:
        _CONTEXTS.clear()
    return _CONTEXTS.setdefault(text, context)


@dataclass(slots=True)
class LoggedCall:
    """A call while it is assembled: its result may come later in the log than the call.

    ``context`` is its own if calls of one run differ in it; ``ran`` is False if the call was refused.
    ``message`` names the message that made it, if the log has it: calls of one message are one action.
    ``failed`` is True if the log flags it so; ``look_ups`` were made to decide the call. ``known_from`` is
    the number of calls of the run before its result, ``UNANSWERED`` until the result is read; 0 if the log
    holds both in one place. ``ended`` is the time of its result, in the form of ``time``.
    """

    tool: str | None
    raw: Json = None
    call_id: str | None = None
    time: str | None = None
    result: str | None = None
    texts: dict[str, str] = field(default_factory=dict[str, str])
    context: Mapping[str, Json] | None = None
    ran: bool = True
    message: str | None = None
    failed: bool = False
    look_ups: tuple[LookedUp, ...] = ()
    known_from: int = 0
    ended: str | None = None
    approved: bool | None = None
    granted: tuple[str, ...] = ()
    instance: str = ""

    def recorded_call(
        self,
        run: str,
        index: int,
        context: Mapping[str, Json],
        context_text: str | None,
        *,
        step: int | None = None,
        judged: Mapping[str, Json] = NOTHING,
    ) -> RecordedCall:
        """The finished call. Every string argument is also a text of its own, ``arguments.NAME``."""
        parsed, arguments_text = parse_arguments(self.raw)
        arguments = parsed and {shared(name): shared_json(value) for name, value in parsed.items()}
        if self.context is not None:
            context_text = dump(dict(self.context)) if self.context else None
            context = _shared_context(self.context, context_text or "")
        return RecordedCall(
            run=run,
            index=index,
            tool=self.tool and shared(self.tool),
            arguments=arguments,
            texts=self._call_texts(arguments, arguments_text, judged, context_text),
            context=context,
            result=self.result and shared(self.result),
            call_id=self.call_id,
            time=self.time,
            ran=self.ran,
            step=step,
            facts=judged,
            failed=self.failed,
            look_ups=self.look_ups,
            known_from=self.known_from,
            approved=self.approved,
            granted=self.granted,
            instance=self.instance,
        )

    def _call_texts(
        self,
        arguments: Mapping[str, Json] | None,
        arguments_text: str | None,
        judged: Mapping[str, Json],
        context_text: str | None,
    ) -> dict[str, str]:
        """The texts of the call by name: the texts of the log, then one for each part of the call."""
        texts = dict(self.texts)
        if self.tool is not None:
            texts["tool"] = self.tool
        if arguments_text is not None:
            texts["arguments"] = arguments_text
        for name, value in (arguments or {}).items():
            if isinstance(value, str):
                texts[f"arguments.{name}"] = value
        if self.result is not None:
            texts["result"] = self.result
        texts.update(look_up_texts(self.look_ups))
        if judged:
            texts[FACTS] = dump(dict(judged))
        if context_text is not None:
            texts["context"] = context_text
        return {shared(name): shared(text) for name, text in texts.items()}
