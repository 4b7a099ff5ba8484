<?php

declare(strict_types=1);

namespace Tare\Units;

const MOST_NAMES = 50000;
const LONGEST_STRING = 1024 * 1024;

/** One unit while its tokens are read. */
final class Unit
{
    public $name;
    public $simple;
    public $kind;
    public $outer;
    public $line;
    public $end = 0;
    public $content = '';
    public $docs = '';
    public $names = [];
    public $globals = [];
    public $strings = [];
    public $pieces = [];
    public $joints = [];
    public $flags = [];
    public $bases = [];
    /** @var bool whether it calls what a value names, and whether it makes names that nobody has written */
    public $calls = false;
    public $cuts = false;
    /** @var int how many tokens of the unit around it stand in front of it, and how many tokens it has itself */
    public $at = 0;
    public $length = 0;

    public function __construct(string $name, string $simple, string $kind, ?int $outer, int $line)
    {
        $this->name = $name;
        $this->simple = strtolower($simple);
        $this->kind = $kind;
        $this->outer = $outer;
        $this->line = $line;
    }

    public function say(string $text, bool $joined = false): void
    {
        if (strlen($text) > LONGEST_STRING) {
            $this->flags['unbounded'] = true;
            return;
        }
        // A namespace is no unit's name.
        preg_match_all('/[A-Za-z_\x80-\xff][\w\x80-\xff]*+(?!\\\\)/', $text, $words);
        foreach ($words[0] as $word) {
            $this->strings[strtolower($word)] = true;
        }
        $pieces = preg_split('/%[-+ 0-9.\'$]*[a-zA-Z%]|\{[^{}]*\}/', $text) ?: [];
        foreach ($pieces as $piece) {
            // Of a class's name the last part.
            $piece = (string) preg_replace('/^.*\\\\(?=.)/s', '', $piece);
            if (preg_match('/^[\w.:\\\\\/\-\x80-\xff]{1,100}$/D', $piece) === 1) {
                $this->pieces[strtolower($piece)] = true;
                if ($joined || count($pieces) > 1 || preg_match('/^[_\-.:\\\\\/]|[_\-.:\\\\\/]$/D', $piece) === 1) {
                    $this->joints[strtolower($piece)] = true;
                }
            }
        }
    }

    public function keys(): array
    {
        if ($this->calls && $this->cuts) {
            $this->flags['unbounded'] = true;
        }
        $keys = [
            'name' => $this->name, 'simple' => $this->simple, 'kind' => $this->kind, 'line' => $this->line, 'end' => $this->end,
            'digest' => substr(hash('sha256', $this->content), 0, 32), 'at' => $this->at,
        ];
        if ($this->outer !== null) {
            $keys['outer'] = $this->outer;
        }
        if ($this->docs !== '') {
            $keys['doc'] = substr(hash('sha256', $this->docs), 0, 32);
        }
        if (max(count($this->names), count($this->globals), count($this->strings), count($this->pieces)) > MOST_NAMES) {
            $this->flags['unbounded'] = true;
            $this->names = $this->globals = $this->strings = $this->pieces = $this->joints = [];
        }
        foreach (['names', 'globals', 'strings', 'pieces', 'joints', 'flags'] as $key) {
            if ($this->$key !== []) {
                $keys[$key] = array_map('strval', array_keys($this->$key));
            }
        }
        if ($this->bases !== []) {
            $keys['bases'] = array_map('strval', array_keys($this->bases));
        }

        return $keys;
    }
}
