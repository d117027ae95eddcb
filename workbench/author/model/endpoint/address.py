"""The address of an endpoint: its base address, the query of every request, and how the key is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

from workbench.author.model.endpoint.abilities import Api
from workbench.author.model.errors import ModelError

OPENAI = "https://api.openai.com/v1"
_AZURE = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
_ENDINGS = {"/chat/completions": Api.CHAT, "/responses": Api.RESPONSES, "/models": None}
_KEY_HEADER = "api-key"


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint's address.

    ``key_header`` is empty if the key is sent as a bearer token. ``api`` is the protocol that the address
    names, if it names one. ``strict`` means that such servers are known to enforce strict schemas.
    """

    base_url: str
    query: Mapping[str, str]
    key_header: str = ""
    api: Api | None = None
    strict: bool = False

    @property
    def host(self) -> str:
        """The name of the server."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this machine and needs no key."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def shown(self) -> str:
        """The address without a user's name and password."""
        parts = urlsplit(self.base_url)
        port = f":{parts.port}" if parts.port else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return urlunsplit((parts.scheme, f"{host}{port}", parts.path, "", ""))


def address_of(
    base_url: str | None, model: str, *, azure: bool = False, api_version: str = "", key_header: str = ""
) -> Address:
    """The address of a model's endpoint, as people copy it: with or without the path of a call.

    An Azure resource is reached in both styles: by deployment if an API version is given (in the address or
    separately), else at ``/openai/v1``. Raises ModelError if the text is no web address.
    """
    text = (base_url or OPENAI).strip()
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").lower()
        _ = parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    if parts.scheme not in ("http", "https") or not host:
        raise ModelError(
            "OPENAI_BASE_URL is no web address; set it to one such as http://localhost:11434/v1."
        )
    path, api = parts.path.rstrip("/"), None
    for ending, names in _ENDINGS.items():
        if path.endswith(ending):
            path, api = path.removesuffix(ending), names
    query = dict(parse_qsl(parts.query))
    if api_version:
        query["api-version"] = api_version
    if azure := azure or host.endswith(_AZURE):
        path = _azure_path(path, model, query)
    header = key_header or (_KEY_HEADER if azure else "")
    header = "" if header.lower() == "authorization" else header
    base = urlunsplit((parts.scheme, parts.netloc, path, "", ""))
    return Address(base, query, header, api, strict=azure or host == "api.openai.com")


def _azure_path(path: str, model: str, query: Mapping[str, str]) -> str:
    """The path of an Azure resource, completed because it is often left out."""
    if path not in ("", "/openai"):
        return path
    if query.get("api-version", "v1") in ("v1", "preview"):
        return "/openai/v1"
    return f"/openai/deployments/{quote(model, safe='')}"
