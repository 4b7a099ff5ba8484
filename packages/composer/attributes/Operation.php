<?php

declare(strict_types=1);

namespace Tare;

/**
 * At a method that `tare load` does, and `tare run` doesn't. Editors read this class; Tare reads the attribute's name and arguments alone.
 */
#[\Attribute(\Attribute::TARGET_METHOD)]
final class Operation
{
    /** @var int its share of the mix */
    public $weight;

    /** @var string|null what reports call it; the method's name without one */
    public $name;

    public function __construct(int $weight = 1, ?string $name = null)
    {
        $this->weight = $weight;
        $this->name = $name;
    }
}
