# Makes the files of this folder, with pyarrow 26.
import pyarrow as pa, pyarrow.parquet as pq, datetime, decimal
n = 60
i = range(n)
none = lambda v, k: None if k % 7 == 3 else v
table = pa.table({
    "flag": pa.array([k % 3 == 0 for k in i]),
    "small": pa.array([none(k - 30, k) for k in i], pa.int8()),
    "byte": pa.array([200 + k % 56 for k in i], pa.uint8()),
    "word": pa.array([4_000_000_000 + k for k in i], pa.uint32()),
    "whole": pa.array([(-1) ** k * k * 10**12 for k in i], pa.int64()),
    "large": pa.array([2**63 + 2048 * k for k in i], pa.uint64()),
    "single": pa.array([none(k / 8 - 3, k + 1) for k in i], pa.float32()),
    "half": pa.array([k / 4 for k in i], pa.float16()),
    "double": pa.array([k / 3 for k in i], pa.float64()),
    "price": pa.array([decimal.Decimal(k * 125 - 1000) / 100 for k in i], pa.decimal128(9, 2)),
    "digits": pa.array([str(k * 1.5) for k in i]),
    "kind": pa.array([["red", "green", "blue"][k % 3] for k in i]).dictionary_encode(),
})
def csv(path):
    rows = table.to_pydict()
    names = list(rows)
    text = lambda v: "" if v is None else str(int(v)) if isinstance(v, bool) else repr(v) if isinstance(v, float) else str(v)
    with open(path, "w") as f:
        f.write(",".join(names) + "\n")
        for k in i: f.write(",".join(text(rows[name][k]) for name in names) + "\n")
csv("kinds.csv")
for codec, page in [("snappy", "1.0"), ("zstd", "2.0"), ("gzip", "1.0"), ("lz4", "2.0")]:
    pq.write_table(table, f"{codec}.parquet", compression=codec, row_group_size=25, data_page_version=page, store_schema=False, write_statistics=False)
other = pa.table({
    "a": pa.array(range(20), pa.float64()),
    "when": pa.array([datetime.datetime(2024, 1, 1 + k) for k in range(20)]),
    "day": pa.array([datetime.date(2024, 1, 1 + k) for k in range(20)]),
    "list": pa.array([[k, k] for k in range(20)]),
    "pair": pa.array([{"u": k, "v": -k} for k in range(20)]),
    "b": pa.array([(k * 7) % 5 for k in range(20)], pa.int32()),
    "y": pa.array(["n", "p"] * 10),
    "__index_level_0__": pa.array([(k * 3) % 20 for k in range(20)], pa.int64()),
})
pq.write_table(other, "others.parquet", store_schema=False, write_statistics=False)
tiny = pa.table({
    "a": pa.array([1.5, 2.5, 3.5, 4.5, 5.5, 6.5]),
    "b": pa.array([3, 1, 2, 3, 1, 2], pa.int32()),
    "y": pa.array(["n", "p", "n", "p", "n", "p"]),
})
pq.write_table(tiny, "tiny.parquet", store_schema=False, write_statistics=False)

# without dictionaries: texts as lengths, as what differs from the one before, and as they are; numbers as
# differences and byte by byte
encodings = {"kind": "DELTA_BYTE_ARRAY", "digits": "DELTA_LENGTH_BYTE_ARRAY", "whole": "DELTA_BINARY_PACKED",
             "double": "BYTE_STREAM_SPLIT", "small": "PLAIN"}
plain = table.set_column(table.column_names.index("kind"), "kind", table["kind"].cast(pa.string()))
for page in ["1.0", "2.0"]:
    pq.write_table(plain, f"plain{page[0]}.parquet", use_dictionary=False, column_encoding=encodings, row_group_size=25,
                   data_page_version=page, compression="none", store_schema=False, write_statistics=False)
# more rows than are read at a time, in two groups; one value is missing in the second
m = 12_000
long = pa.table({"a": pa.array(range(m), pa.int32()),
                 "b": pa.array([None if k == 10_500 else k % 9 for k in range(m)], pa.int16()),
                 "y": pa.array(["n", "p"] * (m // 2))})
pq.write_table(long, "long.parquet", compression="zstd", row_group_size=6_000, store_schema=False, write_statistics=False)
# the oldest types: no logical ones, times in 96 bits
old = pa.table({"u": pa.array([250, 3, 4, 5], pa.uint8()), "w": pa.array([4_000_000_000, 1, 2, 3], pa.uint32()),
                "price": pa.array([decimal.Decimal(v) / 100 for v in [-150, 275, 300, 1]], pa.decimal128(9, 2)),
                "when": pa.array([datetime.datetime(2024, 1, 1 + k) for k in range(4)]), "y": pa.array(["n", "p", "n", "p"])})
pq.write_table(old, "old.parquet", version="1.0", use_deprecated_int96_timestamps=True, compression="none",
               store_schema=False, write_statistics=False)
names = pa.table({"a": pa.array([str(k / 2) for k in range(6)]), "y": pa.array(["red", "reds", "green", "red", "reds", "green"])})
pq.write_table(names, "deltas.parquet", use_dictionary=False, compression="none", store_schema=False, write_statistics=False,
               column_encoding={"a": "DELTA_LENGTH_BYTE_ARRAY", "y": "DELTA_BYTE_ARRAY"})
