<?php

final class FourBench
{
    private string $document;
    /** @var list<int> */
    private array $numbers;

    public function __construct()
    {
        $this->document = file_get_contents(__DIR__ . '/../document.json');
        $state = 42;
        $this->numbers = [];
        for ($i = 0; $i < 10_000; ++$i) {
            $state = ($state * 1103515245 + 12345) & 0x7fffffff;
            $this->numbers[] = $state;
        }
    }

    public function provideSizes(): array
    {
        return ['64' => ['text' => str_repeat('a', 64)], '65536' => ['text' => str_repeat('a', 65536)]];
    }

    /**
     * @ParamProviders({"provideSizes"})
     */
    public function benchSha256(array $parameters): void
    {
        hash('sha256', $parameters['text'], true);
    }

    public function benchParseJson(): void
    {
        json_decode($this->document, true, 512, JSON_THROW_ON_ERROR);
    }

    public function benchSort(): void
    {
        $numbers = $this->numbers;
        sort($numbers);
    }
}
