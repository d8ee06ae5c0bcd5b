"""
Makes system calls that code in the SSH service could make, and for which Node.js has no functions. Run as
`python3 raw-calls.py PID-OF-MASTER RESULT-FILE`. Each result is "done" or the code of an error.
"""
import ctypes
import errno
import json
import platform
import struct
import sys

# Numbers of the system calls on x86_64 and aarch64.
CALLS = {
    'kill': (62, 129),
    'tkill': (200, 130),
    'tgkill': (234, 131),
    'rt_sigqueueinfo': (129, 138),
    'rt_tgsigqueueinfo': (297, 240),
    'pidfd_open': (434, 434),
    'pidfd_send_signal': (424, 424),
    'process_vm_readv': (310, 270),
    'process_vm_writev': (311, 271),
    'io_setup': (206, 0),
    'io_uring_setup': (425, 425),
    'io_uring_enter': (426, 426),
    'io_uring_register': (427, 427),
    'connect': (42, 203),
    'sendto': (44, 206),
    'sendmsg': (46, 211),
    'sendmmsg': (307, 269),
}
COLUMN = ['x86_64', 'aarch64'].index(platform.machine())

pid = int(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.syscall.argtypes = [ctypes.c_long] * 7


def attempt(name, *args):
    padded = [*args, *[0] * (6 - len(args))]
    result = libc.syscall(CALLS[name][COLUMN], *padded)
    return 'done' if result != -1 else errno.errorcode[ctypes.get_errno()]


# Signal 0 only checks whether the process may send signals. The third number is si_code, here SI_QUEUE.
signal_info = ctypes.create_string_buffer(struct.pack('iii', 0, 0, -1), 128)
context = ctypes.c_long(0)
uring_parameters = ctypes.create_string_buffer(120)

arguments = {
    'kill': (pid, 0),
    'tkill': (pid, 0),
    'tgkill': (pid, pid, 0),
    'rt_sigqueueinfo': (pid, 0, ctypes.addressof(signal_info)),
    'rt_tgsigqueueinfo': (pid, pid, 0, ctypes.addressof(signal_info)),
    'pidfd_open': (pid,),
    'process_vm_readv': (pid,),
    'process_vm_writev': (pid,),
    'io_setup': (1, ctypes.addressof(context)),
    'io_uring_setup': (1, ctypes.addressof(uring_parameters)),
}
# The calls that are missing in `arguments` get an invalid file descriptor, -1.
results = {name: attempt(name, *arguments.get(name, (-1,))) for name in CALLS}
with open(sys.argv[2], 'w', encoding='utf-8') as file:
    json.dump(results, file)
