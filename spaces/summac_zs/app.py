"""The Space of SummaC-ZS."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("summac_zs")
