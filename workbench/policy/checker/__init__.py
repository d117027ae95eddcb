"""The parts of the dialect checker: how each construct of a policy file becomes typed terms."""
