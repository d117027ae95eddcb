"""The known abilities of an endpoint, and what is left out after a refusal.

No configuration is needed. A request begins with everything that servers usually accept. A refusal that names
a part of the request is remembered: this endpoint does not accept the part.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum


class Api(StrEnum):
    """The two protocols."""

    CHAT = "chat"
    RESPONSES = "responses"


class Form(StrEnum):
    """The ways to make the server reply with JSON, the strictest first."""

    STRICT = "strict"
    SCHEMA = "schema"
    JSON = "json"
    TOOL = "tool"
    PROMPT = "prompt"


class TokenLimitName(StrEnum):
    """The name of a chat completion's parameter for the most tokens of its reply."""

    COMPLETION = "max_completion_tokens"
    TOKENS = "max_tokens"
    NONE = ""


@dataclass(frozen=True, slots=True)
class Abilities:
    """The parts of a request that an endpoint accepts, and the properties of its replies.

    ``told`` means that the prompt contains the form of the reply too, because the server does not enforce it.
    ``system`` means that system messages are accepted; otherwise their text is put before the first user
    message. ``usage`` means that a stream can be asked to count its tokens. ``thinks`` means that the model
    spends tokens of its reply on thinking. ``most_tokens`` is the highest limit of a reply that the endpoint
    accepts (0 if unknown). ``proved`` means that a call with these abilities was answered.
    """

    api: Api = Api.CHAT
    form: Form = Form.SCHEMA
    told: bool = False
    limit: TokenLimitName = TokenLimitName.COMPLETION
    temperature: bool = True
    seed: bool = True
    effort: bool = True
    system: bool = True
    usage: bool = True
    streams: bool = True
    thinks: bool = False
    most_tokens: int = 0
    proved: bool = False

    @property
    def form_in_prompt(self) -> bool:
        """Whether the prompt has to contain the form."""
        return self.told or self.form in (Form.JSON, Form.PROMPT)


PLAINEST = Abilities(
    form=Form.PROMPT, limit=TokenLimitName.TOKENS, temperature=False, seed=False, effort=False, system=False,
    usage=False,
)  # fmt: skip

_RESPONSES_ONLY = re.compile(r"v1/responses|responses api|not a chat model", re.I)
_NUMBER = re.compile(
    r"(?:at most|maximum(?: allowed)?(?: value)?(?: is| of)?|less than or equal to|<=|up to)"
    r"\D{0,30}?(\d{2,7})",
    re.I,
)
_FORM = re.compile(
    r"response_format|text\.format|json_schema|json_object|json mode|schema|strict|structured|grammar|\btool",
    re.I,
)


def weakened(
    abilities: Abilities, message: str, parameter: str = "", *, api_fixed: bool = False
) -> Abilities:
    """The abilities without what a refusal is about; unchanged if the refusal names nothing.

    ``parameter`` is the part of the request that the server names, if it names one. With ``api_fixed`` the
    protocol is kept.
    """
    about = parameter or message
    if _RESPONSES_ONLY.search(message) and abilities.api is Api.CHAT and not api_fixed:
        return replace(abilities, api=Api.RESPONSES)
    if re.search(r"stream_options|include_usage", about) and abilities.usage:
        return replace(abilities, usage=False)
    if re.search(r"max_(completion_|output_)?tokens", about):
        return _limited(abilities, message)
    if "temperature" in about and abilities.temperature:
        return replace(abilities, temperature=False)
    if re.search(r"\bseed\b", about) and abilities.seed:
        return replace(abilities, seed=False)
    if re.search(r"reasoning|effort", about) and abilities.effort:
        return replace(abilities, effort=False)
    if _about_roles(parameter, message) and abilities.system:
        return replace(abilities, system=False)
    if _FORM.search(about) or _FORM.search(message):
        return replace(abilities, form=_next_form(abilities.form))
    if re.search(r"\bstream", about) and abilities.streams:
        return replace(abilities, streams=False, usage=False)
    return abilities


def _about_roles(parameter: str, message: str) -> bool:
    if re.search(r"system role|developer role|\brole\b.*\b(system|developer)\b", message, re.I | re.S):
        return True
    return (
        bool(re.search(r"['\"](system|developer)['\"]", message)) and "role" in (parameter + message).lower()
    )


def _limited(abilities: Abilities, message: str) -> Abilities:
    """Another limit of replies: a smaller number if the server names one, else another name, else none."""
    if re.search(r"context", message, re.I):  # the server names the number of tokens that the prompt leaves
        return replace(abilities, limit=TokenLimitName.NONE)
    match = _NUMBER.search(message)
    if match and (not abilities.most_tokens or int(match[1]) < abilities.most_tokens):
        return replace(abilities, most_tokens=int(match[1]))
    next_by_limit = {
        TokenLimitName.COMPLETION: TokenLimitName.TOKENS,
        TokenLimitName.TOKENS: TokenLimitName.NONE,
        TokenLimitName.NONE: TokenLimitName.NONE,
    }
    return replace(abilities, limit=next_by_limit[abilities.limit])


def _next_form(form: Form) -> Form:
    forms = list(Form)
    return forms[min(forms.index(form) + 1, len(forms) - 1)]
