"""What module scripts of version 0.1, which may stand in somebody's modules cache, import."""

from typing import Any

import evaluate

from claimwise.apps import evaluate_module
from claimwise.apps.evaluate_module import install, installations, module_folder, uninstall

__all__ = ["MetricModule", "install", "installations", "module_folder", "uninstall"]


class MetricModule(evaluate_module.MetricModule):
    """The base class of those scripts: they describe the metric themselves and take any column."""

    def _info(self) -> evaluate.MetricInfo:
        info = super()._info()
        for name in ("description", "citation", "inputs_description", "reference_urls"):
            setattr(info, name, getattr(type(self), name))
        return info

    def _compute(self, *_: Any, **given: Any) -> dict[str, Any]:
        result: dict[str, Any] = self.metric.compute(**given)
        return result
