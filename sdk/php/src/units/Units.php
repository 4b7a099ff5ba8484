<?php

declare(strict_types=1);

namespace Tare\Units;

const MOST_UNITS = 50000;
/** Where there is no lock, Composer names the classes of its autoloader anew with each installation: two checkouts of one commit would differ. */
const NAMED_ANEW = '/(?<=ComposerAutoloaderInit|ComposerStaticInit)[0-9a-f]{32}\b/';

/** The units of one file, in the order in which they begin. */
final class Units
{
    use Imports;
    use Mentions;

    /** @var list<array{int, string, int}> tokens that count; -1 is a character */
    private $tokens = [];
    /** @var array<int, string> docblocks, by the number of the token that follows */
    private $docs = [];
    /** @var list<Unit> */
    public $found = [];
    /** @var array<string, int> */
    private $numbers = [];
    /** @var string the namespace of what follows */
    private $namespace = '';

    public function __construct(string $source)
    {
        $this->reflects = stripos($source, 'reflection') !== false;
        $line = 1;
        $source = preg_replace(NAMED_ANEW, '', $source) ?? $source;
        // With TOKEN_PARSE a source that doesn't parse is an error, and names that are keywords are told from keywords.
        foreach (token_get_all($source, TOKEN_PARSE) as $token) {
            if (!is_array($token)) {
                $this->tokens[] = [-1, $token, $line];
                continue;
            }
            $line = $token[2] + substr_count($token[1], "\n");
            if ($token[0] === T_DOC_COMMENT) {
                $this->docs[count($this->tokens)] = ($this->docs[count($this->tokens)] ?? '') . $token[1];
            } elseif ($token[0] !== T_WHITESPACE && $token[0] !== T_COMMENT) {
                $this->tokens[] = $token;
            }
        }
        $this->resolves = $this->importsStandFirst();
        $top = $this->add('<file>', '<file>', 'module', null, 0);
        $top->end = PHP_INT_MAX >> 32;
        $this->statements(0, count($this->tokens), $top, 0);
        foreach ($this->found as $unit) {
            if ($unit->docs !== '') {
                // Names in annotations mean what imports say.
                $unit->docs .= serialize($this->imports);
            }
        }
    }

    private function add(string $name, string $simple, string $kind, ?int $outer, int $line): Unit
    {
        if (count($this->found) >= MOST_UNITS) {
            throw new \LengthException('it has more than ' . MOST_UNITS . ' units');
        }
        $number = $this->numbers[$name] = ($this->numbers[$name] ?? 0) + 1;

        $unit = new Unit($number === 1 ? $name : "$name#$number", $simple, $kind, $outer, $line);
        if ($outer !== null && $this->found[$outer]->kind === 'module') {
            // Where a definition stands decides whether and when it is executed. The order of methods is told by the order of units.
            $unit->at = $this->found[$outer]->length;
            $unit->content = "namespace $this->namespace\0";
        }

        return $this->found[] = $unit;
    }

    /** The statements of a file, or the members of a class: functions and classes in them are units of their own, with what stands before them. */
    private function statements(int $from, int $to, Unit $unit, int $index): void
    {
        $start = $from;
        for ($i = $from; $i < $to; ++$i) {
            [$kind, $text] = $this->tokens[$i];
            if ($kind === T_NAMESPACE && $unit->kind === 'module' && ($this->tokens[$i + 1][0] ?? 0) !== T_NS_SEPARATOR) {
                $this->namespace = '';
                for ($part = $i + 1; $part < $to && !in_array($this->tokens[$part][1], [';', '{'], true); ++$part) {
                    $this->namespace .= $this->tokens[$part][1];
                }
            }
            if ($unit->kind === 'module' && $this->isImport($i)) {
                $end = $this->endOfImport($i);
                if ($this->resolves) {
                    $this->consume($start, $i, $unit);
                    $this->import($i, $end, $unit);
                } else {
                    $this->consume($start, $end, $unit);
                }
                // A tag that closes is the page's, too.
                $start = $end + ($this->tokens[$end][0] === T_CLOSE_TAG ? 0 : 1);
                $i = $start - 1;
            } elseif ($this->isClass($i)) {
                $open = $this->next($i, '{');
                $close = $this->closing($open);
                $class = $this->add($this->tokens[$i + 1][1], $this->tokens[$i + 1][1], 'class', $index, $this->tokens[$i][2]);
                $number = count($this->found) - 1;
                $class->end = $this->tokens[$close][2];
                $this->consume($start, $open, $class);
                $this->statements($open + 1, $close, $class, $number);
                $start = $close + 1;
                $i = $close;
            } elseif ($kind === T_CLASS && ($this->tokens[$i - 1][0] ?? 0) !== T_DOUBLE_COLON) {
                $i = $this->closing($this->next($i, '{'));
            } elseif ($kind === T_FUNCTION && ($this->tokens[$i - 1][0] ?? 0) !== T_USE) {
                $name = $i + (($this->tokens[$i + 1][1] ?? '') === '&' ? 2 : 1);
                $close = $this->end($i);
                if (($this->tokens[$name][1] ?? '') === '(') {
                    // A closure belongs to what it stands in.
                    $i = $close;
                    continue;
                }
                $named = $this->tokens[$name][1];
                $method = $unit->kind === 'class';
                $function = $this->add($method ? "$unit->name::$named" : $named, $named, 'function', $index, $this->tokens[$i][2]);
                $function->end = $this->tokens[$close][2];
                if ($method && $this->tokens[$close][1] === ';') {
                    $function->flags['abstract'] = true;
                }
                $this->consume($start, $close + 1, $function);
                $start = $close + 1;
                $i = $close;
            } elseif ($text === '{' && $unit->kind === 'class') {
                $i = $this->closing($i);
                $this->consume($start, $i + 1, $unit);
                $start = $i + 1;
            } elseif ($text === ';' || $text === '{' || $text === '}') {
                $this->consume($start, $i + 1, $unit);
                $start = $i + 1;
            }
        }
        $this->consume($start, $to, $unit);
    }

