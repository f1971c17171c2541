"""The numpy engine is one more engine of this process."""

from engines.numpy_engine import NumpyEngine
from unveil.engines.select import engine_names, register

if NumpyEngine.name not in engine_names():
    register(NumpyEngine.name, NumpyEngine)
