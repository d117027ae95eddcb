"""Files: safe access where another user may have replaced them, and strict reading of what they hold."""
