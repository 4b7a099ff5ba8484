<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Requests from standard input, replies to `TARE_WIRE` (PROTOCOL 1.1). Both are handles of the worker's own: the user's code
 * may close STDIN and STDOUT, or buffer its output.
 */
final class Wire
{
    /** PHP makes a buffer of this size for every read. */
    private const CHUNK = 65536;

    /** Seconds that a frame waits for others, as long as frames come. */
    private const LONGEST_QUEUED = 0.05;

    /** Interrupted reads in a row after which the input counts as ended. */
    private const PATIENCE = 1000;

    /** @var resource|false|null what stands in for standard input; kept, or its descriptor would be free again */
    private static $nothing;

    /** @var resource */
    private $in;

    /** @var resource */
    private $out;

    /** @var bool */
    private $closed = false;

    /** @var string frames that go out together, with their line feeds */
    private $queued = '';

    /** @var float seconds on the clock at which the first of them was queued */
    private $since = 0.0;

    /**
     * @param resource $in
     * @param resource $out
     */
    private function __construct($in, $out)
    {
        $this->in = $in;
        $this->out = $out;
    }

    /** Blocks until the core has opened the other end of the FIFO. Null when a side can't be opened. */
    public static function open(): ?self
    {
        $path = \getenv('TARE_WIRE');
        $path = \is_string($path) && $path !== '' ? $path : 'php://stdout';
        $in = \fopen('php://stdin', 'rb');
        $out = Quiet::call(static function () use ($path) {
            // Opening for writing would create what doesn't exist, and nobody would read it.
            return $path === 'php://stdout' || \file_exists($path) ? \fopen($path, 'wb') : false;
        });

        if ($in !== false && $out !== false && \defined('STDIN') && \is_resource(\STDIN)) {
            // A subject that reads standard input would take the core's requests, and wait for ever. The lowest free descriptor
            // is the one that was just closed, so it finds the null device there.
            \fclose(\STDIN);
            self::$nothing = \fopen('/dev/null', 'rb');
        }

        return $in === false || $out === false ? null : new self($in, $out);
    }

    /**
     * The next line that isn't empty, without its end; null at the end of input. A last line without a line feed was cut
     * off and doesn't count.
     *
     * @throws Fault when the line is longer than a frame may be
     */
    public function read(): ?string
    {
        while (($line = $this->chunk()) !== null) {
            $complete = \substr($line, -1) === "\n";
            while (!$complete && ($chunk = $this->chunk()) !== null) {
                $complete = \substr($chunk, -1) === "\n";
                // Of a line that is too long anyhow only the end matters.
                $line = \strlen($line) > Frames::MAX_BYTES + 2 ? $line : $line . $chunk;
            }
            $line = $complete ? \substr($line, 0, -1) : $line;
            $line = \substr($line, -1) === "\r" ? \substr($line, 0, -1) : $line;
            if (\strlen($line) > Frames::MAX_BYTES) {
                throw new Fault('bad-frame', 'The line is longer than ' . Frames::MAX_BYTES . ' bytes.');
            }
            if ($complete && $line !== '') {
                return $line;
            }
        }

        return null;
    }

    /**
     * @param array<string, mixed> $frame
     */
    public function send(array $frame): void
    {
        $this->queue($frame);
        $this->flush();
    }

    /**
     * Of many frames that come at once each would wake the core by itself. It goes out with the next one that is sent, before code of the user's runs, and with one that is queued a while
     * after it: an autoloader may take its time for an attribute, and the core counts the time since it heard of the last case.
     *
     * @param array<string, mixed> $frame
     */
    public function queue(array $frame): void
    {
        $now = \microtime(true);
        $this->since = $this->queued === '' ? $now : $this->since;
        $this->queued .= Frames::encode($frame) . "\n";
        if (\strlen($this->queued) >= self::CHUNK || \abs($now - $this->since) > self::LONGEST_QUEUED) {
            $this->flush();
        }
    }

    public function flush(): void
    {
        if ($this->queued === '') {
            return;
        }
        $text = $this->queued;
        $this->queued = '';
        Quiet::call(function () use ($text): void {
            for ($at = 0, $length = \strlen($text); $at < $length && !$this->closed; $at += $written) {
                $written = \fwrite($this->out, $at === 0 ? $text : \substr($text, $at));
                $this->closed = $written === false || $written === 0;
            }
        });
    }

    /** Whether the core has closed its end: there is nobody left to work for. */
    public function isClosed(): bool
    {
        return $this->closed;
    }

    private function chunk(): ?string
    {
        return Quiet::call(function (): ?string {
            for ($tries = 0; $tries < self::PATIENCE; ++$tries) {
                $line = \fgets($this->in, self::CHUNK);
                if ($line !== false) {
                    return $line;
                }
                if (\feof($this->in)) {
                    break;
                }
            }

            return null;
        });
    }
}
