"""What stands on the screen once its first frame is painted: the panes, the tour and the model's call."""

from __future__ import annotations

from textual.widget import Widget

from workbench.old_screen.widgets.call_line import CallLine
from workbench.old_screen.widgets.cases import CasesPane
from workbench.old_screen.widgets.details import DetailsPane
from workbench.old_screen.widgets.policy import PolicyPane
from workbench.old_screen.widgets.proof import ProofPane
from workbench.old_screen.widgets.question import QuestionPanel
from workbench.old_screen.widgets.rail import Rail
from workbench.old_screen.widgets.replay import ReplayPane
from workbench.old_screen.widgets.tour import Tour


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
