"""Records that AgentDojo writes of its runs: one JSON file a run, its messages in AgentDojo's own form.

The id of a run is like the name of its file: pipeline, suite, user task, attack, and injection task,
joined by ``/``. The tasks, the injections and AgentDojo's checks (``utility``, ``security``) are facts of
the log: the agent did not know them.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.importer import NotThisFormat, list_at, read_each, text_at
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.logs.openai_chat import read_conversation

_KEYS = frozenset({"suite_name", "user_task_id", "injection_task_id", "messages"})
_NAMES = ("pipeline_name", "suite_name", "user_task_id", "attack_type", "injection_task_id")
_KNOWN = ("suite_name", "pipeline_name")


class AgentDojo:
    """Reads each record as one run."""

    name = "agentdojo"

    def matches(self, sample: Sample) -> float:
        """The share of records with a suite, tasks and messages."""
        return sample.share(_KEYS)

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read each record as one run."""
        source.named_by = "pipeline, suite, user task, attack and injection task"

        def convert(record: dict[str, Json], line: int) -> Iterator[Run | ImportProblem]:
            if not record.keys() >= _KEYS:
                raise NotThisFormat("the record has no suite, tasks and messages")
            run = "/".join(text_at(record, key) or "none" for key in _NAMES if key in record)
            known_facts = {key: record[key] for key in _KNOWN if isinstance(record.get(key), str)}
            unjudged_keys = {"messages", *known_facts}
            judged = {
                key: value for key, value in record.items() if key not in unjudged_keys and value is not None
            }
            messages = list_at(record, "messages")
            yield from read_conversation(messages, run, known_facts, judged, self.name, source, line, None)

        return read_each(source, convert)
