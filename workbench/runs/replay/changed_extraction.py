"""Extract loaded calls again after the agent spec or the policy changed.

Nothing is imported again: only the arguments with a changed definition are extracted, from the calls
that are already loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from workbench.model import Argument, Extracted, RecordedCall, Run
from workbench.runs.extract.extractor import Extractor
from workbench.runs.world.earlier_calls import Earlier


def _calls(runs: Sequence[Run]) -> Iterator[tuple[int, tuple[RecordedCall, Sequence[RecordedCall]]]]:
    position = 0
    for run in runs:
        for index, call in enumerate(run.calls):
            yield position, (call, Earlier(run.calls, index))
            position += 1


def read_again(
    extractor: Callable[[Sequence[Argument]], Extractor],
    old: Sequence[Argument],
    new: Sequence[Argument],
    runs: Sequence[Run],
    extracted: Sequence[Mapping[str, Extracted]],
    *,
    all_of_them: bool = False,
) -> tuple[Mapping[str, Extracted], ...]:
    """The readings of loaded calls under new definitions; unchanged arguments are not read again.

    ``extractor`` makes an extractor for some arguments. ``all_of_them`` reads everything, as a change
    of the agent's vocabulary or schema needs.
    """
    old_by_name = {argument.name: argument for argument in old}
    differ = [argument for argument in new if all_of_them or old_by_name.get(argument.name) != argument]
    names = [argument.name for argument in new]
    if not differ and names == list(old_by_name):
        return tuple(extracted)
    reader = extractor(differ)
    kept = {argument.name for argument in new} - {argument.name for argument in differ}
    readings: list[Mapping[str, Extracted]] = []
    for position, (call, history) in _calls(runs):
        same = {name: value for name, value in extracted[position].items() if name in kept}
        read = {**same, **reader.extract(call, history)}
        readings.append({name: read[name] for name in names if name in read})
    return tuple(readings)
