"""The Space of SummaC-Conv."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("summac_conv")
