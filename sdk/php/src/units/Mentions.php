<?php

declare(strict_types=1);

namespace Tare\Units;

/** Functions and methods by which code finds others by computed names. */
const COMPUTED = [
    'call_user_func', 'call_user_func_array', 'forward_static_call', 'forward_static_call_array', 'is_callable', 'func_overload', 'compact', 'extract',
    'parse_str', 'constant', 'define', 'class_alias', 'method_exists', 'function_exists', 'class_exists', 'create_function', 'assert', 'unserialize',
    'reflectionclass', 'reflectionmethod', 'reflectionfunction', 'reflectionobject', 'reflectionproperty', 'newinstance', 'newinstanceargs', 'invoke',
    'invokeargs', 'getmethod', 'fromcallable', 'spl_autoload_call', 'property_exists', 'is_a', 'is_subclass_of', 'settype', 'newinstancewithoutconstructor',
];
const ENUMERATING = [
    'get_class_methods', 'get_declared_classes', 'get_declared_traits', 'get_declared_interfaces', 'get_defined_functions', 'get_defined_constants',
];
/** Those by which code calls what a value names. */
const CALLING = [
    'call_user_func', 'call_user_func_array', 'forward_static_call', 'forward_static_call_array', 'class_alias', 'constant', 'create_function',
    'reflectionclass', 'reflectionmethod', 'reflectionfunction', 'newinstance', 'newinstanceargs', 'invoke', 'invokeargs', 'getmethod', 'fromcallable',
];
/** What makes names that nobody has written: where one of these stands beside a call by a value, any unit may be called. */
const CUTTING = [
    'substr', 'mb_substr', 'strrev', 'chr', 'mb_chr', 'str_replace', 'str_ireplace', 'preg_replace', 'preg_replace_callback', 'preg_match', 'strtr', 'md5', 'sha1', 'hash',
    'crc32', 'dechex', 'bin2hex', 'base64_decode', 'hex2bin', 'str_rot13', 'substr_replace', 'ltrim', 'rtrim', 'trim', 'range', 'str_split', 'explode', 'implode', 'join', 'basename', 'pathinfo', 'ucfirst', 'ucwords', 'lcfirst',
];
const OPENING = [
    'file_get_contents', 'fopen', 'file', 'readfile', 'splfileobject', 'splfileinfo', 'php_strip_whitespace', 'highlight_file', 'gzfile', 'gzopen', 'readgzfile', 'bzopen',
];
/** Those of reflection, which other classes have, too: what lists code, and what lists values, which are the class's own. */
const REFLECTING = ['getmethods', 'getattributes'];
const LISTING_VALUES = ['getconstants', 'getreflectionconstants', 'getproperties'];
const CLASS_NAMES = ['get_class', 'get_parent_class', 'get_called_class', 'getshortname', 'getname', 'get_debug_type', 'class_parents', 'class_implements'];

/** Where Composer's loader is. */
const COMPOSER = 'Composer\\Autoload';
/** Functions and constants that say where a path begins, of which the rest is written. */
const PLACES = ['dirname', 'realpath', 'directory_separator'];

/** Which names a unit mentions. */
trait Mentions
{
    /** @var bool whether the file mentions reflection */
    private $reflects;
    /** @var list<array{int, int}>|null calls that register autoloaders, once they were sought: the first and the last token of each */
    private $autoloaders;
    /** @var array<string, true> names of functions and methods that these register */
    private $autoloading = [];

