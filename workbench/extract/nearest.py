"""Method ``nearest``: the value of the example text that is most like the step's."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.extract.found import Found, Method, Missing
from workbench.extract.likeness import closeness
from workbench.extract.options import Options
from workbench.extract.regions import RegionOptions
from workbench.model import AgentSpec, Argument, Step

TEXTS = ("user", "agent_input", "arguments")
_LONGEST = 20_000


def nearest(_argument: Argument, _spec: AgentSpec, options: Options) -> Method:
    """The value of the nearest of ``examples = {value = ["text", ...]}``.

    Nearness is the share of characters that no edit touches (Levenshtein), which is the confidence.
    Below ``cutoff`` (0.6 if not given), or where an example of another value is less than ``margin``
    (0.05) behind, the value is missing: a doubt is a question, not a guess.
    """
    regions = RegionOptions(options, TEXTS)
    examples = [
        (value, " ".join(text.casefold().split()))
        for value, texts in options.words("examples").items()
        for text in texts
    ]
    cutoff, margin = options.number("cutoff", 0.6), options.number("margin", 0.05)
    if not examples:
        raise options.error("examples are needed, texts by value")

    def extract(step: Step, _history: Sequence[Step]) -> Found:
        region = regions.of(step)
        text = " ".join(region.text.casefold().split())
        if len(text) > _LONGEST:
            raise Missing(f"{region.name} is too long to be compared with examples")
        best: dict[str, float] = {}
        for value, example in examples:
            best[value] = max(best.get(value, 0.0), closeness(text, example))
        value, sure = max(best.items(), key=lambda item: item[1])
        if sure < cutoff:
            raise Missing(f"no example is near enough to {region.name} ({sure:.2f} of {cutoff:.2f} needed)")
        rival = max((other for name, other in best.items() if name != value), default=0.0)
        if sure - rival < margin:
            raise Missing(
                f"{region.name} is as near to an example of another value ({sure:.2f}, {rival:.2f})"
            )
        return Found(value, (region.provenance("nearest", 0, len(region.text), sure),))

    return extract
