"""The Space of claimwise."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("claimwise")
