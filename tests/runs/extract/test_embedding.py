"""Values learned from examples: the classifier, the memory of a session, and the embedding model."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.runs.extract.read_texts import read_text
from workbench.app.workbench import Workbench
from workbench.model import (
    ArgumentType,
    Demonstration,
    Extracted,
    Extraction,
    Json,
    Kind,
    Verdict,
    WorkbenchError,
)
from workbench.runs.extract import embedding_model
from workbench.runs.extract.embedding_model import DIMENSIONS, FOLDER, Classifier, embedder

ROOT = Path(__file__).parents[3]
VALUES = ("book_flight", "book_hotel", "other")
ACTION = ArgumentType(Kind.ENUM, VALUES)
EXAMPLES: dict[str, Json] = {
    "book_flight": ["find a flight to Rome", "book a plane ticket", "nonstop flight on Monday"],
    "book_hotel": ["book a hotel room", "a hotel near the beach", "find a room for two nights"],
    "other": ["show the weather", "read the news", "find a recipe"],
}


class Words:
    """An embedder whose vectors are the words of a text, so that likeness is the number of common words."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.casefold().split():
                row[crc32(word.encode()) % DIMENSIONS] += 1.0
            row /= max(float(np.linalg.norm(row)), 1e-9)
        return rows


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_model, "embedder", Words)


def demonstration(name: str, task: str, plan: str, *, enabled: bool = True) -> Demonstration:
    return Demonstration(name, f"Task: {task}\nage: 30", "done", (task, plan, "", ""), "label = 0", enabled)


MEMORY = (
    demonstration("rome", "Find a flight to Rome", "The task belongs to the action book_flight."),
    demonstration("room", "Book a hotel room for two", "action: book_hotel"),
    demonstration("both", "Find anything", "Either action book_hotel or action book_flight."),
    demonstration("none", "Find something", "Another action altogether, perhaps other."),
    demonstration("off", "Read the news aloud", "The action is other.", enabled=False),
)


def learned(
    name: str,
    text: str,
    demonstrations: Sequence[Demonstration] | None = None,
    type_: ArgumentType = ACTION,
    **options: Json,
) -> Extracted:
    whole = f"Task: {text}\nage: 3"
    options = {"field": "Task", **options}
    return read_text(whole, type_, name, "action", demonstrations, **options)


def taught(name: str, text: str, demonstrations: Sequence[Demonstration]) -> Extracted:
    return learned(name, text, demonstrations, memory=True, confidence=0.0)


# --- the classifier -----------------------------------------------------------------


def test_the_classifier_separates_what_can_be_separated_and_its_chances_sum_to_one() -> None:
    random = np.random.default_rng(7)
    centres = random.normal(size=(3, DIMENSIONS))
    labels = [name for name, count in (("a", 40), ("b", 10), ("c", 10)) for _ in range(count)]
    rows = np.array([centres["abc".index(name)] + 0.5 * random.normal(size=DIMENSIONS) for name in labels])
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    fitted = Classifier(rows, labels)
    chances = fitted.probabilities(rows)
    assert [fitted.labels[place] for place in chances.argmax(axis=1)] == labels
    assert np.allclose(chances.sum(axis=1), 1.0)
    assert np.array_equal(chances, Classifier(rows, labels).probabilities(rows))


def test_a_class_with_many_examples_does_not_win_for_that_reason() -> None:
    rows = np.zeros((12, DIMENSIONS), dtype=np.float32)
    rows[:11, 0], rows[11, 1] = 1.0, 1.0
    fitted = Classifier(rows, ["many"] * 11 + ["one"])
    unlike = np.zeros((1, DIMENSIONS), dtype=np.float32)
    unlike[0, 2] = 1.0
    assert fitted.probabilities(unlike)[0].tolist() == pytest.approx([0.5, 0.5], abs=0.02)


# --- the method ---------------------------------------------------------------------


@pytest.mark.usefixtures("words")
def test_the_likeliest_value_points_to_the_text_and_to_an_example() -> None:
    extracted = learned("embedding", "book a hotel near Rome", examples=EXAMPLES, confidence=0.0)
    assert extracted.value == "book_hotel"
    (place,) = extracted.provenance
    (span,) = place.spans
    assert (span.start, span.end) == (6, 28)
    assert "hotel" in place.method
    assert 0.3 < place.confidence < 1


@pytest.mark.usefixtures("words")
def test_a_doubt_is_missing_and_names_the_rivals() -> None:
    extracted = learned("embedding", "find a flight or find a room", examples=EXAMPLES, confidence=0.9)
    assert extracted.missing is not None
    assert "may be" in extracted.missing
    assert "book_flight (0." in extracted.missing
    assert learned("embedding", "book a hotel near Rome", examples=EXAMPLES, confidence=0.99).missing


