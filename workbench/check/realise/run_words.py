"""A realised run in words: each call with its result, the decided call last."""

from __future__ import annotations

import json
from collections.abc import Mapping

from workbench.clean_text import one_line
from workbench.model import Json, RecordedCall, Run

_USER_TEXT = "all_user"


def run_words(run: Run) -> tuple[str, ...]:
    """A line for what the user said and for each call: ``get_trip(trip_id="7") → {"cost_centre": "a"}``."""
    said = run.calls[-1].texts.get(_USER_TEXT, "")
    lines = [f"the user said: {one_line(said)}"] if said else []
    context = run.calls[-1].context
    lines += [f"context: {_values(context)}"] if context else []
    return (*lines, *(_call(call, decided=call is run.calls[-1]) for call in run.calls))


def _call(call: RecordedCall, *, decided: bool) -> str:
    when = f"{call.time}  " if call.time else ""
    approved = ", which a person approved" if call.approved else ""
    failed = "failed: " if call.failed else ""
    came = "" if decided and call.result is None else f" → {failed}{one_line(call.result or '')}"
    of = f"{call.tool}({_values(call.arguments or {})})"
    return f"{when}{of}{approved}{came}{'  ← decided' if decided else ''}"


def _values(values: Mapping[str, Json]) -> str:
    texts = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in values.items())
    return one_line(", ".join(texts))
