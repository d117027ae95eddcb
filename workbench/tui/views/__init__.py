"""The views of the screen."""
