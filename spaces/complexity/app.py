"""The Space of Complexity."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("complexity")
