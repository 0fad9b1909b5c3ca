"""The Space of Pyramid; the page is built from the metric's card."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("pyramid")
