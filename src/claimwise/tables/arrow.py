"""Parquet files: column types, and batches whose size compression cannot inflate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claimwise.errors import ClaimwiseError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow

FEW_BYTES = 8 * 2**20


def unified(path: Path, names: Sequence[str], parts: Iterable[Sequence[Mapping[str, Any]]]) -> pyarrow.Schema:
    """Return column types that fit the values of all rows, which arrive in parts.

    Raises:
        ClaimwiseError: for a column with values of incompatible types.
    """
    import pyarrow

    schema = pyarrow.schema([(name, pyarrow.null()) for name in names])
    for rows in parts:
        for place, name in enumerate(names):
            try:
                found = pyarrow.schema([(name, pyarrow.array([row.get(name) for row in rows]).type)])
                both = [pyarrow.schema([schema.field(place)]), found]
                schema = schema.set(place, pyarrow.unify_schemas(both, promote_options="permissive").field(0))
            except (pyarrow.ArrowException, UnicodeError, OverflowError) as error:
                reason = " ".join(str(error).split())[:200]
                raise ClaimwiseError(
                    f"the column {name!r} mixes types that Parquet cannot store in one column ({reason}).",
                    "Choose an output that ends in .jsonl.",
                    path=path,
                ) from error
    return pyarrow.schema([field.with_type(_without_nulls(field.type)) for field in schema])


def _without_nulls(kind: pyarrow.DataType) -> pyarrow.DataType:
    """Return a type with texts for nulls, of which Arrow cannot cast lists."""
    import pyarrow

    if pyarrow.types.is_struct(kind):
        return pyarrow.struct([field.with_type(_without_nulls(field.type)) for field in kind.fields])
    if pyarrow.types.is_list(kind):
        return pyarrow.list_(_without_nulls(kind.value_type))
    return pyarrow.string() if pyarrow.types.is_null(kind) else kind


def batches(
    path: Path, rows: int, characters: int, most_bytes_in_row: int, names: Sequence[str] | None = None
) -> Iterator[pyarrow.Table]:
    """Yield the rows of a Parquet file in batches.

    Args:
        path: the file.
        rows: maximum rows per batch.
        characters: approximate maximum characters per batch; a single row may exceed it.
        most_bytes_in_row: maximum bytes per row.
        names: columns to read; None = all.

    Raises:
        ClaimwiseError: for a row of too many bytes.
    """
    import numpy as np
    import pyarrow
    from pyarrow.parquet import ParquetFile, read_metadata

    metadata = read_metadata(path)
    schema = metadata.schema.to_arrow_schema()
    if names is not None:
        schema = pyarrow.schema([field for field in schema if field.name in names], schema.metadata)
    repeated = _repeated_texts(metadata)
    with ParquetFile(path, read_dictionary=repeated, pre_buffer=False, buffer_size=2**20) as file:
        for batch in file.iter_batches(batch_size=rows, columns=schema.names):
            sizes = np.sum([_bytes_of_each(column) for column in batch.columns], axis=0)
            start = size = 0
            for row, own in enumerate([*sizes.tolist(), None]):
                if own is not None and own > most_bytes_in_row:
                    problem = f"a row has more than {most_bytes_in_row >> 22} million characters."
                    raise ClaimwiseError(problem, "Split it into several rows.")
                if row > start and (own is None or size + own > characters):
                    yield pyarrow.Table.from_batches([batch.slice(start, row - start)]).cast(schema)
                    start, size = row, 0
                size += own or 0


def _repeated_texts(metadata: Any) -> list[str]:
    """Return the columns of a Parquet file that may repeat long texts very often.

    They are read as indices of distinct texts, which stay in memory: small columns, and columns with a
    compression ratio that ordinary text never reaches.
    """
    columns = [
        group.column(place)
        for group in map(metadata.row_group, range(metadata.num_row_groups))
        for place in range(group.num_columns)
    ]
    texts = [column for column in columns if column.physical_type == "BYTE_ARRAY"]
    usual = {
        column.path_in_schema
        for column in texts
        if FEW_BYTES < column.total_uncompressed_size < 50 * column.total_compressed_size
    }
    return sorted({column.path_in_schema for column in texts} - usual)


def _bytes_of_each(array: Any) -> npt.NDArray[np.int64]:
    """Return the uncompressed size of each value of an Arrow array, in bytes."""
    import numpy as np
    from pyarrow import compute, types

    kind = array.type
    if types.is_dictionary(kind):
        of_distinct = _bytes_of_each(array.dictionary)
        places = array.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        return of_distinct[places] if len(of_distinct) else np.zeros(len(array), dtype=np.int64)
    if types.is_list(kind) or types.is_large_list(kind):
        ends = np.concatenate([[0], np.cumsum(_bytes_of_each(array.values))])
        offsets = array.offsets.to_numpy(zero_copy_only=False)
        return np.asarray(ends[offsets[1:]] - ends[offsets[:-1]], dtype=np.int64)
    if types.is_struct(kind):
        return np.asarray(sum(map(_bytes_of_each, array.flatten())), dtype=np.int64)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind):
        lengths = compute.binary_length(array).fill_null(0)
        return np.asarray(lengths.to_numpy(zero_copy_only=False), dtype=np.int64)
    return np.full(len(array), 8, dtype=np.int64)
