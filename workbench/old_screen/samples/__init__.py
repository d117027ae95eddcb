"""Contents of the screen that are made up and always the same: for pictures, and for a widget shown alone."""
