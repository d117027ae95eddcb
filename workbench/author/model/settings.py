"""Settings of endpoint, model and budget. The key is read when a call is made and never stored.

The address of an endpoint: its base address, the query of every request, and how the key is sent.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

from workbench.author.model.endpoint.abilities import Api, Form
from workbench.author.model.errors import ModelError
from workbench.model import WorkbenchError

_SECONDS = 120.0
_TOKENS_IN_TIME = 4096  # reply tokens that ``seconds`` suffices for; more get more time
_ROUNDS = 3
_THINKING = 16_384
_AT_ONCE = 4
_KEYS = ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY")


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The settings for reaching a model, and the limits of a session.

    ``seconds`` bounds one attempt (``seconds_for``); ``attempts`` bounds the tries for one call.
    ``deadline`` bounds the seconds in which calls run, all together; 0 is no bound. The budgets
    are for the whole session: ``budget_tokens`` for tokens of prompts and replies together, ``budget_money``
    in the currency of the prices. A budget of 0 is no budget. Prices are for a million tokens; without one,
    the tables of prices are used.

    ``rounds`` bounds the refinement of a draft. ``parallel`` is the most calls at the same time; 0 chooses
    by the place of the server. ``critics`` names the critics of a draft, separated by commas; empty for all.

    ``api`` and ``form`` fix how the endpoint is asked; empty to find out what it accepts. ``effort`` is the
    setting of a reasoning model, and ``thinking_tokens`` the most tokens that its reply may have in addition
    to ``reply_tokens``. ``azure``, ``api_version`` and ``key_header`` are for addresses from which they
    cannot be inferred.
    """

    model: str
    base_url: str | None = None
    temperature: float = 0.0
    seed: int | None = 1
    reply_tokens: int = 4096
    seconds: float = _SECONDS
    deadline: float = 0
    attempts: int = 4
    budget_tokens: int = 0
    budget_money: float = 0.0
    price_prompt: float | None = None
    price_reply: float | None = None
    rounds: int = 3
    parallel: int = 0
    critics: str = ""
    api: str = ""
    form: str = ""
    effort: str = ""
    thinking_tokens: int = _THINKING
    azure: bool = False
    api_version: str = ""
    key_header: str = ""

    def seconds_for(self, tokens: int) -> float:
        """The time limit of one attempt, in seconds, by the most tokens that its reply may have."""
        return self.seconds * max(1.0, tokens / _TOKENS_IN_TIME)

    @property
    def address(self) -> Address:
        """The address of the endpoint; raises ModelError if it is no web address."""
        return address_of(
            self.base_url,
            self.model,
            azure=self.azure,
            api_version=self.api_version,
            key_header=self.key_header,
        )

    @property
    def at_once(self) -> int:
        """The most calls at the same time; 1 for a server on this machine unless ``parallel`` is set."""
        if self.parallel:
            return self.parallel
        try:
            return 1 if self.address.is_local else _AT_ONCE
        except ModelError:  # the first call reports the fault in the address
            return 1


def settings_from(environment: Mapping[str, str]) -> ModelSettings | None:
    """The settings that the environment names, or None if it names no model.

    ``WORKBENCH_MODEL`` and ``OPENAI_BASE_URL`` name the model and its endpoint. ``WORKBENCH_MODEL_SECONDS``
    bounds one attempt for each 4,096 tokens of its reply, ``WORKBENCH_MODEL_DEADLINE`` all calls together.
    ``WORKBENCH_BUDGET_TOKENS`` and
    ``WORKBENCH_BUDGET_MONEY`` bound the session. ``WORKBENCH_PRICE_PROMPT`` and ``WORKBENCH_PRICE_REPLY`` are
    for a million tokens. ``WORKBENCH_MODEL_REPLY_TOKENS`` bounds a reply. ``WORKBENCH_MODEL_THINKING_TOKENS``
    bounds the thinking before it, and so does ``WORKBENCH_MODEL_EFFORT`` in the server's words.

    ``WORKBENCH_MODEL_ROUNDS``, ``WORKBENCH_MODEL_PARALLEL`` and ``WORKBENCH_CRITICS`` set how a policy is
    drafted. ``WORKBENCH_MODEL_API``
    and ``WORKBENCH_MODEL_FORM`` set how the endpoint is asked. ``AZURE_OPENAI_ENDPOINT`` is an address of
    Azure, ``OPENAI_API_VERSION`` its version.

    Raises WorkbenchError for a value that is not a number, or not one of the known words.
    """
    model = environment.get("WORKBENCH_MODEL", "").strip()
    if not model:
        return None
    azure = environment.get("AZURE_OPENAI_ENDPOINT", "").strip()
    named = environment.get("OPENAI_BASE_URL", "").strip()
    return ModelSettings(
        model=model,
        base_url=named or azure or None,
        seconds=_number(environment, "WORKBENCH_MODEL_SECONDS") or _SECONDS,
        deadline=_number(environment, "WORKBENCH_MODEL_DEADLINE"),
        budget_tokens=int(_number(environment, "WORKBENCH_BUDGET_TOKENS")),
        budget_money=_number(environment, "WORKBENCH_BUDGET_MONEY"),
        price_prompt=_price(environment, "WORKBENCH_PRICE_PROMPT"),
        price_reply=_price(environment, "WORKBENCH_PRICE_REPLY"),
        reply_tokens=int(_number(environment, "WORKBENCH_MODEL_REPLY_TOKENS")) or 4096,
        rounds=int(_number(environment, "WORKBENCH_MODEL_ROUNDS", _ROUNDS)),
        parallel=int(_number(environment, "WORKBENCH_MODEL_PARALLEL")),
        critics=environment.get("WORKBENCH_CRITICS", "").strip(),
        api=_word(environment, "WORKBENCH_MODEL_API", ("", *Api)),
        form=_word(environment, "WORKBENCH_MODEL_FORM", ("", *Form)),
        effort=_matching(environment, "WORKBENCH_MODEL_EFFORT", r"[a-z]{0,20}"),
        thinking_tokens=int(_number(environment, "WORKBENCH_MODEL_THINKING_TOKENS", _THINKING)),
        azure=bool(azure and not named),
        api_version=_matching(environment, "OPENAI_API_VERSION", r"[\w.-]{0,40}"),
        key_header=_matching(environment, "WORKBENCH_MODEL_KEY_HEADER", r"[A-Za-z0-9-]{0,60}"),
    )


