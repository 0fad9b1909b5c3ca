"""What module scripts of version 0.1, which may stand in somebody's modules cache, import."""

from claimwise.apps.evaluate_module import MetricModule, install, installations, module_folder, uninstall

__all__ = ["MetricModule", "install", "installations", "module_folder", "uninstall"]
