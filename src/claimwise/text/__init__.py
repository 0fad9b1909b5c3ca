"""Text: checking inputs, splitting them into sentences, and sentences into claims."""
