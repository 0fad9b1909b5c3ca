"""One client for every OpenAI-compatible endpoint: questions to a chat model, answers that can be used."""
