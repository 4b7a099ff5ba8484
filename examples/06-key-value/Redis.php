<?php

declare(strict_types=1);

/** A client of Redis and Valkey over a plain stream: what is needed here of their protocol (RESP 2). */
final class Redis
{
    /** @var resource */
    private $stream;

    public function __construct(string $address)
    {
        $stream = stream_socket_client("tcp://$address", $number, $message, 5);
        if ($stream === false) {
            throw new RuntimeException("no server at $address: $message");
        }
        stream_set_timeout($stream, 5);
        $this->stream = $stream;
    }

    public function get(string $key): ?string
    {
        return $this->ask('*2' . self::words('GET', $key));
    }

    public function set(string $key, string $value): void
    {
        if ($this->ask('*3' . self::words('SET', $key, $value)) !== 'OK') {
            throw new RuntimeException('SET was not answered with OK');
        }
    }

    private static function words(string ...$words): string
    {
        $text = "\r\n";
        foreach ($words as $word) {
            $text .= '$' . strlen($word) . "\r\n$word\r\n";
        }

        return $text;
    }

    private function ask(string $request): ?string
    {
        if (fwrite($this->stream, $request) !== strlen($request)) {
            throw new RuntimeException('the server went away');
        }
        $line = fgets($this->stream);
        if ($line === false) {
            throw new RuntimeException('the server did not answer');
        }
        $rest = substr($line, 1, -2);
        switch ($line[0]) {
            case '+':
                return $rest;
            case '$':
                return $rest === '-1' ? null : $this->bytes((int) $rest);
            default:
                throw new RuntimeException("the server said: $line");
        }
    }

    private function bytes(int $length): string
    {
        $left = $length + 2;
        $text = '';
        while ($left > 0) {
            $part = fread($this->stream, $left);
            if ($part === false || $part === '') {
                throw new RuntimeException('the server did not answer in full');
            }
            $text .= $part;
            $left -= strlen($part);
        }

        return substr($text, 0, $length);
    }
}
