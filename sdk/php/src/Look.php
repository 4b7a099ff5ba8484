<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * A look at what cases depend on (PROTOCOL 1.10): what ran, which files are included, and which were read. Each case has a copy of the process ({@see Copies}).
 */
final class Look
{
    /** @var Marks|null null where this PHP can't read sources */
    private $marks;

    public function __construct()
    {
        // Copies share opcache's memory: a file that one copy has loaded, the next takes from there and doesn't open.
        \ini_set('opcache.enable', '0');
        $marks = new Marks();
        $this->marks = Sources::watch([$marks, 'in']) ? $marks : null;
    }

    /** Writes which functions ran since the call before, which files are included, and which were read. Before the answer is sent: it is read then. */
    public function tell(string $after): void
    {
        $path = \getenv('TARE_LOOK');
        if (!\is_string($path) || $path === '') {
            return;
        }
        $line = ['after' => $after, 'loaded' => \get_included_files()];
        if ($this->marks === null) {
            $line += ['incomplete' => 'this PHP lacks the extension tokenizer'];
        } else {
            $ran = Ran::$u;
            Ran::$u = [];
            $line += ['calls' => $this->marks->named(\array_keys($ran))] + Sources::taken();
        }
        $text = \json_encode($line, \JSON_UNESCAPED_SLASHES | \JSON_INVALID_UTF8_SUBSTITUTE);
        \file_put_contents($path, "$text\n", \FILE_APPEND);
    }
}
