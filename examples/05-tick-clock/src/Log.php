<?php

declare(strict_types=1);

/**
 * A line for each request, written once a turn.
 */
final class Log
{
    /** @var resource|null */
    private $stream;
    private string $lines = '';
    /** Requests that were answered. */
    public int $requests = 0;

    /** @param resource|null $stream nothing is kept without one */
    public function __construct($stream)
    {
        $this->stream = $stream;
    }

    public function add(string $client, DateTimeImmutable $date, string $line, int $status, int $size, int $nanoseconds): void
    {
        ++$this->requests;
        $line = strtr($line, ['"' => '\\"', '\\' => '\\\\']);
        $this->lines .= "$client [{$date->format('Y-m-d\TH:i:s.uP')}] \"$line\" $status $size " . intdiv($nanoseconds, 1000) . "us\n";
    }

    public function write(): void
    {
        if ($this->stream !== null && $this->lines !== '') {
            fwrite($this->stream, $this->lines);
        }
        $this->lines = '';
    }
}
