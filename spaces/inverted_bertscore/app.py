"""The Space of Inverted BERTScore; the page is built from the metric's card."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("inverted_bertscore")
