"""User interfaces: the command line, pages, the module of `evaluate`, and the Hub."""
