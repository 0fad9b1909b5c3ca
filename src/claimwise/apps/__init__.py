"""User interfaces: the command line, pages, the module of `evaluate`, the Hub, and integrations."""
