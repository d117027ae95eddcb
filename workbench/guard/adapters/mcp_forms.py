"""The forms of the MCP messages that a guard forwards: their fields, each with its exact name.

A message is rebuilt from these fields. Other keys are dropped; but a message with a key that a reader could
mistake for a field is refused. Features without a field here (tasks, sampling, elicitation, requests for more
input) are not announced as capabilities, so neither side asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workbench.guard.adapters.strict_json import Unclear
from workbench.guard.look_alike_names import folded, is_plain
from workbench.model import Json

type Form = Callable[[Json, str], Json]
"""Makes the forwarded value of a received value; the text is its place in the message, for Unclear."""

_NONE: Mapping[str, Form] = {}


def fields(
    required: Mapping[str, Form] = _NONE,
    optional: Mapping[str, Form] = _NONE,
    refused: frozenset[str] = frozenset(),
) -> Form:
    """An object with these fields; it is refused if a key is in ``refused`` or resembles a field."""
    form_by_key = {**required, **optional}
    near = {folded(name): name for name in (*form_by_key, *refused)}

    def rebuilt(value: Json, where: str) -> Json:
        if not isinstance(value, dict):
            raise Unclear(f"{where} is no object")
        for key in value:
            if key not in form_by_key and (near_name := near.get(folded(key))) is not None:
                raise Unclear(f"{where} has the key {key!a}, which is {near_name!r} to some readers")
            if not is_plain(key):
                raise Unclear(f"{where} has the key {key!a}, which is no name in the protocol")
        for key in required:
            if key not in value:
                raise Unclear(f"{where} lacks {key!r}")
        return {
            key: form(value[key], f"{where}.{key}")
            for key, form in form_by_key.items()
            if key in required or value.get(key) is not None  # null means absent
        }

    return rebuilt


def text(value: Json, where: str) -> Json:
    """Any text."""
    if not isinstance(value, str):
        raise Unclear(f"{where} is no text")
    return value


def truth(value: Json, where: str) -> Json:
    """True or false."""
    if not isinstance(value, bool):
        raise Unclear(f"{where} is not true or false")
    return value


def number(value: Json, where: str) -> Json:
    """A number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unclear(f"{where} is no number")
    return value


