<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Which functions the samples execute (PROTOCOL 1.15), by ticks of PHP: sources get `declare(ticks=1)` when they are included, so that PHP calls {@see tick} after
 * each statement, and a call of {@see entered} at the beginning of each function. Nothing of it is loaded where anything is timed.
 */
final class Executed
{
    private const MOST_FUNCTIONS = 20000;

    private const LONGEST_NAME = 4000;

    /** What is written at the beginning of a function, and of an arrow function. */
    private const ENTERS = '\\' . self::class . '::entered();';

    private const EVALUATES = '\\' . self::class . '::evaluated() ?? ';

    /** @var bool within samples */
    private static $counts = false;

    /** @var array<string, int> calls by function */
    private static $calls = [];

    /** @var array<string, int> statements by function */
    private static $own = [];

    /** @var string|null why functions aren't known */
    private $incomplete;

    public function __construct()
    {
        // What opcache holds was compiled without ticks.
        \ini_set('opcache.enable', '0');
        if (!Sources::watch([self::class, 'in'])) {
            $this->incomplete = 'this PHP lacks the extension tokenizer';
        }
        \register_tick_function([self::class, 'tick']);
    }

    /** In the place of a turn's stretch: what runs between its beginning and its end is counted. */
    public function stretch(): Stretch
    {
        return new class() extends Stretch {
            public function begin(): void
            {
                parent::begin();
                Executed::count(true);
            }

            public function end(): void
            {
                Executed::count(false);
                parent::end();
            }
        };
    }

    public static function count(bool $counts): void
    {
        self::$counts = $counts;
    }

    /** Appends a line of what was counted since the last one. */
    public function tell(): void
    {
        $path = \getenv('TARE_FUNCTIONS');
        if (!\is_string($path) || $path === '') {
            return;
        }
        $functions = [];
        foreach (\array_slice(\array_keys(self::$calls + self::$own), 0, self::MOST_FUNCTIONS) as $name) {
            $functions[] = ['name' => \substr((string) $name, 0, self::LONGEST_NAME), 'calls' => self::$calls[$name] ?? 0, 'own' => self::$own[$name] ?? 0];
        }
        [self::$calls, self::$own] = [[], []];
        $line = ['unit' => 'statements', 'functions' => $functions] + ($this->incomplete === null ? [] : ['incomplete' => $this->incomplete]);
        $text = \json_encode($line, \JSON_UNESCAPED_SLASHES | \JSON_INVALID_UTF8_SUBSTITUTE);
        \file_put_contents($path, "$text\n", \FILE_APPEND);
    }

    /** A statement has ended. */
    public static function tick(): void
    {
        if (self::$counts) {
            $name = self::name(\debug_backtrace(\DEBUG_BACKTRACE_IGNORE_ARGS, 2));
            self::$own[$name] = (self::$own[$name] ?? 0) + 1;
        }
    }

    /** A function begins. It is a statement, whose tick comes by itself. */
    public static function entered(): void
    {
        if (self::$counts) {
            $name = self::name(\debug_backtrace(\DEBUG_BACKTRACE_IGNORE_ARGS, 2));
            self::$calls[$name] = (self::$calls[$name] ?? 0) + 1;
        }
    }

    /**
     * An arrow function begins. Its expression is all that it has: no statement ticks.
     *
     * @return null
     */
    public static function evaluated()
    {
        if (self::$counts) {
            $name = self::name(\debug_backtrace(\DEBUG_BACKTRACE_IGNORE_ARGS, 2));
            self::$calls[$name] = (self::$calls[$name] ?? 0) + 1;
            self::$own[$name] = (self::$own[$name] ?? 0) + 1;
        }

        return null;
    }

    /**
     * The name of the function that a call of this class comes from, without a line or a folder: those of both sides of a comparison differ.
     *
     * @param list<array<string, mixed>> $trace
     */
    public static function name(array $trace): string
    {
        $file = \basename((string) ($trace[0]['file'] ?? ''));
        $function = (string) ($trace[1]['function'] ?? '');
        if ($function === '' || (\in_array($function, ['include', 'include_once', 'require', 'require_once'], true) && !isset($trace[1]['class']))) {
            return $file;
        }
        // Behind a zero byte stands where the class was made.
        $class = \explode("\0", (string) ($trace[1]['class'] ?? ''))[0];
        $closure = \strpos($function, '{closure');
        if ($closure === false) {
            return $class === '' ? $function : "$class::$function";
        }
        if (\preg_match('/\{closure:(.*):\d+\}$/s', $function, $within) === 1) {
            // Since PHP 8.4 it says what it stands in.
            return '{closure} of ' . \basename($within[1]);
        }

        return '{closure} of ' . ($class === '' ? $file : $class);
    }

    /** The text of a source with its ticks; null where it can't have any. No line moves. */
    public static function in(string $source): ?string
    {
        try {
            $tokens = @\token_get_all($source, \TOKEN_PARSE);
            $text = self::ticking($tokens);
            if ($text !== null) {
                @\token_get_all($text, \TOKEN_PARSE);
            }
        } catch (\Throwable $error) {
            return null;
        }

        return $text;
    }

    /**
     * @param array<int, array{int, string, int}|string> $tokens
     */
    private static function ticking(array $tokens): ?string
    {
        $text = '';
        $begun = false;
        // How deep in parentheses stand functions whose body hasn't begun, and arrow functions.
        $functions = [];
        $arrows = [];
        $round = 0;
        $before = 0;
        foreach ($tokens as $token) {
            [$kind, $written] = \is_array($token) ? $token : [0, $token];
            $text .= $written;
            if ($kind === \T_HALT_COMPILER) {
                return null;
            }
            if ($kind === \T_WHITESPACE || $kind === \T_COMMENT || $kind === \T_DOC_COMMENT) {
                continue;
            }
            if ($kind === \T_OPEN_TAG && !$begun) {
                $begun = true;
                $text .= 'declare(ticks=1);';
            } elseif ($kind === \T_FUNCTION && $before !== \T_USE) {
                $functions[] = $round;
            } elseif ($kind === \T_FN) {
                $arrows[] = $round;
            } elseif ($before === \T_FN && $written === '&') {
                // What it returns has to stay a variable.
                \array_pop($arrows);
            } elseif ($kind === \T_DOUBLE_ARROW && \end($arrows) === $round) {
                \array_pop($arrows);
                $text .= self::EVALUATES;
            } elseif ($written === '(') {
                ++$round;
            } elseif ($written === ')') {
                --$round;
            } elseif ($written === ';' && $kind === 0 && \end($functions) === $round) {
                \array_pop($functions);
            } elseif ($written === '{' && $kind === 0 && \end($functions) === $round) {
                \array_pop($functions);
                $text .= self::ENTERS;
            }
            $before = $kind;
        }

        return $text;
    }
}
