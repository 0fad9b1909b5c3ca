"""The Space of Opinion Prevalence."""

from claimwise.apps import spaces

if __name__ == "__main__":
    spaces.launch("opinion_prevalence")
