"""The Space of Distinctiveness Score."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("distinctiveness_score")
