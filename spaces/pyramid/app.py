"""The Space of Pyramid."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("pyramid")
