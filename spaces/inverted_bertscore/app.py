"""The Space of Inverted BERTScore."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("inverted_bertscore")
