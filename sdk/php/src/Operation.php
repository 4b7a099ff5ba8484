<?php

declare(strict_types=1);

namespace Tare\Worker;

/** A method marked with `Tare\Operation`: a suite's operations are those of one class. */
final class Operation
{
    private const HEAVIEST = 1000000;

    /** @var \ReflectionClass<object> */
    public $class;

    /** @var \ReflectionMethod */
    public $method;

    /** @var string */
    public $name;

    /** @var int part in the mix */
    public $weight = 1;

    /** @var Settings */
    public $settings;

    /** @var string file that defines it, as it was asked for */
    private $file;

    /** @var int */
    private $line;

    /**
     * @param \ReflectionClass<object> $class
     *
     * @throws Fault of kind `load`
     */
    public function __construct(\ReflectionClass $class, \ReflectionMethod $method, Declaration $mark, string $file)
    {
        $this->class = $class;
        $this->method = $method;
        $this->name = $method->getName();
        $this->file = $file;
        $this->line = (int) ($method->getFileName() === $class->getFileName() ? $method->getStartLine() : $class->getStartLine());
        try {
            $this->obey($mark);
            $this->settings = Settings::of($class, $method);
        } catch (\Throwable $thrown) {
            throw Fault::from($thrown, 'load')->orAt((string) $class->getFileName(), $this->line);
        }
    }

    /** The mark of an operation at a method, if it has one. */
    public static function mark(\ReflectionMethod $method): ?Declaration
    {
        foreach (\array_merge(DeclarationReader::attributes($method), DeclarationReader::annotations($method)) as $declaration) {
            if ($declaration->kind === Declaration::OPERATION) {
                return $declaration;
            }
        }

        return null;
    }

    public function suite(): string
    {
        return $this->class->getName();
    }

    /**
     * @return array<string, mixed> the keys of an `operation` frame
     */
    public function keys(): array
    {
        return ['suite' => $this->suite(), 'name' => $this->name, 'weight' => $this->weight, 'file' => $this->file, 'line' => $this->line];
    }

    private function obey(Declaration $mark): void
    {
        if ($mark->trouble !== null) {
            throw new Fault('load', \ucfirst($mark->trouble) . '.');
        }
        if ($this->method->isGenerator()) {
            throw new Fault('load', "The operation {$this->method->getName()}() is a generator: a call runs none of its body.", 'Iterate inside it.');
        }
        foreach ($mark->arguments as $key => $value) {
            $wanted = \is_int($key) ? ['weight', 'name'][$key] ?? '' : $key;
            if ($wanted === 'weight' && \is_int($value) && $value >= 0 && $value <= self::HEAVIEST) {
                $this->weight = $value;
            } elseif ($wanted === 'name' && \is_string($value) && $value !== '') {
                $this->name = ValuePrinter::identifier($value, 100);
            } else {
                throw new Fault(
                    'load',
                    'Operation wants a weight from 0 to ' . self::HEAVIEST . ' and a name, not ' . ValuePrinter::text((string) $key) . ' = '
                        . ValuePrinter::print($value) . '.',
                    'Write Operation(weight: 9, name: \'get\').'
                );
            }
        }
    }
}
