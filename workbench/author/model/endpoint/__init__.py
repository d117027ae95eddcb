"""Endpoints of models: their addresses, what each can do, and how a call is sent to each."""
