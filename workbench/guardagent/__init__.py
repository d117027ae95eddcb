"""GuardAgent as a guard: plan, guardrail code, execution in a checked subset, debugging (GuardAgent 4).

Nothing is imported here, so that the process that runs guardrail code starts quickly.
"""
