# Run files that are not what a run would have written: bytes changed, or the structure, by h5py, seed by seed.
import os
import random
import shutil
import sys

sys.dont_write_bytecode = True

import h5py
import numpy as np

ODD_NUMBERS = [0.0, -0.0, -1.0, 1e-320, 1e308, -1e308, float("inf"), float("-inf"), float("nan"), 1e18, 0.5, 2.0**53]
ODD_INTEGERS = [0, 1, -1, -2, 7, 127, 255, 65536, 2**31 - 1, -2**31, 2**53 + 1, 2**62, -2**63]
ODD_TEXTS = ["", "x", "a" * 300, "\x1b[31mred", "../../etc", "name: [", "\u00e9" * 40, "moreau", "event", "%s%n"]


def change_bytes(path, rng):
    """A few bytes, a bit, or a zeroed block."""
    with open(path, "r+b") as f:
        data = bytearray(f.read())
        for _ in range(rng.choice([1, 1, 2, 5, 20])):
            at = rng.randrange(len(data)) if rng.random() < 0.5 else rng.randrange(min(len(data), 8192))
            kind = rng.randrange(4)
            if kind == 0: data[at] ^= 1 << rng.randrange(8)
            elif kind == 1: data[at] = rng.randrange(256)
            elif kind == 2: data[at:at + 8] = bytes(8) if rng.random() < 0.5 else b"\xff" * 8
            else: data[at:at + 512] = bytes(len(data[at:at + 512]))
        if rng.random() < 0.1: data = data[:rng.randrange(len(data))]
        f.seek(0)
        f.write(data)
        f.truncate()


def odd_like(value, rng):
    """An odd value of the same type."""
    value = np.asarray(value)
    flat = value.copy().reshape(-1)
    if not flat.size: return value
    for _ in range(min(1000, rng.choice([1, 1, 3, flat.size]))):  # it may have been made very long before
        i = rng.randrange(flat.size)
        if flat.dtype.kind == "f": flat[i] = rng.choice(ODD_NUMBERS)
        elif flat.dtype.kind in "iu":
            low, high = np.iinfo(flat.dtype).min, np.iinfo(flat.dtype).max
            flat[i] = max(low, min(high, rng.choice(ODD_INTEGERS)))
        elif flat.dtype.kind == "S": flat[i] = rng.choice(ODD_TEXTS).encode()
        elif flat.dtype.names:
            name = rng.choice(flat.dtype.names)
            field = flat[name]
            field[i:i + 1] = odd_like(field[i:i + 1], rng)
    return flat.reshape(value.shape)


def attributes_of(f):
    found = [(f, name) for name in f.attrs]
    f.visititems(lambda _, item: found.extend((item, name) for name in item.attrs))
    return found


def datasets_of(f):
    found = []
    f.visititems(lambda path, item: found.append(path) if isinstance(item, h5py.Dataset) else None)
    return found


def change_attribute(f, rng):
    item, name = rng.choice([a for a in attributes_of(f) if a[1] not in ("format",)])
    value = item.attrs[name]
    if isinstance(value, str): value = np.bytes_(value.encode())
    kind = rng.randrange(4)
    if kind == 0: del item.attrs[name]
    elif kind == 1: item.attrs[name] = rng.choice([1.5, 3, "text", np.zeros(3), np.array([b"a", b"b"])])
    elif np.asarray(value).dtype.kind == "O": item.attrs[name] = "other"
    elif kind == 2 and np.asarray(value).ndim:
        n = rng.choice([0, 1, len(value) + 1, max(0, len(value) - 1)])
        longer = np.concatenate([np.asarray(value)]*2) if len(value) else np.asarray(value)
        if n: item.attrs.create(name, longer[:n])
    else: item.attrs[name] = odd_like(value, rng)


def change_dataset(f, rng):
    path = rng.choice(datasets_of(f))
    data = f[path]
    kind = rng.randrange(6)
    if kind == 0:
        del f[path]
    elif kind == 1 and data.maxshape[0] is None:
        data.resize(rng.choice([0, 1, data.shape[0] + 1, 2*data.shape[0], 10**8, 2**40]), axis=0)
    elif kind == 2:
        del f[path]
        f[path] = rng.choice([np.zeros(3), np.zeros((2, 2), "i4"), np.int64(4), np.zeros((4, 5, 2)), b"text"])
    else:
        values = data[()]
        if values.size:
            row = slice(None) if rng.random() < 0.2 else slice(*sorted([rng.randrange(len(values)) for _ in "ab"]))
            if kind == 3: values[row] = values[row][::-1]
            else: values[row] = odd_like(values[row], rng)
            data[...] = values


def resize_all(f, rng):
    """All data sets of a table longer or shorter, as after a kill."""
    n = rng.choice([0, 0, 1, 2, 10**6, 10**8])
    group = rng.choice(["rows", "events", "touch"])
    for path in datasets_of(f):
        kind = "touch" if path.startswith(("touch/", "contacts")) and path != "contacts_end" else \
               "events" if path.startswith("events") else "rows"
        if kind == group and f[path].maxshape and f[path].maxshape[0] is None: f[path].resize(n, axis=0)


def mutate(source, target, seed):
    """A damaged copy; every seed another one."""
    rng = random.Random(seed)
    shutil.copy(source, target)
    os.chmod(target, 0o644)
    if rng.random() < 0.35:
        change_bytes(target, rng)
        return
    try:
        with h5py.File(target, "r+") as f:
            for _ in range(rng.choice([1, 1, 1, 2, 4])):
                rng.choice([change_attribute, change_dataset, change_dataset, resize_all])(f, rng)
    except (OSError, ValueError, TypeError, RuntimeError, LookupError, OverflowError, AttributeError, MemoryError):
        change_bytes(target, rng)
