#!/usr/bin/env python3
"""Holds one thread of a process, and no other, until that is killed: its first, which runs the loop.

    hold.py PROCESS
"""
import ctypes
import os
import sys

PTRACE_ATTACH = 16

process = int(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
if libc.ptrace(PTRACE_ATTACH, process, None, None) == -1:
    sys.exit(f"hold: {os.strerror(ctypes.get_errno())}")
while os.WIFSTOPPED(os.waitpid(process, 0)[1]):
    pass
