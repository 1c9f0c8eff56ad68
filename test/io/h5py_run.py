# Run files as others see them: with h5py alone, after the end of a run and after its writer was killed.
import os, subprocess, sys, tempfile

try:
    import h5py, numpy as np
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)  # SKIP_RETURN_CODE of cmake/tests.cmake

program = os.path.join(os.environ["SS_BUILD_DIR"], "test", "test-io-record")
STEPS = ["t", "step", "q", "u", "gap", "state", "Lambda", "Lambda_bilateral", "gamma", "residual",
         "iterations", "status", "choice"]
ENERGY = ["kinetic", "potential", "work_forces", "work_drive", "loss_normal", "loss_friction", "work_projection",
          "defect"]
COUNTS = ["steps", "events", "impacts", "not_solved", "energy_gain", "max_residual", "max_penetration",
          "max_constraint_error", "max_limit_error", "several_forces", "several_motions"]

def value(i, k, c):  # as in run_fixture.h
    return np.sin(1e-3*i + k + 0.1*c) + 1e-9*i

def same(a, b):
    assert a.shape == b.shape, (a.shape, b.shape)
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-14)

def check_rows(f, n):
    i = np.arange(n)
    for name in STEPS: assert len(f[name]) == n, name
    for name in ENERGY: assert len(f["energy"][name]) == n, name
    for name in COUNTS: assert len(f["counts"][name]) == n, name
    same(f["t"][:], 7.5e-4*i)
    same(f["step"][:], 3*i)
    same(f["q"][:], np.stack([value(i, 1, c) for c in range(3)], axis=1))
    same(f["u"][:], np.stack([value(i, 2, c) for c in range(3)], axis=1))
    same(f["gap"][:, 1], value(i, 3, 1))
    same(f["state"][:], (i[:, None]//100 + np.arange(3)) % 5)
    same(f["Lambda"][:, 2, 1], np.where(f["state"][:, 2] == 0, 0, value(i, 5, 2)))
    same(f["Lambda_bilateral"][:, 0], value(i, 8, 0))
    same(f["gamma"][:, 0, 0], value(i, 6, 0))
    same(f["energy/defect"][:], value(i, 17, 0))
    same(f["counts/events"][:], i//5)

def check_events(f, n):
    j = np.arange(n)
    events = f["events"][:]
    same(events["step"], 3*(5*j + 5))
    same(events["contact"], j % 3)
    same(events["Lambda_T"], value(j, 25, 0))
    same(events["energy_after"], value(j, 27, 0))
    same(f["events_q"][:, 2], value(5*j + 5, 1, 2))
    assert h5py.check_enum_dtype(f["events"].dtype["kind"]) == {"impact": 0, "detach": 1, "stick": 2, "slip": 3,
                                                                 "accumulation": 4, "pass": 5}

def text(object, name): return object.attrs[name].decode()
def texts(object, name): return [t.decode() for t in object.attrs[name]]

def check_names(f, status):
    assert text(f, "run_status") == status and text(f, "format") == "stickslip run", dict(f.attrs)
    assert texts(f["q"], "columns") == ["x", "φ_M", "phi_S"]
    assert texts(f["gap"], "columns") == ["beak", "sleeve_upper", "Ärmel"]
    assert text(f["t"], "unit") == "s"
    assert texts(f["model"], "units") == ["m", "rad", ""]
    assert "ünïcode" in text(f["model"], "text")
    assert dict(zip(texts(f["model"], "parameter_names"), f["model"].attrs["parameter_values"]))["µ₀"] == 0.3
    assert texts(f["model"], "override_values") == ["0.25", "pi/6 - 0.1"]
    assert text(f["settings"], "integrator") == "euler" and f["settings"].attrs["dt"] == 2.5e-4
    enum = h5py.check_enum_dtype(f["state"].dtype)
    assert enum == {"open": 0, "stick": 1, "slip+": 2, "slip-": 3, "closed": 4, "slip": 5}, enum

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "run.h5")
    for n in [1, 10, 4096, 9000]:
        subprocess.run([program, "write", path, str(n)], check=True)
        with h5py.File(path) as f:
            check_rows(f, n)
            check_events(f, (n - 1)//5)
            check_names(f, "complete")
        killed = subprocess.run([program, "kill", path, str(n)])
        assert killed.returncode == -9, killed
        with h5py.File(path, "r", swmr=True) as f:
            check_rows(f, n)
            check_events(f, (n - 1)//5)
            check_names(f, "running")
    assert os.listdir(folder) == ["run.h5"]
print("as written")
