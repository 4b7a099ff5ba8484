<?php

declare(strict_types=1);

/**
 * One request's head, as RFC 9112 has it, and how long its body is.
 */
final class Request
{
    public string $line;
    public string $method;
    public string $target;
    public bool $isKeptAlive;
    public int $length;
    /** The client waits for a word before it sends the body. */
    public bool $isExpecting;

    private const TOKEN = '[!#$%&\'*+.^_`|~0-9A-Za-z-]+';

    /**
     * @param string $head from the request line to the last field, without the empty line
     *
     * @throws Refusal for what isn't HTTP/1.1 or 1.0
     */
    public function __construct(string $head)
    {
        $lines = explode("\r\n", $head);
        $this->line = array_shift($lines);
        if (preg_match('@^(' . self::TOKEN . ') ([\x21-\x7e]+) HTTP/(\d)\.(\d)$@D', $this->line, $parts) !== 1) {
            throw new Refusal(400);
        }
        [, $this->method, $this->target, $major, $minor] = $parts;
        if ($major !== '1') {
            throw new Refusal(505);
        }
        $fields = $this->fields($lines);
        $isOld = $minor === '0';
        // One Host, and no more than one; before 1.1 there need be none (RFC 9112, 3.2).
        if (count($fields['host'] ?? []) !== 1 && !($isOld && !isset($fields['host']))) {
            throw new Refusal(400);
        }
        $this->length = $this->bodyLength($fields);
        $this->isExpecting = !$isOld && strtolower($fields['expect'][0] ?? '') === '100-continue';
        $connection = array_map('trim', explode(',', strtolower(implode(',', $fields['connection'] ?? []))));
        $this->isKeptAlive = !in_array('close', $connection, true) && (!$isOld || in_array('keep-alive', $connection, true));
    }

    /** The path, where the target is one or a whole http address. */
    public function path(): ?string
    {
        if (preg_match('~^(?:http://[^/?#]+)?(/[^?#]*)(?:\?[^#]*)?$~Di', $this->target, $parts) === 1) {
            return $parts[1];
        }

        return null;
    }

    /**
     * @param list<string> $lines
     *
     * @return array<string, list<string>> values by names in lower case
     */
    private function fields(array $lines): array
    {
        $fields = [];
        foreach ($lines as $line) {
            // A line that begins with a blank would continue the last one: obsolete, and a way to smuggle (RFC 9112, 5.2).
            if (preg_match('@^(' . self::TOKEN . '):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$@D', $line, $parts) !== 1) {
                throw new Refusal(400);
            }
            $fields[strtolower($parts[1])][] = $parts[2];
        }

        return $fields;
    }

    /** @param array<string, list<string>> $fields */
    private function bodyLength(array $fields): int
    {
        $lengths = $fields['content-length'] ?? [];
        if (isset($fields['transfer-encoding'])) {
            // With both, two readers may disagree about where the next request begins (RFC 9112, 6.1).
            throw new Refusal($lengths === [] ? 501 : 400);
        }
        if ($lengths === []) {
            return 0;
        }
        if (count(array_unique($lengths)) !== 1 || preg_match('~^\d{1,18}$~D', $lengths[0]) !== 1) {
            throw new Refusal(400);
        }
        if ((int) $lengths[0] > Connection::LONGEST_BODY) {
            throw new Refusal(413);
        }

        return (int) $lengths[0];
    }
}
