"""The Space of Summarize reviews."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("summarize")
