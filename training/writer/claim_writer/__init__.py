"""The network that reads a sentence and writes its claims, as it is trained."""
