"""What a hash costs, by algorithm and size."""

import hashlib

import tare


@tare.parameters(algorithm=["md5", "sha1", "sha256", "blake2b"], size=[16, 4096])
@tare.processes(bytes=lambda size: size)
def bench_digest(algorithm, size):
    hashlib.new(algorithm, TEXT[:size]).digest()


TEXT = b"tare" * 1024


def bench_nothing():
    pass
