<?php

declare(strict_types=1);

namespace Tare\Package;

/** The archive with the program for this machine, as the package's list has it. */
final class Release
{
    private const LIST = __DIR__ . '/../archives.json';

    /** @var string */
    public $version;

    /** @var string the archive's name */
    public $file;

    /** @var string */
    public $sha256;

    /** @var int */
    public $bytes;

    /** @var string where the archive is */
    public $url;

    /** @param array{version: string, source: string, archives: array<string, array{file: string, sha256: string, bytes: int}>} $list */
    private function __construct(array $list, string $platform)
    {
        $archive = $list['archives'][$platform];
        $this->version = $list['version'];
        $this->file = $archive['file'];
        $this->sha256 = $archive['sha256'];
        $this->bytes = $archive['bytes'];
        $this->url = $list['source'] === '' ? '' : \rtrim($list['source'], '/') . '/' . $archive['file'];
    }

    public static function forThisMachine(): self
    {
        $list = \json_decode((string) @\file_get_contents(self::LIST), true);
        if (!\is_array($list)) {
            throw Failure::failed('the list of archives in ' . \dirname(__DIR__) . " can't be read. Run `composer reinstall tare-bench/tare`.");
        }
        $platform = \PHP_OS_FAMILY . '-' . \php_uname('m');
        if (!isset($list['archives'][$platform])) {
            $known = \implode(', ', \array_keys($list['archives']));
            throw Failure::failed(
                "no archive has the program for $platform; there are archives for $known. "
                . 'Build Tare from its sources on this machine, and set TARE_BINARY to the program.'
            );
        }
        $release = new self($list, $platform);
        $named = \getenv('TARE_URL');
        if (\is_string($named) && $named !== '') {
            $release->url = $named;
        }

        return $release;
    }
}
