"""Which of two drafted readings of a request is stricter, by proof."""

from __future__ import annotations

from workbench.model import WorkbenchError


def compared_readings(before: str, after: str) -> str:
    """One sentence: which of two policies, drafted before and after an answer, allows less.

    The solver proves it; what a model said of its readings does not count.
    """
    from workbench.engines.smt.diff import semantic_diff
    from workbench.policy.check import check

    try:
        found = semantic_diff(check(before), check(after))
    except WorkbenchError as error:
        return f"Which of the two readings is stricter is not known: {error}"
    if found.equivalent:
        return "Proved: both readings decide every call alike."
    if found.unknown or found.more or found.notes:
        why = found.unknown or "; ".join(found.notes) or "there are too many differences"
        return f"Which of the two readings is stricter is not known ({why})."
    wider = [region.widens for region in found.regions]
    if not any(wider):
        return "Proved: the reading that was chosen is the stricter one."
    if all(wider):
        return "Proved: the reading that was chosen allows more."
    return "Proved: neither reading is stricter; each allows calls that the other denies."
