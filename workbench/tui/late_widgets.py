"""What stands on the screen once its first frame is painted: the panes, the tour and the model's call."""

from __future__ import annotations

from textual.widget import Widget

from workbench.tui.widgets.call_line import CallLine
from workbench.tui.widgets.cases import CasesPane
from workbench.tui.widgets.details import DetailsPane
from workbench.tui.widgets.policy import PolicyPane
from workbench.tui.widgets.proof import ProofPane
from workbench.tui.widgets.question import QuestionPanel
from workbench.tui.widgets.rail import Rail
from workbench.tui.widgets.replay import ReplayPane
from workbench.tui.widgets.tour import Tour


def panes() -> tuple[Widget, ...]:
    """The panes, in the order in which Tab goes through them."""
    return (
        QuestionPanel(id="question"),
        Rail(id="rail"),
        PolicyPane(id="policy"),
        CasesPane(id="cases"),
        ProofPane(id="proof"),
        ReplayPane(id="replay"),
        DetailsPane(id="details"),
    )


def around() -> tuple[Widget, ...]:
    """What appears between the panes and the keys at times."""
    return Tour(id="tour"), CallLine(id="call")
