"""Inspect's evaluation logs: tool events of samples, as ``.json`` or as a ``.eval`` archive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.guard.run_messages import MessagesSoFar
from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.importer import LoggedCall, build_run, dict_at, dicts_at, facts, result_text, text_at
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.values.jsontext import as_text


class Inspect:
    """Reads each sample as one run. Other members of an archive are skipped."""

    name = "inspect"

    def matches(self, sample: Sample) -> float:
        """High if there are samples with events, or the log's own header."""
        if not sample.records:
            return 0.0
        has_samples = any(_samples(record) for record in sample.records)
        header = any(isinstance(record.get("eval"), dict) for record in sample.records)
        return 0.9 if has_samples or header else 0.0

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each sample and epoch."""
        for record in source.records():
            if record.error is not None:
                yield ImportProblem(str(source.path), record.line, record.error)
            elif isinstance(record.value, dict):
                for sample in _samples(record.value):
                    name = text_at(sample, "id", "uuid") or f"sample:{record.line}"
                    epoch = text_at(sample, "epoch")
                    run = f"{name}/{epoch}" if epoch not in (None, "1") else name
                    context = facts(dict_at(sample, "metadata"), frozenset())
                    line = f"line {record.line}"
                    yield build_run(run, _calls(sample), context, self.name, source, line)


def _samples(record: dict[str, Json]) -> list[dict[str, Json]]:
    if isinstance(record.get("events"), list) and "id" in record:
        return [record]
    return [sample for sample in dicts_at(record, "samples") if isinstance(sample.get("events"), list)]


def _opening(sample_input: Json) -> MessagesSoFar:
    """The input of a sample as messages: the user's question, or the messages that the run begins with."""
    opening = MessagesSoFar()
    items = sample_input if isinstance(sample_input, list) else []
    messages = [item for item in items if isinstance(item, dict) and isinstance(item.get("role"), str)]
    if items and len(messages) == len(items):
        for message in messages:
            opening.add(str(message["role"]), as_text(message.get("content")))
    elif sample_input:
        opening.add("user", result_text(sample_input))
    return opening


def _calls(sample: Mapping[str, Json]) -> list[LoggedCall]:
    opening = _opening(sample.get("input"))
    calls: list[LoggedCall] = []
    for event in dicts_at(sample, "events"):
        if event.get("event") != "tool" or event.get("pending") is True:
            continue
        error = event.get("error")
        result = event.get("result") if error is None else error
        calls.append(
            LoggedCall(
                tool=text_at(event, "function"),
                raw=event.get("arguments"),
                call_id=text_at(event, "id"),
                time=text_at(event, "timestamp"),
                result=result_text(result),
                texts=opening.texts(),
                failed=error is not None,
            )
        )
    return calls
