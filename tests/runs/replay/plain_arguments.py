"""The arguments of a policy over plain arguments, each at a path into a recorded call that a test states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.model import Argument, Extracted, Json, Kind, Provenance, RecordedCall, span_of
from workbench.runs.extract.extractor import Extractor
from workbench.runs.values.coerce import coerce
from workbench.runs.values.found_value import Missing
from workbench.runs.values.json_places import Path, locate


class PlainExtractor(Extractor):
    """Reads each argument at its path, such as ``arguments.amount``; its first part names a text."""

    def __init__(self, paths: Mapping[Argument, str]) -> None:
        """Take the path of each argument."""
        self._paths = {argument: path.split(".") for argument, path in paths.items()}

    def extract(self, call: RecordedCall, history: Sequence[RecordedCall] = ()) -> Mapping[str, Extracted]:
        """The values, each with its place."""
        del history
        return {argument.name: _extracted(call, argument, *path) for argument, path in self._paths.items()}


def _extracted(call: RecordedCall, argument: Argument, root: str, *keys: str) -> Extracted:
    value: Json = {"tool": call.tool, "arguments": call.arguments, "context": call.context}[root]  # type: ignore[dict-item] # a mapping is JSON
    if value is None:
        return Extracted(missing=f"the log does not say the {root} of the call")
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    try:
        fitted = coerce(value, argument.type)
    except Missing as missing:
        return Extracted(None, (_place(call, root, keys),), str(missing))
    items: dict[str, tuple[Provenance, ...]] = {}
    if argument.type.kind is Kind.SET and isinstance(value, list):
        items = {str(item): (_place(call, root, (*keys, at)),) for at, item in enumerate(value)}
    places = tuple(place for found in items.values() for place in found)
    return Extracted(fitted, places or (_place(call, root, keys),), None, items)


def _place(call: RecordedCall, root: str, path: Path) -> Provenance:
    text = call.texts.get(root)
    place = None if text is None else locate(text, path) if path else (0, len(text))
    return Provenance("path", root, () if text is None or place is None else (span_of(text, *place),))
