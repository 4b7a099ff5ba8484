<?php

declare(strict_types=1);

namespace Tare\Units;

/** What a file imports: the names of its code mean what that says. */
trait Imports
{
    /** @var array<string, string> what names mean by imports, by the kind and the name that code writes */
    private $imports = [];
    /** @var bool whether imports count where their names are written, and not as statements: they stand in front of all else, for one namespace */
    private $resolves;

    private function importsStandFirst(): bool
    {
        [$namespaces, $declared] = [0, false];
        for ($i = 0; isset($this->tokens[$i]); ++$i) {
            $kind = $this->tokens[$i][0];
            $before = $this->tokens[$i - 1][0] ?? 0;
            if ($this->isImport($i)) {
                if ($declared) {
                    return false;
                }
                $i = $this->endOfImport($i);
                continue;
            }
            if ($kind === T_NAMESPACE && ($this->tokens[$i + 1][0] ?? 0) !== T_NS_SEPARATOR && ++$namespaces > 1) {
                return false;
            }
            if ($kind === T_FUNCTION && $before !== T_USE) {
                [$i, $declared] = [$this->end($i), true];
            } elseif ($this->isClass($i) || $kind === T_CLASS && $before !== T_DOUBLE_COLON) {
                [$i, $declared] = [$this->closing($this->next($i, '{')), true];
            }
        }

        return true;
    }

    /** Whether a statement of imports begins there, outside of classes. */
    private function isImport(int $at): bool
    {
        [$before, $text] = $this->tokens[$at - 1] ?? [T_OPEN_TAG, ''];

        return $this->tokens[$at][0] === T_USE && ($before === T_OPEN_TAG || $text === ';' || $text === '{' || $text === '}');
    }

    private function endOfImport(int $at): int
    {
        while (isset($this->tokens[$at + 1]) && $this->tokens[$at][1] !== ';' && $this->tokens[$at][0] !== T_CLOSE_TAG) {
            ++$at;
        }

        return $at;
    }

    /** Takes in a statement of imports, `use A\{B, function c as d};`. */
    private function import(int $from, int $to, Unit $unit): void
    {
        [$kind, $prefix, $name, $alias, $shared] = ['class', '', '', '', 'class'];
        for ($i = $from + 1; $i <= $to; ++$i) {
            [$token, $text] = $this->tokens[$i];
            if ($i === $to || $text === ',' || $text === '}') {
                if ($name !== '') {
                    $short = $alias === '' ? (string) preg_replace('/^.*\\\\/s', '', $name) : $alias;
                    $this->imports[$kind . ' ' . ($kind === 'const' ? $short : strtolower($short))] = ltrim($prefix . $name, '\\');
                }
                [$kind, $name, $alias] = [$shared, '', ''];
            } elseif ($text === '{') {
                [$prefix, $name, $shared] = [$name, '', $kind];
            } elseif ($token === T_FUNCTION || $token === T_CONST) {
                $kind = strtolower($text);
                // In front of the names it is said once for all of them.
                $shared = $name === '' && $prefix === '' && $i === $from + 1 ? $kind : $shared;
            } elseif ($token === T_AS) {
                // Code finds it by a name that it doesn't have.
                $this->mention($i - 1, $unit);
                $alias = $this->tokens[++$i][1];
            } else {
                $name .= $text;
            }
        }
    }

    /** What imports say of a name, of whatever kind it may be. */
    private function meaning(string $text): string
    {
        $first = explode('\\', $text, 2)[0];
        $lower = strtolower($first);
        $meant = '';
        foreach (["class $lower", "function $lower", "const $first"] as $one) {
            $meant .= isset($this->imports[$one]) ? "$one {$this->imports[$one]}\0" : '';
        }

        return $meant;
    }
}
