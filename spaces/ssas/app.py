"""The Space of SSAS."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("ssas")
