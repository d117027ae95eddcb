"""GuardAgent as a guard: plan, guardrail code, execution in a checked subset, debugging (GuardAgent 4).

Nothing is imported here, because the process that runs guardrail code should start at once.
"""
