"""The tools of a running MCP server: asked over its standard input and output, or over HTTP."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import os
import shlex
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

from workbench.clean_text import one_line
from workbench.model import WorkbenchError

if TYPE_CHECKING:
    import httpx2
    from mcp import Client
    from mcp.client import Transport

SECONDS = 30.0
"""The time in which a server has to list its tools."""
MOST_BYTES = 32_000_000
_MOST_PAGES = 200


def mcp_tools(server: str, seconds: float = SECONDS) -> str:
    """The list of tools of an MCP server, as JSON text: of an http or https address, or of a command.

    The command is started as it is written, without a shell, and ended afterwards. Raises WorkbenchError,
    with the server, if it cannot be asked, answers something else, or does not answer in time.
    """
    if importlib.util.find_spec("mcp") is None:
        raise WorkbenchError(
            "To ask an MCP server needs mcp; install it with: pip install 'policy-workbench[mcp]'",
            exit_code=3,
        )
    with _without_logging():
        try:
            return asyncio.run(asyncio.wait_for(_asked(server), seconds))
        except TimeoutError:
            raise _refused(server, "it does not answer in time") from None
        except Exception as error:  # whatever a strange server makes the client raise
            raise _told(server, _first(error)) from None


async def _asked(server: str) -> str:
    from mcp import Client

    async with AsyncExitStack() as stack:
        transport = await stack.enter_async_context(_transport(server))
        client = await stack.enter_async_context(Client(transport))
        return await _listed(server, client)


async def _listed(server: str, client: Client) -> str:
    """The tools of all pages, as JSON text."""
    tools: list[object] = []
    cursors: set[str | None] = {None}
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += (tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools)
        cursor = page.next_cursor
        if not cursor:
            return json.dumps({"tools": tools})
        if cursor in cursors:
            raise _refused(server, "it lists the same tools again and again")
        cursors.add(cursor)
    raise _refused(server, f"its list has more than {_MOST_PAGES} pages")


@asynccontextmanager
async def _transport(server: str) -> AsyncGenerator[Transport]:
    """The way to a server; what it writes beside its messages is left out."""
    import httpx2
    from mcp.client.stdio import StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamable_http_client

    if server.startswith(("http://", "https://")):
        async with httpx2.AsyncClient(transport=_bounded(), timeout=SECONDS) as http:
            yield streamable_http_client(server, http_client=http)
        return
    try:
        words = shlex.split(server)
    except ValueError as error:
        raise _refused(server, f"the command cannot be read ({error})") from None
    if not words:
        raise WorkbenchError("Say which MCP server to ask: a command, or an http address.")
    command = StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ))
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        yield stdio_client(command, nowhere)


def _bounded() -> httpx2.AsyncBaseTransport:
    """A transport whose answers end in an error after ``MOST_BYTES``."""
    import httpx2

    class Body(httpx2.AsyncByteStream):
        def __init__(self, stream: httpx2.AsyncByteStream) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = MOST_BYTES
            async for part in self._stream:
                left -= len(part)
                if left < 0:
                    raise httpx2.ReadError(f"more than {MOST_BYTES} bytes")
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    class Bounded(httpx2.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            response = await super().handle_async_request(request)
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            return httpx2.Response(
                response.status_code,
                headers=response.headers,
                stream=Body(response.stream),
                extensions=response.extensions,
            )

    return Bounded()


@contextmanager
def _without_logging() -> Generator[None]:
    """Keep the client from writing a server's text to the terminal."""
    logger = logging.getLogger("mcp")
    was, logger.disabled = logger.disabled, True
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.disabled = was
        logger.setLevel(level)


def _first(error: Exception) -> Exception:
    """The first of errors that were raised together."""
    if isinstance(error, ExceptionGroup):
        return _first(cast("ExceptionGroup[Exception]", error).exceptions[0])
    return error


def _told(server: str, error: Exception) -> WorkbenchError:
    """A client's error as a sentence about the server."""
    from mcp import MCPError
    from mcp.types import CONNECTION_CLOSED
    from pydantic import ValidationError

    match error:
        case WorkbenchError():
            return error
        case ValidationError():
            return _refused(server, "its answer is none of MCP")
        case MCPError(code=code) if code == CONNECTION_CLOSED:
            return _refused(server, "it ended without an answer")
        case MCPError():
            return _refused(server, f"it answers with the error {error.message}")
        case OSError():
            return _refused(server, f"it cannot be started ({error.strerror})")
        case _:
            return _refused(server, f"it cannot be asked ({error or type(error).__name__})")


def _refused(server: str, why: str) -> WorkbenchError:
    return WorkbenchError(
        f"The MCP server {one_line(server, 80)} does not list its tools: {one_line(why, 200)}. "
        "Save the list as JSON and give the file with --agent."
    )
