"""A GPU that is none: the source that would run there, compiled for the host, with its arrays by column."""

from typing import ClassVar

import numpy as np

from routh.kernels.native.program import Program


class Cupy:
    """As much of CuPy as is asked for, with the cores of this machine for a device."""

    launched: ClassVar = []  # how many points each launch had; programs are kept longer than devices

    def __init__(self, devices, free):
        self.launched.clear()
        runtime_ = type("runtime", (), {"CUDARuntimeError": RuntimeError})
        runtime_.getDeviceCount = staticmethod(lambda: devices)
        runtime_.memGetInfo = staticmethod(lambda: (free, free))
        memory = type("memory", (), {"OutOfMemoryError": MemoryError})
        self.cuda = type("cuda", (), {"runtime": runtime_, "memory": memory})

    def asarray(self, array):
        return np.array(array, order="C").view(OnDevice)

    def RawModule(self, code, **_):
        """The source compiled for the host, with a kernel that goes through its points."""
        text = code.replace("AT(k, size) (id * (size) + (k))", "AT(k, size) ((k) * count + id)")
        program = Program(text)

        def get_function(name):
            def launch(blocks, threads, arguments):
                count, *arrays = arguments
                assert (blocks[0] - 1) * threads[0] < count <= blocks[0] * threads[0]
                self.launched.append(int(count))
                program.run(name, int(count), [np.asarray(a) for a in arrays])

            return launch

        return type("module", (), {"get_function": staticmethod(get_function)})


class OnDevice(np.ndarray):
    def get(self):
        return np.asarray(self)