def identifier(value: Json, where: str) -> Json:
    """The id of a request: a text or an integer."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | str)
        or (isinstance(value, str) and len(value) > 256)
    ):
        raise Unclear(f"{where} is no id: a text or an integer")
    return value


def anything(value: Json, where: str) -> Json:
    """Any data: its form is not part of the protocol, and it is forwarded as it was parsed."""
    del where
    return value


def an_object(value: Json, where: str) -> Json:
    """Any object."""
    if not isinstance(value, dict):
        raise Unclear(f"{where} is no object")
    return value


def exactly(*texts: str) -> Form:
    """One of these texts."""

    def rebuilt(value: Json, where: str) -> Json:
        if value not in texts:
            raise Unclear(f"{where} is not {' or '.join(texts)}")
        return value

    return rebuilt


def list_of(form: Form) -> Form:
    """A list of values of one form."""

    def rebuilt(value: Json, where: str) -> Json:
        if not isinstance(value, list):
            raise Unclear(f"{where} is no list")
        return [form(item, f"{where}[{place}]") for place, item in enumerate(value)]

    return rebuilt


def by_type(kinds: Mapping[str, Form]) -> Form:
    """An object whose ``type`` selects one of the forms."""

    def rebuilt(value: Json, where: str) -> Json:
        kind = value.get("type") if isinstance(value, dict) else None
        if not isinstance(kind, str) or kind not in kinds:
            raise Unclear(f"{where} has no known type")
        return kinds[kind](value, where)

    return rebuilt


_OWN = "io.modelcontextprotocol/"
_PARTY = fields(
    {"name": text, "version": text}, {"title": text, "description": text, "websiteUrl": text}
)  # fmt: skip
_NO_CAPABILITIES = fields()
_CLIENT_META = fields(
    optional={
        "progressToken": identifier,
        f"{_OWN}protocolVersion": text,
        f"{_OWN}clientInfo": _PARTY,
        f"{_OWN}clientCapabilities": _NO_CAPABILITIES,
        f"{_OWN}logLevel": text,
    }
)
_PARAMETERS = fields(optional={"_meta": _CLIENT_META})
_SERVER_META = fields(optional={f"{_OWN}serverInfo": _PARTY})
_SERVER_CAPABILITIES = fields(
    optional={"tools": fields(optional={"listChanged": truth}), "logging": fields()}
)
_ANNOTATIONS = fields(optional={"audience": list_of(text), "priority": number, "lastModified": text})
_CONTENTS = fields({"uri": text}, {"mimeType": text, "text": text, "blob": text})
_NOTED: Mapping[str, Form] = {"annotations": _ANNOTATIONS}
_DATA: Mapping[str, Form] = {"data": text, "mimeType": text}
_RESULT: Mapping[str, Form] = {"resultType": exactly("complete"), "_meta": _SERVER_META}
_CACHED: Mapping[str, Form] = {"ttlMs": number, "cacheScope": text}
CONTENT = by_type(
    {
        "text": fields({"type": text, "text": text}, _NOTED),
        "image": fields({"type": text, **_DATA}, _NOTED),
        "audio": fields({"type": text, **_DATA}, _NOTED),
        "resource": fields({"type": text, "resource": _CONTENTS}, _NOTED),
        "resource_link": fields(
            {"type": text, "uri": text, "name": text},
            {"title": text, "description": text, "mimeType": text, "size": number, **_NOTED},
        ),
    }
)
TOOL = fields(
    {"name": text, "inputSchema": an_object},
    {
        "title": text,
        "description": text,
        "outputSchema": an_object,
        "annotations": fields(
            optional={
                "title": text,
                "readOnlyHint": truth,
                "destructiveHint": truth,
                "idempotentHint": truth,
                "openWorldHint": truth,
            }
        ),
    },
)

# The requests of a client, with the form of their parameters.
REQUESTS: Mapping[str, Form] = {
    "initialize": fields(
        {"protocolVersion": text, "capabilities": _NO_CAPABILITIES, "clientInfo": _PARTY},
        {"_meta": _CLIENT_META},
    ),
    "server/discover": _PARAMETERS,
    "ping": _PARAMETERS,
    "logging/setLevel": fields({"level": text}, {"_meta": _CLIENT_META}),
    "tools/list": fields(optional={"cursor": text, "_meta": _CLIENT_META}),
    "tools/call": fields(
        {"name": text},
        {"arguments": an_object, "_meta": _CLIENT_META},
        refused=frozenset({"task", "inputResponses", "requestState"}),
    ),
}
# The notifications of a client.
NOTIFICATIONS: Mapping[str, Form] = {
    "notifications/initialized": fields(),
    "notifications/cancelled": fields({"requestId": identifier}, {"reason": text}),
}
# The results of a server for each request.
RESULTS: Mapping[str, Form] = {
    "initialize": fields(
        {"protocolVersion": text, "capabilities": _SERVER_CAPABILITIES, "serverInfo": _PARTY},
        {"instructions": text, **_RESULT},
    ),
    "server/discover": fields(
        {"supportedVersions": list_of(text), "capabilities": _SERVER_CAPABILITIES},
        {"serverInfo": _PARTY, "instructions": text, **_RESULT, **_CACHED},
    ),
    "ping": fields(optional=_RESULT),
    "logging/setLevel": fields(optional=_RESULT),
    "tools/list": fields({"tools": list_of(anything)}, {"nextCursor": text, **_RESULT, **_CACHED}),
    "tools/call": fields(
        {"content": list_of(CONTENT)},
        {"structuredContent": anything, "isError": truth, **_RESULT},
        refused=frozenset({"task", "inputRequests", "requestState"}),
    ),
}
ERROR = fields({"code": number, "message": text}, {"data": anything})
# The notifications of a server.
SERVER_NOTIFICATIONS: Mapping[str, Form] = {
    "notifications/progress": fields(
        {"progressToken": identifier, "progress": number}, {"total": number, "message": text}
    ),
    "notifications/message": fields({"level": text, "data": anything}, {"logger": text}),
    "notifications/tools/list_changed": fields(),
}
_ENVELOPE: Mapping[str, Form] = {
    "id": identifier, "method": text, "params": anything, "result": anything, "error": anything,
}  # fmt: skip
ENVELOPE = fields({"jsonrpc": exactly("2.0")}, _ENVELOPE)
