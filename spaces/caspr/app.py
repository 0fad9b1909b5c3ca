"""The Space of CASPR."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("caspr")
