"""The evidence for a policy: its cases, its proof, and the strength of its contract."""
