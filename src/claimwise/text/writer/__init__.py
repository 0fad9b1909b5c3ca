"""The claim writer: a small network that reads a sentence and writes its claims."""
