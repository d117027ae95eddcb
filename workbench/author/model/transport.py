"""The HTTP client for a model's server: it bounds what the server sends, and follows no redirect.

A reply must be neither compressed nor redirected, and every line and event must end. Otherwise the reply is
refused with a sentence before its bytes are kept.
"""

from __future__ import annotations

import logging
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from functools import cache
from typing import Any, override

import httpx2
import openai

from workbench.author.model.errors import ModelError, shown_line

MOST_BYTES = 128 * 1024 * 1024
LONGEST_EVENT = 4 * 1024 * 1024
LONGEST_ERROR = 256 * 1024
_ENDS = (b"\n\n", b"\r\r", b"\r\n\r\n")
_LIBRARIES = ("openai", "httpx", "httpx2", "httpcore", "httpcore2")


def quiet_libraries() -> None:
    """Keep the libraries from writing to the terminal, whatever the environment sets."""
    for name in _LIBRARIES:
        logger = logging.getLogger(name)
        logger.propagate = False
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())


@cache
def certificates() -> ssl.SSLContext:
    """The trusted certificate authorities, read once: reading them takes longer than many calls."""
    return httpx2.create_ssl_context()


class BoundedClient(openai.DefaultAsyncHttpxClient):
    """Sends requests to one server; raises ModelError for a reply that is too long, encoded or a redirect."""

    def __init__(self, key_header: str = "", **options: Any) -> None:
        """Take the options of a client; ``key_header`` names the header for a key that is no bearer token."""
        super().__init__(**options)
        self._key_header = key_header

    @override
    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send the request, and check the head of the reply before any of its body is read."""
        request.headers["Accept-Encoding"] = "identity"
        if self._key_header:
            request.headers[self._key_header] = request.headers.pop("Authorization").removeprefix("Bearer ")
        options["follow_redirects"] = False
        response = await super().send(request, stream=True, **options)
        try:
            _check_head(response)
        except ModelError:
            await response.aclose()
            raise
        if isinstance(response.stream, httpx2.AsyncByteStream):
            limit = LONGEST_ERROR if response.is_error else MOST_BYTES
            response.stream = _BoundedStream(response.stream, limit)
        if not stream:
            await response.aread()
        return response


def _check_head(response: httpx2.Response) -> None:
    if 300 <= response.status_code < 400:
        to = shown_line(response.headers.get("location", "nowhere"))
        raise ModelError(
            f"The model's server redirects to {to}; nothing was sent there. If that is the model's server, "
            "set OPENAI_BASE_URL to it."
        )
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("", "identity"):
        how = shown_line(coding)
        raise ModelError(f"The model's server compresses its reply ({how}) without being asked to.")


class _BoundedStream(httpx2.AsyncByteStream):
    """The bytes of a body; raises ModelError if the body, or an event in it, is too long."""

    def __init__(self, stream: httpx2.AsyncByteStream, limit: int) -> None:
        self._stream = stream
        self._limit = limit

    @override
    async def __aiter__(self) -> AsyncGenerator[bytes]:
        total = since_end = 0
        tail = b""
        async with aclosing(_chunks(self._stream)) as chunks:
            async for chunk in chunks:
                total += len(chunk)
                tail += chunk
                place = max((tail.rfind(end) + len(end) for end in _ENDS if end in tail), default=-1)
                since_end = len(tail) - place if place >= 0 else since_end + len(chunk)
                tail = tail[-3:]
                if total > self._limit or since_end > LONGEST_EVENT:
                    raise ModelError("The model's server sends more than any reply can have; it was cut off.")
                yield chunk

    @override
    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()


async def _chunks(stream: AsyncIterator[bytes] | httpx2.AsyncByteStream) -> AsyncGenerator[bytes]:
    async for chunk in stream:
        yield chunk