    private function mention(int $at, Unit $unit): void
    {
        [$kind, $text] = $this->tokens[$at];
        $before = $this->tokens[$at - 1] ?? [0, '', 0];
        $after = $this->tokens[$at + 1] ?? [0, '', 0];
        $member = in_array($before[1], ['->', '?->', '::'], true);
        if ($kind === T_CONSTANT_ENCAPSED_STRING) {
            $inner = substr($text, strpos($text, $text[0] === 'b' || $text[0] === 'B' ? $text[1] : $text[0]) + 1, -1);
            $joined = array_intersect(['.', '.='], [$before[1], $after[1]]) !== [];
            $unit->say($text[0] === '"' || ($text[1] ?? '') === '"' ? stripcslashes($inner) : $inner, $joined);
        } elseif ($kind === T_ENCAPSED_AND_WHITESPACE) {
            $unit->say(stripcslashes($text), true);
        } elseif ($kind === T_INLINE_HTML) {
            $unit->say($text);
        } elseif ($kind === T_VARIABLE || $text === ']' || $text === ')' || $text === '}') {
            // What it holds is called, made or asked.
            if (($after[1] === '(' && $text !== '}' && ($text !== ')' || $this->isCallOfValue($at))) || $after[1] === '::' || $before[0] === T_NEW || ($member && $kind === T_VARIABLE)) {
                if (!($kind === T_VARIABLE && $before[1] === '::' && $after[1] !== '(')) {
                    $unit->flags['dynamic'] = true;
                    // `$this::` and `static::` name what is known; `new $x`, `$x()` and `$x->$n` don't.
                    $unit->calls = $unit->calls || $text !== '$this';
                }
            }
        } elseif ($kind === T_EVAL || ($text === '{' && $member) || $text === '$') {
            $unit->flags['dynamic'] = true;
            $unit->calls = true;
            if ($kind === T_EVAL) {
                $unit->flags['runs-text'] = true;
            }
        } elseif ($kind === T_INCLUDE || $kind === T_INCLUDE_ONCE || $kind === T_REQUIRE || $kind === T_REQUIRE_ONCE) {
            if (!$this->isWritten($at) && !$this->isOfAutoloader($at, $unit)) {
                $unit->flags['loads'] = true;
            }
        } elseif ($kind === T_CLASS_C || $kind === T_FUNC_C || $kind === T_METHOD_C || $kind === T_STATIC && $after[1] === '::') {
            $unit->flags['class-names'] = true;
        } elseif ($kind === T_STRING_CAST && $this->reflects) {
            // Reflection shows documentation in its text.
            $unit->names['getdoccomment'] = true;
        } elseif ($kind === T_FILE || $kind === T_DIR) {
            $unit->globals['__file__'] = true;
        } elseif (preg_match('/^[\\\\A-Za-z_\x80-\xff][\\\\\w\x80-\xff]*$/D', $text) === 1 && $kind !== -1) {
            $this->name(strtolower((string) preg_replace('/^.*\\\\/s', '', $text)), $at, $member, $unit);
        }
    }

    private function name(string $name, int $at, bool $member, Unit $unit): void
    {
        $kind = $this->tokens[$at][0];
        $qualified = defined('T_NAME_QUALIFIED') ? [constant('T_NAME_QUALIFIED'), constant('T_NAME_FULLY_QUALIFIED'), constant('T_NAME_RELATIVE')] : [];
        if (!$member && $kind !== T_STRING && !in_array($kind, $qualified, true)) {
            return;
        }
        if (($this->tokens[$at + 1][0] ?? 0) === T_NS_SEPARATOR) {
            // Before PHP 8 each part of a qualified name is a token.
            return;
        }
        $first = $at;
        while (($this->tokens[$first - 1][0] ?? 0) === T_NS_SEPARATOR) {
            $first -= 2;
        }
        if (($this->tokens[$first - 1][0] ?? 0) === T_NAMESPACE) {
            // It says where the file's names belong, and finds none.
            return;
        }
        if ($member) {
            $unit->names[$name] = true;
        } else {
            $unit->globals[$name] = true;
        }
        if ($name === 'class' && $this->tokens[$at - 1][1] === '::') {
            // Its kind is another where the tokens were parsed.
            $this->className($at - 2, $unit);
        }
        if ($unit->kind === 'class') {
            // A method of a trait may get another name there.
            $unit->names[$name] = true;
        }
        if (in_array($name, COMPUTED, true)) {
            $unit->flags['dynamic'] = true;
        }
        if (!$member && in_array($name, OPENING, true) && !$this->isWritten($at + 1)) {
            $unit->flags['opens'] = true;
        }
        $unit->calls = $unit->calls || in_array($name, CALLING, true);
        $unit->cuts = $unit->cuts || (!$member && in_array($name, CUTTING, true));
        if (in_array($name, ENUMERATING, true)) {
            $unit->flags['enumerates'] = true;
            $unit->flags['dynamic'] = true;
        }
        if ($this->reflects && in_array($name, REFLECTING, true)) {
            $unit->flags['enumerates'] = true;
        }
        if ($this->reflects && in_array($name, LISTING_VALUES, true)) {
            $unit->flags['dynamic'] = true;
        }
        if (in_array($name, CLASS_NAMES, true)) {
            $unit->flags['class-names'] = true;
        }
    }

