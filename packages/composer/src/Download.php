<?php

declare(strict_types=1);

namespace Tare\Package;

/** Fetches a file by curl where PHP has it, else by a stream. */
final class Download
{
    private const TRIES = 3;
    /** Seconds until a connection stands, and without a byte. */
    private const PATIENCE = 30;

    /** Writes what is at $url to $file, no more than $bytes of it and one. */
    public static function fetch(string $url, string $file, int $bytes): void
    {
        // PHP's streams know more, such as php://stdin. A plain path is one, too.
        if (\preg_match('~^(?!(?:https?|file)://)[a-z][a-z0-9+.-]*:~i', $url) === 1) {
            throw Failure::usage('TARE_URL is ' . self::shown($url) . ', which Tare can\'t fetch. Write https://, http:// or file://.');
        }
        for ($try = 1; ; ++$try) {
            try {
                $isRemote = \preg_match('~^https?://~i', $url) === 1;
                $isRemote && \function_exists('curl_init') ? self::byCurl($url, $file, $bytes) : self::byStream($url, $file, $bytes);

                return;
            } catch (Failure $failure) {
                if (!$isRemote || !$failure->isPassing || $try === self::TRIES) {
                    throw $failure;
                }
            }
            \usleep($try * 500000);
        }
    }

    /** An address without its password and signature, as messages show it. */
    public static function shown(string $url): string
    {
        return (string) \preg_replace(['~//[^/]*@~', '~[?].*~s'], ['//…@', '?…'], $url);
    }

    private static function byCurl(string $url, string $file, int $bytes): void
    {
        $goal = self::opened($file);
        $written = 0;
        $curl = \curl_init($url);
        \curl_setopt_array($curl, [
            \CURLOPT_FOLLOWLOCATION => true,
            \CURLOPT_MAXREDIRS => 5,
            \CURLOPT_PROTOCOLS => \CURLPROTO_HTTP | \CURLPROTO_HTTPS,
            \CURLOPT_REDIR_PROTOCOLS => \stripos($url, 'https:') === 0 ? \CURLPROTO_HTTPS : \CURLPROTO_HTTP | \CURLPROTO_HTTPS,
            \CURLOPT_FAILONERROR => true,
            \CURLOPT_CONNECTTIMEOUT => self::PATIENCE,
            \CURLOPT_LOW_SPEED_LIMIT => 1,
            \CURLOPT_LOW_SPEED_TIME => self::PATIENCE,
            \CURLOPT_USERAGENT => 'tare',
            \CURLOPT_WRITEFUNCTION => static function ($curl, string $part) use ($goal, $file, $bytes, &$written): int {
                $written += \strlen($part);
                self::write($goal, $part, $file);

                return $written > $bytes ? -1 : \strlen($part);
            },
        ]);
        $isDone = \curl_exec($curl);
        $reason = \curl_error($curl);
        \fclose($goal);
        if ($isDone === false && $written <= $bytes) {
            throw self::unreachable($url, $reason);
        }
    }

    private static function byStream(string $url, string $file, int $bytes): void
    {
        $proxy = Proxy::of($url);
        $http = ['timeout' => self::PATIENCE, 'max_redirects' => 5, 'user_agent' => 'tare', 'protocol_version' => 1.1];
        if ($proxy !== null) {
            // A request for https goes through the proxy unseen, and names no host to it but by CONNECT.
            $http += ['proxy' => $proxy->address, 'request_fulluri' => \stripos($url, 'https:') !== 0];
        }
        $http['header'] = ['Connection: close'];
        if ($proxy !== null && $proxy->authorization !== null) {
            $http['header'][] = "Proxy-Authorization: $proxy->authorization";
        }
        // Of a certificate that isn't trusted the first warning tells, and the last one only that the stream can't be opened.
        $warnings = [];
        \set_error_handler(static function (int $level, string $message) use (&$warnings): bool {
            $warnings[] = $message;

            return true;
        });
        try {
            $source = \fopen($url, 'r', false, \stream_context_create(['http' => $http]));
        } finally {
            \restore_error_handler();
        }
        if ($source === false) {
            throw self::unreachable($url, self::told($warnings));
        }
        $expected = self::length(\stream_get_meta_data($source)['wrapper_data'] ?? []);
        $goal = self::opened($file);
        for ($written = 0; $written <= $bytes && !\feof($source); $written += \strlen($part)) {
            $part = @\fread($source, 1 << 16);
            if ($part === false) {
                throw self::unreachable($url, Failure::reason());
            }
            if ($part === '' && \stream_get_meta_data($source)['timed_out']) {
                throw self::unreachable($url, 'no byte came in ' . self::PATIENCE . ' s');
            }
            self::write($goal, $part, $file);
        }
        if ($expected !== null && $written < \min($expected, $bytes)) {
            throw self::unreachable($url, "the connection ended after $written of $expected bytes");
        }
        \fclose($goal);
        \fclose($source);
    }

    /** @param list<string> $warnings of PHP, while it opened a stream */
    private static function told(array $warnings): string
    {
        $reasons = \array_filter(\array_map([Failure::class, 'told'], $warnings), static function (string $reason): bool {
            return !\in_array($reason, ['', 'operation failed', 'Failed to enable crypto'], true);
        });

        return $reasons === [] ? 'the server closed the connection without an answer' : \implode('; ', \array_unique($reasons));
    }

    /**
     * What the last answer of a stream says of its length.
     *
     * @param mixed $headers of all answers, where it is one of HTTP
     */
    private static function length($headers): ?int
    {
        $length = null;
        foreach (\is_array($headers) ? $headers : [] as $header) {
            if (\preg_match('~^HTTP/~i', $header) === 1) {
                $length = null;
            } elseif (\preg_match('~^Content-Length:\s*(\d+)~i', $header, $found) === 1) {
                $length = (int) $found[1];
            }
        }

        return $length;
    }

    /** @return resource */
    private static function opened(string $file)
    {
        $goal = @\fopen($file, 'w');
        if ($goal === false) {
            throw Failure::failed("$file can't be written: " . Failure::reason() . '. Set XDG_CACHE_HOME to a folder that can be written.');
        }

        return $goal;
    }

    /** @param resource $goal */
    private static function write($goal, string $part, string $file): void
    {
        \error_clear_last();
        if (@\fwrite($goal, $part) !== \strlen($part)) {
            throw Failure::failed("$file can't be written: " . Failure::reason() . '. Free some space there, or set XDG_CACHE_HOME to another folder.');
        }
    }

    private static function unreachable(string $url, string $reason): Failure
    {
        // curl quotes a proxy that it doesn't understand.
        $reason = (string) \preg_replace('~[^\s\'"/]+@~', '…@', $reason);
        $isRemote = \preg_match('~^https?://~i', $url) === 1;
        $proxy = $isRemote ? Proxy::shown($url) : null;
        $failure = Failure::failed(
            "Tare's program can't be fetched from " . self::shown($url) . ($proxy === null ? '' : " through the proxy $proxy") . ": $reason. "
            . ($isRemote ? 'Set https_proxy if there is a proxy, TARE_URL to the address of a copy, or TARE_BINARY to the program.'
                : 'Set TARE_URL to the address of the archive, or TARE_BINARY to the program.')
        );
        // What a server refuses (4xx) it refuses again, but for its haste.
        $failure->isPassing = \preg_match('/(?:error: |HTTP\/\S+ )4(?!08|25|29)\d\d\b/', $reason) !== 1;

        return $failure;
    }
}