    private function isClass(int $at): bool
    {
        $kind = $this->tokens[$at][0];
        if ($kind !== T_CLASS && $kind !== T_INTERFACE && $kind !== T_TRAIT && !(defined('T_ENUM') && $kind === constant('T_ENUM'))) {
            return false;
        }

        return ($this->tokens[$at + 1][0] ?? 0) === T_STRING && ($this->tokens[$at - 1][0] ?? 0) !== T_DOUBLE_COLON;
    }

    /** The next token of that text, from $at on. */
    private function next(int $at, string $text): int
    {
        for ($i = $at; isset($this->tokens[$i]); ++$i) {
            if ($this->tokens[$i][1] === $text) {
                return $i;
            }
            if ($this->tokens[$i][1] === '(') {
                $i = $this->closing($i);
            }
        }
        throw new \UnexpectedValueException("a $text is missing");
    }

    /** Where the bracket at $open closes. */
    private function closing(int $open): int
    {
        $depth = 0;
        for ($i = $open; isset($this->tokens[$i]); ++$i) {
            [$kind, $text] = $this->tokens[$i];
            if ($text === '{' || $text === '(' || $kind === T_CURLY_OPEN || $kind === T_DOLLAR_OPEN_CURLY_BRACES) {
                ++$depth;
            } elseif ($kind === -1 && ($text === '}' || $text === ')') && --$depth === 0) {
                return $i;
            }
        }
        throw new \UnexpectedValueException('a bracket is missing');
    }

    /** The last token of the function that begins at $at. */
    private function end(int $at): int
    {
        for ($i = $at; isset($this->tokens[$i]); ++$i) {
            $text = $this->tokens[$i][1];
            if ($text === '{') {
                return $this->closing($i);
            }
            if ($text === ';') {
                return $i;
            }
            if ($text === '(') {
                $i = $this->closing($i);
            }
        }
        throw new \UnexpectedValueException('a function has no end');
    }

    private function consume(int $from, int $to, Unit $unit): void
    {
        // What a file imports without another name is found by the name that it has.
        $imports = $unit->kind === 'module' && ($this->tokens[$from][0] ?? 0) === T_USE
            && !in_array(T_AS, array_column(array_slice($this->tokens, $from, $to - $from), 0), true);
        for ($i = $from; $i < $to; ++$i) {
            [$kind, $text, $line] = $this->tokens[$i];
            if (isset($this->docs[$i])) {
                $unit->docs .= $this->docs[$i] . "\0";
                if (preg_match('/@\S*(Before|After|Param|Provider|Subject|Executor)/', $this->docs[$i]) === 1) {
                    // Annotations of benchmarks name hooks and providers.
                    $unit->say($this->docs[$i]);
                }
            }
            // What follows the tags in their own tokens is white space of the code, or isn't printed.
            $unit->content .= ($kind === -1 ? '' : token_name($kind)) . ' '
                . ($kind === T_OPEN_TAG || $kind === T_CLOSE_TAG ? trim($text) : $text) . ($kind === T_LINE ? $line : '') . "\0"
                . ($this->imports !== [] && preg_match('/^[A-Za-z_\x80-\xff]/', $text) === 1 ? $this->meaning($text) : '');
            ++$unit->length;
            if (!$imports) {
                $this->mention($i, $unit);
            }
        }
    }

}
