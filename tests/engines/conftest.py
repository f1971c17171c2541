"""The numpy engine is one more engine of this process."""

from engines.numpy_engine import NumpyEngine
from unveil.engines.select import register

register(NumpyEngine)
