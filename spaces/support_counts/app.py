"""The Space of Support Counts."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("support_counts")
