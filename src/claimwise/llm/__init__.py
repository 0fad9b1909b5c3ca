"""Servers: requests that are sent again where that helps, and questions to chat models."""