@pytest.mark.usefixtures("words")
def test_a_set_has_every_likely_value() -> None:
    extracted = learned(
        "embedding",
        "book a plane ticket book a hotel room",
        type_=ArgumentType(Kind.SET, VALUES),
        examples=EXAMPLES,
        confidence=0.0,
        share=0.25,
    )
    assert extracted.value == frozenset({"book_flight", "book_hotel"})
    assert extracted.items.keys() == extracted.value


# --- the memory ---------------------------------------------------------------------


@pytest.mark.usefixtures("words")
@pytest.mark.parametrize("name", ["nearest", "embedding"])
def test_demonstrations_teach_what_their_plan_says(name: str) -> None:
    extracted = taught(name, "Find a flight to Roma", MEMORY)
    assert extracted.value == "book_flight"
    assert "demonstration rome" in extracted.provenance[0].method
    assert taught(name, "Book a hotel room for two", MEMORY).value == "book_hotel"
    # A plan that names two values, or none after the argument's name, or that is off, teaches nothing.
    assert "other" not in {taught(name, text, MEMORY).value for text in ("Find something", "Read the news")}
    silent = [example for example in MEMORY if example.id in ("both", "none", "off")]
    assert taught(name, "Find a flight", silent).missing == (
        "no demonstration of the memory says a value of it"
    )


@pytest.mark.parametrize("name", ["nearest", "embedding"])
def test_without_a_memory_there_is_no_value(name: str) -> None:
    assert learned(name, "Find a flight", None, memory=True).missing == (
        "the session's memory is not at hand here"
    )
    with pytest.raises(WorkbenchError, match="memory = true"):
        learned(name, "x")
    with pytest.raises(WorkbenchError, match="'fly', which is not a value"):
        learned(name, "x", examples={"fly": ["x"]})


def taught_by_memory(folder: Path) -> Workbench:
    """The shipped shopping session, with its action taken from the nearest demonstration."""
    bench = Workbench.open(shutil.copytree(ROOT / "sessions" / "web-shopping", folder))
    spec = bench.session.spec
    options: dict[str, Json] = {"memory": True, "field": "Task", "cutoff": 0.3, "margin": 0.0}
    readings = tuple(
        replace(reading, extraction=Extraction("nearest", options)) if reading.name == "action" else reading
        for reading in spec.readings
    )
    bench.session.set_spec(replace(spec, readings=readings))
    return bench


def test_an_edit_of_the_memory_changes_retrieval_and_decisions(tmp_path: Path) -> None:
    bench = taught_by_memory(tmp_path / "shop")
    logs, terms = bench.runs.load(), bench.policy.terms()
    before = bench.runs.decide(terms, logs)
    place = next(
        place
        for place, (call, decision) in enumerate(zip(logs.calls, before, strict=True))
        if decision.decision.verdict is Verdict.DENY and "agent_input" in call.texts
    )
    plan = ("", "The action is other.", "", "")
    added = Demonstration("same", logs.calls[place].texts["agent_input"], "", plan, "label = 0")
    bench.session.set_demonstrations((added, *bench.session.demonstrations))
    after = bench.runs.decide(terms, bench.runs.extract_again(logs))
    assert after[place].decision.verdict is Verdict.ALLOW
    assert "demonstration same" in after[place].extracted["said_action"].provenance[0].method
    # After a change of the memory, an open session extracts its logs again.
    assert bench.runs.decide(terms, bench.runs.current())[place].decision.verdict is Verdict.ALLOW
    assert bench.editing.undo()
    assert bench.runs.decide(terms, bench.runs.current())[place].decision.verdict is Verdict.DENY
    bench.close()


# --- the model ----------------------------------------------------------------------


def test_only_the_known_weights_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    reason = learned("embedding", "book a hotel", examples=EXAMPLES).missing or ""
    assert "cannot be read" in reason
    assert "policy-workbench[embedding]" in reason
    (tmp_path / "model.onnx").write_bytes(b"other weights")
    with pytest.raises(WorkbenchError, match="sha256 differs"):
        embedder()


@pytest.mark.usefixtures("words")
def test_without_the_extra_the_value_is_missing_and_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, Classifier.__module__)
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert learned("embedding", "book a hotel", examples=EXAMPLES).missing == (
        "The package numpy is not installed; install it with 'pip install policy-workbench[embedding]'."
    )


def has_model() -> bool:
    try:
        embedder()
    except WorkbenchError:
        return False
    return True


@pytest.mark.skipif(not has_model(), reason="the extra 'embedding' is not installed")
def test_the_real_model_knows_meanings_and_not_only_words() -> None:
    model = embedder()
    vectors = model.embed(["a plane to Madrid", "air travel to Spain", "a cake with almonds"])
    assert vectors.shape == (3, DIMENSIONS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    likeness = vectors @ vectors.T
    assert likeness[0, 1] > likeness[0, 2] + 0.2
    assert learned("embedding", "a place to sleep in Vienna", examples=EXAMPLES, confidence=0.0).value == (
        "book_hotel"
    )
