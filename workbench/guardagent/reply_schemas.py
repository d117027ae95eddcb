"""The forms of GuardAgent's replies: a plan, and guardrail code."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class PlanReply(BaseModel):
    """The four steps of task planning (GuardAgent 4.2)."""

    model_config = ConfigDict(title="Plan")

    request: str = Field(description="Step 1: what the guard request limits, and for whom.", max_length=2000)
    needed: str = Field(description="Step 2: what the agent did or wants to do.", max_length=2000)
    compared: str = Field(description="Step 3: how that compares with what is allowed.", max_length=2000)
    code: str = Field(description="Step 4: what the guardrail code has to compute.", max_length=2000)

    @property
    def steps(self) -> tuple[str, str, str, str]:
        """The four steps in order."""
        return self.request, self.needed, self.compared, self.code


class CodeReply(BaseModel):
    """Guardrail code."""

    model_config = ConfigDict(title="Code")

    code: str = Field(description="Python that sets label and details.", max_length=20_000)
