"""The Space of Genericity."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("genericity")
