"""Chat models: questions, answers and their costs."""
