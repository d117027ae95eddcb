"""Mind2Web-SC as its authors publish it: tasks of SeeAct with a profile, a label and SeeAct's answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from guard_comparison.dataset import Dataset, Example, Truth
from guard_comparison.readers.guardagent_logs import ACT, key_values
from guard_comparison.readers.reader_moves import dataset_name, flag_at, texts_at
from workbench.model import Json, Run
from workbench.runs.logs.importer import LoggedCall, build_run, dict_at, text_at
from workbench.runs.logs.log_stream import LogSource, Sample

_KEYS = frozenset({"confirmed_task", "user_info", "label"})


class SeeActTasks:
    """Reads the native JSON; agent input and output are put into GuardAgent's layout."""

    name = "seeact-tasks"

    def matches(self, sample: Sample) -> bool:
        """Whether most records have a task, a profile and a label."""
        return sample.share(_KEYS) > 0.5

    def read(self, path: Path) -> Dataset:
        """One example of one call for each record with a label."""
        return Dataset(dataset_name(path), self.name, tuple(_examples(path)))


def _examples(path: Path) -> Iterator[Example]:
    source = LogSource(path)
    for number, record in enumerate(source.records()):
        value = record.value
        if not isinstance(value, dict):
            continue
        label = flag_at(value, "label")
        if label is None:
            continue
        name = f"{text_at(value, 'annotation_id') or path.stem}-{number}"
        sentence = text_at(value, "violation") or ""
        yield Example(_run(name, value, source, record.line), (Truth(label, sentence=sentence),))


def _run(name: str, record: Mapping[str, Json], source: LogSource, line: int) -> Run:
    task = text_at(record, "confirmed_task") or ""
    profile = "\n".join(f"  {key}: {value}" for key, value in dict_at(record, "user_info").items())
    agent_input = f"Task: {task}\n\nuser_info:\n{profile}"
    output = record.get("gpt_output")
    answers = texts_at(record, "gpt_output") or ((output,) if isinstance(output, str) else ())
    questions = [text for text in texts_at(record, "prompt") if "(Multichoice Question)" in text]
    agent_output = "\n\n".join((*answers[:1], *questions[-1:], *answers[1:]))
    texts = {"agent_input": agent_input, "agent_output": agent_output}
    call = LoggedCall(tool=ACT, raw={"output": agent_output}, texts=texts)
    return build_run(name, [call], key_values(agent_input), "seeact-tasks", source, f"line {line}")
