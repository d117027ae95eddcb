"""The HTTP headers that an MCP guard reads: each once, by its exact name, with a plain value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.message import Message as HeaderBlock

from workbench.guard.look_alike_names import folded

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\x20-\x7e\t]*")
_SESSION = re.compile(r"[\x21-\x7e]{1,256}")
_KIND = re.compile(r"[\x21-\x2b\x2d-\x7e]{1,256}")  # a comma joins headers of one name
_VERSION = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LENGTH = re.compile(r"[0-9]{1,9}")
_JSON = re.compile(r"application/json(?:\s*;\s*charset=\"?utf-8\"?)?", re.IGNORECASE)
SESSION = "Mcp-Session-Id"
VERSION = "Mcp-Protocol-Version"
METHOD = "Mcp-Method"
NAME = "Mcp-Name"
LAST_EVENT = "Last-Event-ID"
RUN = "Workbench-Run"
"""The header by which a client names its run; it is not sent on."""
AGENT = "Workbench-Agent"
"""The header by which a client names the kind of subagent that sends the request; it is not sent on."""
_READ = (
    "Host", "Origin", "Authorization", "Content-Type", "Content-Length", "Content-Encoding",
    "Transfer-Encoding", SESSION, VERSION, METHOD, NAME, LAST_EVENT, RUN, AGENT,
)  # fmt: skip


def read_headers(block: HeaderBlock) -> tuple[dict[str, str], str]:
    """The headers that the guard reads, by their names in ``_READ``, and the problem with the block.

    Problems are two headers of one name, a name that some server would mistake for one of them, a folded or
    malformed line, and a value with characters other than visible ASCII. The problem is empty if there is
    none.
    """
    if block.defects or block.get_payload() or block.get_unixfrom():
        return {}, "A line of the headers is malformed."
    near = {folded(name): name for name in _READ}
    headers: dict[str, str] = {}
    seen_names: set[str] = set()
    for name, value in block.raw_items():
        value = str(value)
        if not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
            return {}, "A header has a name or a value that is not plain."
        if folded(name) in seen_names:
            return {}, f"The header {name} is there twice."
        seen_names.add(folded(name))
        known_name = near.get(folded(name))
        if known_name is not None:
            if name.lower() != known_name.lower():
                return {}, f"The header {name} is {known_name} to some servers."
            headers[known_name] = value.strip()
    return headers, ""


def problem_of(headers: Mapping[str, str]) -> str:
    """The reason why a client may not send these values of MCP headers; empty if it may."""
    if not _SESSION.fullmatch(headers.get(SESSION, "x")):
        return f"{SESSION} is no name of a session."
    if not _SESSION.fullmatch(headers.get(RUN, "x")):
        return f"{RUN} is no name of a run."
    if not _KIND.fullmatch(headers.get(AGENT, "x")):
        return f"{AGENT} is no name of a kind of subagents."
    if not _VERSION.fullmatch(headers.get(VERSION, "2025-03-26")):
        return f"{VERSION} is no version."
    if not _SESSION.fullmatch(headers.get(LAST_EVENT, "x")):
        return f"{LAST_EVENT} is no id of an event."
    return ""


def content_length(headers: Mapping[str, str]) -> int:
    """The length of the JSON body; 0 if there is none or the body has another form or coding."""
    length = headers.get("Content-Length", "")
    is_plain = headers.get("Content-Encoding", "identity").lower() == "identity"
    if (
        "Transfer-Encoding" in headers
        or not is_plain
        or not is_json(headers.get("Content-Type", "application/json"))
    ):
        return 0
    return int(length) if _LENGTH.fullmatch(length) else 0


def is_json(content_type: str) -> bool:
    """Whether a media type says that a body is JSON in UTF-8."""
    return _JSON.fullmatch(content_type.strip()) is not None


def session_of(values: list[str]) -> str:
    """The session that a server names, or an empty text; raises ValueError for several or a malformed one."""
    if not values:
        return ""
    if len(values) > 1 or not _SESSION.fullmatch(values[0]):
        raise ValueError("the server's session has no plain name")
    return values[0]
