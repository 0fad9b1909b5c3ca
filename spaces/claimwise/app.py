"""The Space that leads to those of all metrics."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch_front()
