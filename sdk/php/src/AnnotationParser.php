<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Reads PHPBench's annotations out of a doc comment: `@Revs(1000)`, `@Bench\ParamProviders({"a", "b"}, extend=true)`. The
 * grammar of the arguments is Doctrine's: strings in double quotes (doubled inside), numbers, true, false, null,
 * `{…}` with keys by `=` or `:`, constants. Every other tag is passed over.
 */
final class AnnotationParser
{
    /** @var string */
    private $text = '';

    /** @var int */
    private $at = 0;

    /** @var list<string> namespaces and classes in which a constant's name may be meant */
    private $scopes;

    /** @var array<string, string> what names at the beginning of the file stand for */
    private $imports;

    /**
     * @param list<string> $scopes prefixes tried before the name of a constant
     * @param array<string, string> $imports full names by alias
     */
    public function __construct(array $scopes = [], array $imports = [])
    {
        $this->scopes = $scopes;
        $this->imports = $imports;
    }

    /**
     * @return list<Declaration>
     */
    public function parse(string $comment): array
    {
        $this->text = (string) \preg_replace(['~^\s*/\*\*~', '~\*+/\s*$~', '~^[ \t]*\*~m'], '', $comment);
        $this->at = 0;
        $found = [];
        while (\preg_match('/(?<![^\s)])@(\\\\?[A-Za-z_][\w\\\\]*)[ \t]*(\(?)/', $this->text, $match, \PREG_OFFSET_CAPTURE, $this->at) === 1) {
            $this->at = $match[0][1] + \strlen($match[0][0]);
            $name = $match[1][0];
            $kind = Declaration::kindOf($name, true);
            $isOwn = $kind === Declaration::BASE || $kind === Declaration::OPERATION;
            // PHPBench imports what stands alone by itself; the first part of other names may be an alias.
            $parts = \explode('\\', \ltrim($name, '\\'), 2);
            $full = isset($parts[1]) ? ($this->imports[$parts[0]] ?? $parts[0]) . '\\' . $parts[1] : $name;
            if (!$isOwn && !Declaration::isPhpbenchs($full, '')) {
                continue;
            }
            if ($kind === null) {
                if (isset($parts[1])) {
                    $found[] = Declaration::misspelt($full, "@$name");
                }
                continue;
            }
            $begin = $this->at;
            try {
                $arguments = $match[2][0] === '(' ? $this->arguments(')') : [];
                $found[] = new Declaration($kind, $arguments, ($arguments['extend'] ?? false) === true);
            } catch (Fault $fault) {
                $shown = ValuePrinter::clean(\trim(\strtok(\substr($this->text, $match[0][1]), "\n") ?: ''), 60);
                $found[] = new Declaration($kind, [], false, "`$shown` cannot be read: " . $fault->getMessage());
                $this->at = $begin;
            }
        }

        return $found;
    }

    /**
     * What stands up to $close: values by position, or by the name before `=` or `:`.
     *
     * @return array<array-key, mixed>
     */
    private function arguments(string $close): array
    {
        $values = [];
        while (!$this->takes($close)) {
            $value = $this->value();
            if ($this->takes('=') || $this->takes(':')) {
                if (!\is_string($value) && !\is_int($value)) {
                    throw new Fault('load', 'a key is neither a name nor a number');
                }
                $values[$value] = $this->value();
            } else {
                $values[] = $value;
            }
            if (!$this->takes(',')) {
                if (!$this->takes($close)) {
                    throw new Fault('load', "`$close` or `,` is missing");
                }
                break;
            }
        }

        return $values;
    }

    /**
     * @return mixed
     */
    private function value()
    {
        if ($this->takes('{')) {
            return $this->arguments('}');
        }
        if ($this->matches('/\G"((?:[^"]|"")*)"/', $match)) {
            return \str_replace('""', '"', $match[1]);
        }
        if ($this->matches("/\\G'([^']*)'/", $match)) {
            return $match[1];
        }
        if ($this->matches('/\G[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/', $match)) {
            return $match[0] + 0;
        }
        if ($this->matches('/\G@[\w\\\\]+\s*\(/', $match)) {
            $this->arguments(')');

            return null;
        }
        if ($this->matches('/\G\\\\?[A-Za-z_][\w\\\\]*(?:::\w+)?/', $match)) {
            return $this->word($match[0]);
        }
        throw new Fault('load', 'a value is missing');
    }

    /**
     * @return mixed
     */
    private function word(string $word)
    {
        $literals = ['true' => true, 'false' => false, 'null' => null];
        if (\array_key_exists(\strtolower($word), $literals)) {
            return $literals[\strtolower($word)];
        }
        // A name before `=` is a key, not a constant.
        if (\preg_match('/\G\s*[=:](?!:)/', $this->text, $match, 0, $this->at) === 1) {
            return $word;
        }
        $name = (string) \preg_replace('/^(self|static)(?=::)/', $this->scopes[0] ?? '', \ltrim($word, '\\'));
        foreach (\array_merge([''], $this->scopes) as $scope) {
            $full = ($scope === '' ? '' : $scope . '\\') . $name;
            try {
                if (\defined($full)) {
                    return \constant($full);
                }
                if (\substr($full, -7) === '::class') {
                    return \substr($full, 0, -7);
                }
            } catch (\Throwable $thrown) {
                break;
            }
        }
        throw new Fault('load', "the constant $word does not exist");
    }

    private function takes(string $character): bool
    {
        return $this->matches('/\G' . \preg_quote($character, '/') . '/', $match);
    }

    /**
     * @param array<array-key, string>|null $match
     */
    private function matches(string $pattern, ?array &$match): bool
    {
        $this->at += \strspn($this->text, " \t\r\n", $this->at);
        if (\preg_match($pattern, $this->text, $match, 0, $this->at) !== 1) {
            return false;
        }
        $this->at += \strlen($match[0]);

        return true;
    }
}
