"""Removing secrets from what is written: narrowly from a session's files, widely from the report of a crash.

The patterns for files match plain credentials only, so that a policy that mentions the words "token" or
"password" is not changed. A report is read by people only: everything that could be a key is removed from it.
"""

from __future__ import annotations

import os
import re

from workbench.model import Json

REDACTED = "[redacted]"

# Compiled at their first use, since most sessions are only read. A text that has none of the words before a
# pattern, in any case of letters, has nothing that it matches.
PATTERNS = (
    (("sk-",), r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}"),
    (
        ("ghp", "gho", "ghs", "ghr", "github", "xox", "hf"),
        r"(?<![A-Za-z0-9])(?:ghp|gho|ghs|ghr|github_pat|xox[abprs]|hf)[_-][A-Za-z0-9_-]{20,}",
    ),
    (("akia",), r"(?<![A-Za-z0-9])AKIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    (("bearer ",), r"(?i)(?<=bearer )\s*(?=[^\s]*\d)[A-Za-z0-9._~+/-]{16,}=*"),
    (
        ("private key",),
        r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    ),
)
ASSIGNED = r"""(?ix)
    (?P<name>\b(?:api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|secret[_-]?key)["']?\s*[:=]\s*["']?)
    (?P<value>(?!\[redacted\])[A-Za-z0-9._~+/-]{8,}=*)
    """
_ASSIGNED_WORDS = ("key", "token", "secret")
_SECRET_KEYS = (
    r"(?i)^(?:x-)?"
    r"(?:api[_-]?key|authorization|access[_-]?token|client[_-]?secret|secret[_-]?key|password|cookie)$"
)


_SECRET_VARIABLE = r"(?i)key|token|secret|passw|credential|auth"
_LIKE_A_KEY = r"(?i)\b(?:sk|pk|ghp|hf)[-_][A-Za-z0-9_-]{8,}|Bearer\s+\S+"
_SHORTEST_SECRET = 6


def redact(text: str) -> str:
    """The text with keys, bearer tokens and private keys replaced by ``[redacted]``.

    Redacting twice changes nothing.
    """
    folded = text.casefold()
    for words, pattern in PATTERNS:
        if any(word in folded for word in words):
            text = re.sub(pattern, REDACTED, text)
    if not any(word in folded for word in _ASSIGNED_WORDS):
        return text
    return re.sub(ASSIGNED, lambda match: match["name"] + REDACTED, text)


def redact_report(text: str) -> str:
    """A report without possible keys, and without the values of variables with secret-sounding names."""
    for name, value in os.environ.items():
        if re.search(_SECRET_VARIABLE, name) and len(value) >= _SHORTEST_SECRET:
            text = text.replace(value, f"[{name}]")
    return re.sub(_LIKE_A_KEY, REDACTED, redact(text))


def redact_json(value: Json) -> Json:
    """A copy of a JSON value with secrets removed from its strings and from fields with such names."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [redact_json(item) for item in value]
    if isinstance(value, dict):
        return {
            redact(key): REDACTED
            if isinstance(item, str) and re.match(_SECRET_KEYS, key)
            else redact_json(item)
            for key, item in value.items()
        }
    return value
