"""What people and other tools meet: the command line, pages, the module of `evaluate`, the Hub, adapters."""
