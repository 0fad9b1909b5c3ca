"""The trained checkpoints that the embedded ONNX files are exported from, in PyTorch's form."""

from pathlib import Path

HERE = Path(__file__).parent
JUDGE = HERE / "judge" / "checkpoint"
"""A folder of Transformers."""
FILTER = HERE / "filter" / "filter.safetensors"
"""What the filter learned beside the judge's lower layers."""
WRITER = HERE / "writer" / "checkpoint"
"""The claim writer, without the judge's word embeddings, which it shares."""
