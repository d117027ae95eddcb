"""The widgets of the terminal front end, one module each."""
