"""Access to the server: a client needs the secret, a loopback name, and the server's own page as origin.

A page of another site that is open in the same browser can send requests to 127.0.0.1, and can
make a name of its own resolve to it (DNS rebinding). Neither gets past these checks.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

_LOOPBACK = re.compile(r"(?:127\.0\.0\.1|localhost)(?::[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class Access:
    """The secret of one run of the server, and the rules; the secret is never shown by ``repr``."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def refusal(self, path: str, hosts: Sequence[str], origins: Sequence[str], *, websocket: bool) -> str:
        """The reason why a request is refused, in one sentence; empty if the request is accepted.

        Args:
            path: the path of the request; its first part has to be the secret.
            hosts: the values of the header ``Host``. A forwarded port (``ssh -L``) may be another one.
            origins: the values of the header ``Origin``; a WebSocket has to have one.
            websocket: whether a WebSocket is asked for.
        """
        if len(hosts) != 1 or not _LOOPBACK.fullmatch(hosts[0]):
            return "This server answers to 127.0.0.1 and localhost only."
        if (origins or websocket) and list(origins) != [f"http://{hosts[0]}"]:
            return "This server talks to its own page only."
        if not self._knows(path):
            return "This address lacks the secret of the server; take the one that 'workbench serve' printed."
        return ""

    def _knows(self, path: str) -> bool:
        first = path.removeprefix("/").partition("/")[0]
        return secrets.compare_digest(first.encode("utf-8", "replace"), self.token.encode())
