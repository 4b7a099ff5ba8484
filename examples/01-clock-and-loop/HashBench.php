<?php

declare(strict_types=1);

use PhpBench\Attributes as Bench;

/**
 * hash() over every algorithm that PHP builds have in common, on a short and on a long payload.
 */
final class HashBench
{
    private const ALGORITHMS = [
        'adler32', 'crc32', 'crc32b', 'fnv1a32', 'fnv1a64', 'joaat', 'md4', 'md5', 'ripemd160', 'sha1',
        'sha224', 'sha256', 'sha384', 'sha512', 'sha3-256', 'tiger192,3', 'whirlpool',
    ];

    /** @return iterable<string, array{algorithm: string, payload: string}> */
    public function provideAlgorithms(): iterable
    {
        foreach (self::ALGORITHMS as $algorithm) {
            foreach (['16 B' => 16, '1 KiB' => 1024] as $size => $bytes) {
                yield "$algorithm $size" => ['algorithm' => $algorithm, 'payload' => str_repeat('x', $bytes)];
            }
        }
    }

    /** @param array{algorithm: string, payload: string} $params */
    #[Bench\ParamProviders('provideAlgorithms')]
    public function benchHash(array $params): void
    {
        hash($params['algorithm'], $params['payload']);
    }
}
