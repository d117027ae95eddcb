"""Files: safe access to files that another user may have replaced, and strict reading of their contents."""
