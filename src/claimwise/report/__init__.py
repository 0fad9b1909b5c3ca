"""Many rows of many systems: comparing them, on a page or in a table."""
