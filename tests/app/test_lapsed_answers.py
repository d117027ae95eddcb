"""An answer that a call is meant is told apart once the policy lets no such call through any more."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.app.attachment_desk import SENTENCE, attachment_desk
from tests.tui.views.author.test_author_rows import shown
from workbench.app.clause_findings import has_lapsed
from workbench.app.rewording import Reworded
from workbench.app.session_state import RequirementState, SessionState
from workbench.cli.assumptions import assumed_lines
from workbench.model import Requirement, Span
from workbench.tui.views.author.requirement import sentence_rows
from workbench.tui.views.author.spine import assumption_rows


def test_that_a_call_is_meant_is_assumed_no_more_once_it_is_denied(tmp_path: Path) -> None:
    with closing(attachment_desk(tmp_path)) as bench:
        (question,) = (one for one in bench.questions.understand().open if one.kind == "witness")
        bench.questions.answer(question, "meant")
        said = bench.session.assumptions[-1]
        understood = bench.questions.understand()
        assert "lets through" in bench.questions.refined(understood).markdown("x")
        assert not has_lapsed(said, understood.questions)

        texts = next(one.texts for one in bench.standing().sentences if one.requirement.text == SENTENCE)
        bench.rewordings.keep([Reworded(SENTENCE, (*texts, "The agent must not print a file."))])
        understood = bench.questions.understand()
        assert said in understood.assumptions
        assert has_lapsed(said, understood.questions)
        assert "lets through" not in bench.questions.refined(understood).markdown("x")
        (assumed,) = (one for one in bench.questions.assumed(understood) if one.assumption == said)
        assert "no such call is asked about any more" in "\n".join(assumed_lines(assumed, tmp_path))
        state = SessionState(bench.session.written, terms=bench.policy.terms(), assumptions=(said,))
        assert "no such call is asked about any more" in shown(assumption_rows(state))
        row = RequirementState(Requirement(said.requirements[0], SENTENCE, SENTENCE, Span(0, 10)))
        assert "lets through" not in shown(sentence_rows(state, row))
