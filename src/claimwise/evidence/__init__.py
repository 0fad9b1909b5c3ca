"""Evidence: what a score was made of, and how it is drawn."""
