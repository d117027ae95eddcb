"""Safe access to files and folders that another user may have replaced."""
