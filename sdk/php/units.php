<?php
/*
 * Units of PHP source files: what a change is in, and which names its code mentions.
 *
 *     php units.php < PATHS     (absolute paths, one a line)
 *
 * It prints a line of JSON that names the interpreter, then one for each path: its units, or why it has none. Nothing of the files is executed. What a
 * unit is, and what its names are good for, is said by the crate `tare-units`.
 */

declare(strict_types=1);

namespace Tare\Units;

const FORMAT = 1;
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_UNITS = 50000;
const MOST_NAMES = 50000;
const LONGEST_STRING = 1024 * 1024;

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
    'crc32', 'dechex', 'bin2hex', 'base64_decode', 'hex2bin', 'str_rot13', 'substr_replace', 'ltrim', 'rtrim', 'trim', 'range', 'str_split', 'explode', 'implode', 'join',
];
/** Those of reflection, which other classes have, too. */
const REFLECTING = ['getmethods', 'getconstants', 'getreflectionconstants', 'getattributes', 'getproperties'];
const CLASS_NAMES = ['get_class', 'get_parent_class', 'get_called_class', 'getshortname', 'getname', 'get_debug_type', 'class_parents', 'class_implements'];

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
    public $places = '';
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
        preg_match_all('/[A-Za-z_\x80-\xff][\w\x80-\xff]*/', $text, $words);
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
            'digest' => substr(hash('sha256', $this->content), 0, 32), 'places' => substr(hash('sha256', $this->places), 0, 32),
            'at' => $this->at,
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

/** The units of one file, in the order in which they begin. */
final class Units
{
    /** @var list<array{int, string, int}> tokens that count; -1 is a character */
    private $tokens = [];
    /** @var array<int, string> docblocks, by the number of the token that follows */
    private $docs = [];
    /** @var list<Unit> */
    public $found = [];
    /** @var array<string, int> */
    private $numbers = [];
    /** @var array<string, string> what names mean by imports, by the kind and the name that code writes */
    private $imports = [];
    /** @var bool whether imports count where their names are written, and not as statements: they stand in front of all else, for one namespace */
    private $resolves;
    /** @var bool whether the file mentions reflection */
    private $reflects;
    /** @var string the namespace of what follows */
    private $namespace = '';

    public function __construct(string $source)
    {
        $this->reflects = stripos($source, 'reflection') !== false;
        $line = 1;
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
            $unit->places .= "$line ";
            ++$unit->length;
            if (!$imports) {
                $this->mention($i, $unit);
            }
        }
    }

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
        } elseif ($kind === T_INCLUDE || $kind === T_INCLUDE_ONCE || $kind === T_REQUIRE || $kind === T_REQUIRE_ONCE) {
            $unit->flags['includes'] = true;
        } elseif ($kind === T_CLASS_C || $kind === T_FUNC_C || $kind === T_METHOD_C || $kind === T_STATIC && $after[1] === '::') {
            $unit->flags['class-names'] = true;
        } elseif ($kind === T_FILE || $kind === T_DIR) {
            $unit->globals['__file__'] = true;
        } elseif ($kind === T_CATCH) {
            $unit->globals['(catch)'] = true;
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
        $unit->calls = $unit->calls || in_array($name, CALLING, true);
        $unit->cuts = $unit->cuts || (!$member && in_array($name, CUTTING, true));
        if (in_array($name, ENUMERATING, true)) {
            $unit->flags['enumerates'] = true;
            $unit->flags['dynamic'] = true;
        }
        if ($this->reflects && in_array($name, REFLECTING, true)) {
            $unit->flags['enumerates'] = true;
        }
        if (in_array($name, CLASS_NAMES, true)) {
            $unit->flags['class-names'] = true;
        }
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

function unitsOf(string $path): array
{
    try {
        $source = @file_get_contents($path, false, null, 0, MOST_BYTES + 1);
        if ($source === false) {
            throw new \RuntimeException('it can\'t be read');
        }
        if (strlen($source) > MOST_BYTES) {
            throw new \LengthException('it is larger than ' . MOST_BYTES . ' bytes');
        }
        error_clear_last();
        $units = new Units($source);
        if (((error_get_last()['type'] ?? 0) & E_COMPILE_WARNING) !== 0) {
            // Before PHP 8 a character that isn't PHP is left out with a warning.
            throw new \UnexpectedValueException(error_get_last()['message']);
        }

        return ['file' => $path, 'units' => array_map(static function (Unit $unit): array {
            return $unit->keys();
        }, $units->found)];
    } catch (\Throwable $error) {
        return ['file' => $path, 'fault' => substr($error->getMessage(), 0, 200)];
    }
}

function say(array $line): void
{
    fwrite(STDOUT, json_encode($line, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES) . "\n");
}

function main(): void
{
    // What the interpreter has to say about a source must not stand between the lines.
    ini_set('display_errors', '0');
    $header = ['format' => FORMAT, 'language' => 'php', 'runtime' => PHP_VERSION, 'folders' => []];
    if (!function_exists('token_get_all')) {
        say($header + ['fault' => 'This PHP lacks the extension tokenizer.']);
        return;
    }
    say($header);
    while (($path = fgets(STDIN)) !== false) {
        say(unitsOf(rtrim($path, "\r\n")));
    }
}

main();
