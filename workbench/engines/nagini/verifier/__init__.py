"""The verifier's process: how it is started, shared, watched and asked."""
