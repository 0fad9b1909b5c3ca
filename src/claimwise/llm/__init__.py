"""Servers: requests with retries, and questions to chat models."""
