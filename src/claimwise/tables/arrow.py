"""Parquet files: column types, and batches of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claimwise.errors import ClaimwiseError

if TYPE_CHECKING:
    import pyarrow


def unified(path: Path, names: Sequence[str], parts: Iterable[Sequence[Mapping[str, Any]]]) -> pyarrow.Schema:
    """Return column types that fit the values of all rows, which arrive in parts.

    Raises:
        ClaimwiseError: for a column with values of incompatible types.
    """
    import pyarrow

    schema = pyarrow.schema([(name, pyarrow.null()) for name in names])
    for rows in parts:
        for index, name in enumerate(names):
            try:
                kind = pyarrow.array([row.get(name) for row in rows]).type
                both = [pyarrow.schema([schema.field(index)]), pyarrow.schema([(name, kind)])]
                schema = schema.set(index, pyarrow.unify_schemas(both, promote_options="permissive").field(0))
            except (pyarrow.ArrowException, UnicodeError, OverflowError) as error:
                reason = " ".join(str(error).split())[:200]
                raise ClaimwiseError(
                    f"the column `{name}` mixes types that Parquet cannot store in one column ({reason}).",
                    "Choose an output that ends in .jsonl.",
                    path=path,
                ) from error
    return pyarrow.schema([field.with_type(_without_nulls(field.type)) for field in schema])


def _without_nulls(kind: pyarrow.DataType) -> pyarrow.DataType:
    """Return a type with texts for nulls, of which Arrow cannot cast lists."""
    import pyarrow

    if pyarrow.types.is_struct(kind):
        return pyarrow.struct([field.with_type(_without_nulls(field.type)) for field in kind])
    if pyarrow.types.is_list(kind):
        return pyarrow.list_(_without_nulls(kind.value_type))
    return pyarrow.string() if pyarrow.types.is_null(kind) else kind


def batches(
    path: Path, rows: int, characters: int, names: Sequence[str] | None = None
) -> Iterator[pyarrow.Table]:
    """Yield the rows of a Parquet file in batches; see ``Table.batches``."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path, pre_buffer=False, buffer_size=2**20) as file:
        for batch in file.iter_batches(batch_size=rows, columns=names):
            step = max(1, len(batch) * characters // max(batch.nbytes, 1))
            for start in range(0, len(batch), step):
                yield pyarrow.Table.from_batches([batch.slice(start, step)])
