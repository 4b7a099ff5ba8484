<?php

use PhpBench\Attributes as Bench;

/**
 * A PHPBench class as it stands in many projects; neither PHPBench nor Tare is needed to load it.
 */
#[Bench\Groups(['hash'])]
final class HashBench
{
    /** @var string */
    private $text;

    public function setUp(): void
    {
        $this->text = str_repeat('tare', 64);
    }

    /**
     * @return iterable<string, array{algorithm: string}>
     */
    public function algorithms(): iterable
    {
        yield 'md5' => ['algorithm' => 'md5'];
        yield 'sha256' => ['algorithm' => 'sha256'];
    }

    /**
     * @BeforeMethods("setUp")
     * @ParamProviders("algorithms")
     */
    public function benchHash(array $params): void
    {
        hash($params['algorithm'], $this->text);
    }

    public function benchShuffledSort(\Tare\Timer $timer): void
    {
        $timer->pause();
        $values = range(1, 100);
        shuffle($values);
        $timer->resume();
        sort($values);
    }

    public function benchNothing(): void
    {
    }
}