    /** Whether what stands at $at is told a class, and loads its file: a function that is registered in the same file, or Composer's. */
    private function isOfAutoloader(int $at, Unit $unit): bool
    {
        if ($this->autoloaders === null) {
            $this->autoloaders = [];
            foreach ($this->tokens as $first => [, $text]) {
                if (strtolower(ltrim($text, '\\')) !== 'spl_autoload_register' || ($this->tokens[$first + 1][1] ?? '') !== '(') {
                    continue;
                }
                $last = $this->closing($first + 1);
                $this->autoloaders[] = [$first, $last];
                foreach (array_slice($this->tokens, $first, $last - $first) as [$kind, $named]) {
                    if ($kind === T_CONSTANT_ENCAPSED_STRING) {
                        $this->autoloading[strtolower((string) preg_replace('/^.*[:\\\\]/s', '', trim($named, '\'"')))] = true;
                    }
                }
            }
        }
        foreach ($this->autoloaders as [$first, $last]) {
            if ($first < $at && $at < $last) {
                return true;
            }
        }

        return $this->namespace === COMPOSER || isset($this->autoloading[$unit->simple]);
    }

    /** Whether the path that is included at $at stands in the source: strings behind where it begins. */
    private function isWritten(int $at): bool
    {
        $depth = 0;
        $last = 0;
        for ($i = $at + 1; isset($this->tokens[$i]); ++$i) {
            [$kind, $text] = $this->tokens[$i];
            if ($depth === 0 && in_array($text, [';', ',', ')', ']', '}', '?', ':'], true) || $kind === T_CLOSE_TAG) {
                break;
            }
            $depth += ($text === '(') - ($text === ')');
            $plain = in_array($kind, [T_CONSTANT_ENCAPSED_STRING, T_DIR, T_FILE, T_LNUMBER, T_NS_SEPARATOR], true) || in_array($text, ['.', '(', ')', ','], true);
            // A constant may be where a path begins, and what is written behind it says which.
            $place = ($last === 0 && preg_match('/^[A-Z][A-Z0-9_]*$/D', $text) === 1) || in_array(strtolower(ltrim($text, '\\')), PLACES, true);
            if (!$plain && !$place) {
                return false;
            }
            if ($text !== ')') {
                $last = $kind;
            }
        }

        return $last === T_CONSTANT_ENCAPSED_STRING || $last === T_FILE;
    }

    /** `X::class` is a string. */
    private function className(int $at, Unit $unit): void
    {
        [$kind, $text] = $this->tokens[$at] ?? [0, ''];
        if ($kind === T_VARIABLE || $kind === T_STATIC || $kind === -1) {
            $unit->flags['class-names'] = true;
        } else {
            $unit->say($text);
        }
    }

    /** Whether the bracket that closes at $at held a value, which is then called: `($f)(…)`; not the parameters of a function, or of a condition. */
    private function isCallOfValue(int $at): bool
    {
        $depth = 0;
        for ($i = $at; $i >= 0; --$i) {
            $depth += ($this->tokens[$i][1] === ')') - ($this->tokens[$i][1] === '(');
            if ($depth === 0) {
                break;
            }
        }

        return !in_array($this->tokens[$i - 1][0] ?? 0, [T_IF, T_WHILE, T_FOR, T_FOREACH, T_SWITCH, T_ELSEIF], true);
    }
}
