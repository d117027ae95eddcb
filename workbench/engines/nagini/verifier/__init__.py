"""The verifier's process: started, shared, watched and spoken to."""
