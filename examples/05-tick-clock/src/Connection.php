<?php

declare(strict_types=1);

use Tare\Clock\Clock;

/**
 * One client: bytes come in, answers go out, without a socket. It asks for the time where servers do: when bytes arrive, for the
 * deadline, the Date field, the log line and the duration in it.
 */
final class Connection
{
    public const LONGEST_HEAD = 8192;
    public const LONGEST_BODY = 65536;
    /** More than this waits to be sent: no more is read from a client that doesn't take its answers. */
    private const MOST_WAITING = 65536;

    /** What waits to be sent. */
    public string $output = '';
    /** Nothing more is read; closed as soon as the output is sent. */
    public bool $isClosing = false;
    /** The client may still be sending what nobody reads: it is let finish, or closing would take the answer away from it. */
    public bool $isDiscarding = false;
    /** Monotonic nanoseconds after which it is given up. */
    public int $deadline;

    private const REASONS = [
        200 => 'OK', 400 => 'Bad Request', 404 => 'Not Found', 405 => 'Method Not Allowed', 408 => 'Request Timeout',
        413 => 'Content Too Large', 414 => 'URI Too Long', 431 => 'Request Header Fields Too Large', 501 => 'Not Implemented',
        505 => 'HTTP Version Not Supported',
    ];

    private string $name;
    private Clock $wall;
    private Clock $monotonic;
    private Log $log;
    private int $patience;
    private string $input = '';
    private ?int $begun = null;
    private ?Request $request = null;

    /**
     * @param string $name     the client's address, for the log
     * @param int    $patience nanoseconds that a client may take for a request, for taking an answer, or between two requests
     */
    public function __construct(string $name, Clock $wall, Clock $monotonic, Log $log, int $patience)
    {
        $this->name = $name;
        $this->wall = $wall;
        $this->monotonic = $monotonic;
        $this->log = $log;
        $this->patience = $patience;
        $this->deadline = $monotonic->nanoseconds() + $patience;
    }

    public function isReading(): bool
    {
        return !$this->isClosing && strlen($this->output) < self::MOST_WAITING;
    }

    /** Bytes have come; as many requests as are complete in them are answered, in their order. */
    public function receive(string $bytes): void
    {
        $this->input .= $bytes;
        if ($this->begun === null && $this->input !== '') {
            // A client that sends a byte now and then gets no more time than one that sends none: it is for the whole request.
            $this->begun = $this->monotonic->nanoseconds();
            $this->deadline = $this->begun + $this->patience;
        }
        $this->advance();
    }

    /** So many bytes of the output are on their way. */
    public function sent(int $count): void
    {
        $this->output = substr($this->output, $count);
        if ($this->begun === null || $this->output !== '') {
            $this->deadline = $this->monotonic->nanoseconds() + $this->patience;
        }
        if ($this->isReading() && $this->input !== '') {
            $this->receive('');
        }
    }

    /** The deadline is over: half a request is answered with 408, a client that is idle or doesn't read is just left. */
    public function expire(): void
    {
        if ($this->begun !== null && $this->output === '') {
            $this->refuse(408);
        } else {
            $this->output = '';
        }
        $this->isClosing = true;
        $this->deadline = $this->monotonic->nanoseconds() + $this->patience;
    }

    private function advance(): void
    {
        try {
            while ($this->isReading() && $this->input !== '') {
                if ($this->request === null && !$this->readHead()) {
                    return;
                }
                if (strlen($this->input) < $this->request->length) {
                    if ($this->request->isExpecting) {
                        $this->request->isExpecting = false;
                        $this->output .= "HTTP/1.1 100 Continue\r\n\r\n";
                    }

                    return;
                }
                $this->input = (string) substr($this->input, $this->request->length);
                $this->answer($this->request);
            }
        } catch (Refusal $refusal) {
            $this->refuse($refusal->getCode());
        }
    }

    /** Whether the head of a request is complete. */
    private function readHead(): bool
    {
        // Empty lines before a request are passed over (RFC 9112, 2.2).
        if ($this->input[0] === "\r") {
            $this->input = (string) preg_replace('~^(?:\r\n)+~D', '', $this->input);
        }
        $end = strpos($this->input, "\r\n\r\n");
        $head = $end === false ? $this->input : substr($this->input, 0, $end);
        if (strlen($head) > self::LONGEST_HEAD) {
            throw new Refusal(strpos(substr($head, 0, self::LONGEST_HEAD), "\r\n") === false ? 414 : 431);
        }
        // A line end without its half, or a zero: no request, however it goes on.
        if (preg_match('~(?<!\r)\n|\r(?!\n|$)|\x00~D', $head) === 1) {
            throw new Refusal(400);
        }
        if ($end === false) {
            return false;
        }
        $this->input = (string) substr($this->input, $end + 4);
        $this->request = new Request($head);

        return true;
    }

    private function answer(Request $request): void
    {
        $path = $request->path();
        if ($path === null) {
            throw new Refusal(400);
        }
        $isRead = in_array($request->method, ['GET', 'HEAD', 'POST'], true);
        $status = $isRead ? ($path === '/' ? 200 : 404) : (in_array($request->method, ['PUT', 'DELETE', 'OPTIONS', 'PATCH'], true) ? 405 : 501);
        $body = $status === 200 ? "Hello.\n" : self::REASONS[$status] . "\n";
        $this->write($status, $body, $request->isKeptAlive, $request->method === 'HEAD', $status === 405 ? "Allow: GET, HEAD, POST\r\n" : '');
        $this->finish($request->line, $status, strlen($body));
        $this->isClosing = !$request->isKeptAlive;
    }

    private function refuse(int $status): void
    {
        $body = self::REASONS[$status] . "\n";
        $this->write($status, $body, false, false, '');
        $this->finish($this->request->line ?? '-', $status, strlen($body));
        $this->isClosing = $this->isDiscarding = true;
        $this->input = '';
    }

    private function write(int $status, string $body, bool $isKeptAlive, bool $isHead, string $fields): void
    {
        $this->output .= "HTTP/1.1 $status " . self::REASONS[$status] . "\r\n"
            . 'Date: ' . gmdate('D, d M Y H:i:s', (int) $this->wall->seconds()) . " GMT\r\n"
            . "Content-Type: text/plain\r\nContent-Length: " . strlen($body) . "\r\n"
            . 'Connection: ' . ($isKeptAlive ? 'keep-alive' : 'close') . "\r\n$fields\r\n" . ($isHead ? '' : $body);
    }

    private function finish(string $line, int $status, int $size): void
    {
        $now = $this->monotonic->nanoseconds();
        $this->log->add($this->name, $this->wall->now(), $line, $status, $size, $now - ($this->begun ?? $now));
        $this->request = null;
        // What has come already is the next request's begin.
        $this->begun = $this->input === '' ? null : $now;
        $this->deadline = $this->monotonic->nanoseconds() + $this->patience;
    }
}
