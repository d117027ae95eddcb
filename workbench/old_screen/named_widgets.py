"""The parts of the screen by their names, for what takes them without importing their modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.app import App

if TYPE_CHECKING:
    from workbench.old_screen.widgets.call_line import CallLine
    from workbench.old_screen.widgets.cases import CasesPane
    from workbench.old_screen.widgets.details import DetailsPane
    from workbench.old_screen.widgets.policy import PolicyPane
    from workbench.old_screen.widgets.proof import ProofPane
    from workbench.old_screen.widgets.question import QuestionOptions, QuestionPanel
    from workbench.old_screen.widgets.rail import Rail
    from workbench.old_screen.widgets.replay import ReplayPane
    from workbench.old_screen.widgets.tour import Tour


class PartsApp(App[None], inherit_bindings=False):
    """An app that has the panes of the workbench, from ``WorkbenchApp.begin`` on."""

    @property
    def policy_pane(self) -> PolicyPane:
        """The editor and the problems of its text."""
        return cast("PolicyPane", self.query_one("#policy"))

    @property
    def cases_pane(self) -> CasesPane:
        """The cases."""
        return cast("CasesPane", self.query_one("#cases"))

    @property
    def proof_pane(self) -> ProofPane:
        """The clauses and what is proved of them."""
        return cast("ProofPane", self.query_one("#proof"))

    @property
    def replay_pane(self) -> ReplayPane:
        """The replayed steps."""
        return cast("ReplayPane", self.query_one("#replay"))

    @property
    def details_pane(self) -> DetailsPane:
        """The selected step."""
        return cast("DetailsPane", self.query_one("#details"))

    @property
    def rail(self) -> Rail:
        """Questions, assumptions, demonstrations and versions."""
        return cast("Rail", self.query_one("#rail"))

    @property
    def question_panel(self) -> QuestionPanel:
        """The open question."""
        return cast("QuestionPanel", self.query_one("#question"))

    @property
    def options(self) -> QuestionOptions:
        """The answers to the open question."""
        return cast("QuestionOptions", self.query_one("#options"))

    @property
    def tour(self) -> Tour:
        """The tour."""
        return cast("Tour", self.query_one("#tour"))

    @property
    def call_line(self) -> CallLine:
        """The model's call that runs."""
        return cast("CallLine", self.query_one("#call"))
