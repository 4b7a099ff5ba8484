<?php

declare(strict_types=1);

namespace Tare\Package;

/** Why the program can't be started: what happened, where, and what to do. */
final class Failure extends \RuntimeException
{
    /** Statuses of the program: wrong configuration, and what failed. */
    public const USAGE = 2;
    public const FAILED = 4;

    /** @var bool whether another try may do better */
    public $isPassing = false;

    public static function usage(string $message): self
    {
        return new self($message, self::USAGE);
    }

    public static function failed(string $message): self
    {
        return new self($message, self::FAILED);
    }

    /** What PHP said of a call that failed, without the call's name and arguments. */
    public static function reason(): string
    {
        return self::told(\error_get_last()['message'] ?? 'no reason given');
    }

    /** A warning of PHP's without the call's name and arguments. */
    public static function told(string $warning): string
    {
        $reason = (string) \preg_replace('/^.*(?:ailed to open stream: |\): |errno[ =]\d+\)? )/s', '', $warning);

        return \trim((string) \preg_replace(['/^HTTP request failed!/', '/\s+/'], ['', ' '], $reason), ' .');
    }
}