def _price(environment: Mapping[str, str], name: str) -> float | None:
    """The price in a variable; None if it is not set."""
    return _number(environment, name) if environment.get(name, "").strip() else None


def _matching(environment: Mapping[str, str], name: str, pattern: str) -> str:
    """The text in a variable; raises WorkbenchError if it does not match ``pattern``."""
    text = environment.get(name, "").strip()
    if not re.fullmatch(pattern, text):
        raise WorkbenchError(f"{name} is {text[:40]!r}, which it cannot be; leave it out if in doubt.")
    return text


def _word(environment: Mapping[str, str], name: str, words: tuple[str, ...]) -> str:
    """The word in a variable; raises WorkbenchError if it is none of ``words``."""
    word = environment.get(name, "").strip().lower()
    if word not in words:
        known_words = " or ".join(filter(None, words))
        raise WorkbenchError(f"{name} is {word[:40]!r}; set it to {known_words}, or leave it out.")
    return word


def _number(environment: Mapping[str, str], name: str, otherwise: float = 0) -> float:
    """The number in a variable; ``otherwise`` if it is not set."""
    text = environment.get(name, "").strip()
    try:
        value = float(text or otherwise)
    except ValueError:
        value = -1.0
    if not (math.isfinite(value) and value >= 0):
        raise WorkbenchError(f"{name} is {text[:40]!r}; set it to a number, or leave it out.")
    return value


def key_of(settings: ModelSettings, environment: Mapping[str, str] = os.environ) -> str:
    """The key for an endpoint; for a server on this machine only if one is set, since it needs none."""
    named = any(environment.get(name, "").strip() for name in _KEYS)
    if settings.address.is_local and not named:
        return "none"
    return read_key(environment)


def read_key(environment: Mapping[str, str] = os.environ) -> str:
    """The key from the environment or the system's keyring; raises WorkbenchError if there is none.

    ``OPENAI_API_KEY`` takes precedence over ``AZURE_OPENAI_API_KEY``.
    """
    keys = (environment.get(name, "").strip() for name in _KEYS)
    key = next(filter(None, keys), "") or _from_keyring()
    if not key:
        raise WorkbenchError(
            "No key for the model was found. Set OPENAI_API_KEY, or store one with "
            "`keyring set workbench openai`; a local server takes any text.",
            exit_code=3,
        )
    if not (key.isascii() and key.isprintable()):
        raise WorkbenchError(
            "The key for the model has a character that no key has; copy it anew.", exit_code=3
        )
    return key


def _from_keyring() -> str:
    """The key stored under workbench/openai, if the optional keyring package is installed."""
    try:
        import keyring  # pyright: ignore[reportMissingImports]  an optional package
    except ImportError:
        return ""
    try:
        password = keyring.get_password("workbench", "openai")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  untyped where absent
    except Exception:  # a keyring without a usable backend has no key
        return ""
    return password if isinstance(password, str) else ""


_OPENAI = "https://api.openai.com/v1"
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
    text = (base_url or _OPENAI).strip()
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
