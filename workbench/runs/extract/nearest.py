"""The reading ``nearest``: the value of the example text that is most similar to the text."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.likeness import closeness
from workbench.model import Demonstration, TextReading
from workbench.runs.extract.options import Options
from workbench.runs.extract.text_region import ReadsRegion, TextRegion
from workbench.runs.extract.value_examples import Taught
from workbench.runs.values.found_value import FoundValue, Missing

_LONGEST = 20_000


def nearest_example(
    reading: TextReading, options: Options, memory: Sequence[Demonstration] | None
) -> ReadsRegion:
    """The value of the nearest of ``examples = {value = ["text", ...]}`` and of the memory's demonstrations.

    Nearness is the share of characters that no edit changes (Levenshtein); it is the confidence. The value is
    missing below ``cutoff`` (0.6 if not given), or if an example of another value is less than ``margin``
    (0.05) behind: a doubt is a question, not a guess. With ``memory = true`` the enabled demonstrations whose
    plan has a value are examples too.
    """
    taught = Taught(reading, options, memory)
    examples = [(example, " ".join(example.text.casefold().split())) for example in taught.examples]
    cutoff, margin = options.number("cutoff"), options.number("margin")

    def read(whole: TextRegion) -> FoundValue:
        region = taught.region(whole)
        text = " ".join(region.text.casefold().split())
        if len(text) > _LONGEST:
            raise Missing(f"{region.name} is too long to be compared with examples")
        best: dict[str, tuple[float, str]] = {}
        for example, folded in examples:
            near = closeness(text, folded)
            if near > best.get(example.value, (-1.0, ""))[0]:
                best[example.value] = (near, example.source)
        value, (sure, source) = max(best.items(), key=lambda item: item[1][0])
        if sure < cutoff:
            raise Missing(f"no example is near enough to {region.name} ({sure:.2f} of {cutoff:.2f} needed)")
        rival = max((nearness for name, (nearness, _) in best.items() if name != value), default=0.0)
        if sure - rival < margin:
            raise Missing(
                f"{region.name} is as near to an example of another value ({sure:.2f}, {rival:.2f})"
            )
        method = f"nearest (demonstration {source})" if source else "nearest"
        return FoundValue(value, (region.provenance(method, 0, len(region.text), sure),))

    return read
