"""An action of a log while it is put together: its result may stand later than the call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import cast

from workbench.model import FACTS, Json, LookedUp, RecordedCall
from workbench.runs.values.jsontext import dump, parse_arguments
from workbench.runs.values.look_up_texts import look_up_texts

NOTHING: Mapping[str, Json] = MappingProxyType({})


@dataclass(slots=True)
class LoggedCall:
    """An action being put together: its result may stand later in the log than the call.

    ``context`` is its own where calls of one run differ in it; ``ran`` is False if it was refused.
    ``message`` names the message that made it, where the log tells: calls of one message are one action.
    ``failed`` is True where the log flags it so; ``look_ups`` were made to decide it. ``known_from`` is how
    many calls of the run stand before its result, ``UNANSWERED`` until that is read; 0 where the log holds
    both in one place. ``ended`` is when its result came, in the form of ``time``.
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

    def recorded_call(
        self,
        run: str,
        index: int,
        context: Mapping[str, Json],
        context_text: str | None,
        *,
        texts: bool = True,
        step: int | None = None,
        judged: Mapping[str, Json] = NOTHING,
    ) -> RecordedCall:
        """The finished call. Every string argument is also a text of its own, ``arguments.NAME``.

        ``texts`` is False where nobody will see them.
        """
        call_texts: Mapping[str, str] = {}
        if texts:
            arguments, arguments_text = parse_arguments(self.raw)
            if self.context is not None:
                context_text = dump(dict(self.context)) if self.context else None
            call_texts = self._call_texts(arguments, arguments_text, judged, context_text)
        elif isinstance(self.raw, dict):  # texts are most of the work: no text of the arguments either
            arguments = cast("dict[str, Json]", self.raw)
        else:
            arguments, _ = parse_arguments(self.raw)
        return RecordedCall(
            run=run,
            index=index,
            tool=self.tool,
            arguments=arguments,
            texts=call_texts,
            context=context if self.context is None else self.context,
            result=self.result,
            call_id=self.call_id,
            time=self.time,
            ran=self.ran,
            step=step,
            facts=judged,
            failed=self.failed,
            look_ups=self.look_ups,
            known_from=self.known_from,
        )

    def _call_texts(
        self,
        arguments: Mapping[str, Json] | None,
        arguments_text: str | None,
        judged: Mapping[str, Json],
        context_text: str | None,
    ) -> dict[str, str]:
        """The texts of the call by name: those of the log, then one for each part of it."""
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
        return texts
