"""The Space of Abstractiveness."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("abstractiveness")
