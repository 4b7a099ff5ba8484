<?php

declare(strict_types=1);

namespace Tare\Worker;

/** How a subject is called: what its null has to repeat so that both take the same way through the engine. */
final class Signature
{
    /** @var string */
    public $method;

    /** @var string the parameter list of the null, as source text */
    public $parameters = '';

    /** @var string the argument list of the call, of $params and $timer, as source text */
    public $arguments = '';

    /** @var string return type of the null, with its colon */
    public $returns = '';

    /** @var bool */
    public $isStatic = false;

    /** @var string|null the parameter that receives the timer */
    public $timer;

    private function __construct(string $method)
    {
        $this->method = $method;
    }

    /** A method without parameters. */
    public static function plain(string $method): self
    {
        $signature = new self($method);
        $signature->returns = ': void';

        return $signature;
    }

    /**
     * A subject is given its parameter set in the first parameter that isn't a timer, and a timer wherever it asks for one.
     *
     * @throws Fault of kind `load` when it needs more than that
     */
    public static function of(\ReflectionMethod $method): self
    {
        $signature = new self($method->getName());
        $signature->isStatic = $method->isStatic();
        $returns = $method->getReturnType();
        $signature->returns = $returns instanceof \ReflectionNamedType && $returns->getName() === 'void' ? ': void' : '';
        $parameters = [];
        $arguments = [];
        $skipped = false;
        foreach ($method->getParameters() as $parameter) {
            $parameters[] = self::declaration($parameter);
            $type = $parameter->getType();
            $isTimer = $type instanceof \ReflectionNamedType && $type->getName() === \Tare\Timer::class;
            if ($isTimer && !$skipped) {
                $arguments[] = '$timer';
                $signature->timer = $parameter->getName();
            } elseif ($isTimer) {
                throw self::misfit($method, 'asks for its timer after an optional parameter', 'Put the timer before it.');
            } elseif (!\in_array('$params', $arguments, true)) {
                $arguments[] = '$params';
            } elseif ($parameter->isOptional()) {
                $skipped = true;
            } else {
                throw self::misfit(
                    $method,
                    'wants more than one argument',
                    'A subject is called with one array, its parameter set, and with a timer where it asks for a Tare\\Timer.'
                );
            }
        }
        $signature->parameters = \implode(', ', $parameters);
        $signature->arguments = \implode(', ', $arguments);

        return $signature;
    }

    public function takesParameters(): bool
    {
        return \strpos($this->arguments, '$params') !== false;
    }

    private static function misfit(\ReflectionMethod $method, string $what, string $remedy): Fault
    {
        return new Fault(
            'load',
            $method->class . '::' . $method->name . '() ' . $what . '.',
            $remedy,
            (string) $method->getFileName(),
            (int) $method->getStartLine()
        );
    }

    private static function declaration(\ReflectionParameter $parameter): string
    {
        $name = ($parameter->isPassedByReference() ? '&' : '') . ($parameter->isVariadic() ? '...' : '') . '$' . $parameter->getName();
        $type = $parameter->getType();
        $typeText = $type === null ? '' : self::typeText($type);
        $default = '';
        if ($parameter->isOptional() && !$parameter->isVariadic()) {
            $value = self::defaultValue($parameter);
            $default = ' = ' . \var_export($value, true);
            // A default that can't be repeated becomes null, which its type may not allow.
            $typeText = $value === null && $type !== null && !$type->allowsNull() ? '' : $typeText;
        }

        return \ltrim($typeText . ' ' . $name) . $default;
    }

    /** Types that are checked without looking for a class; others are left out, and are never met: what is passed is an array or a timer. */
    private static function typeText(\ReflectionType $type): string
    {
        if ($type instanceof \ReflectionNamedType) {
            $prefix = $type->allowsNull() && !\in_array($type->getName(), ['null', 'mixed'], true) ? '?' : '';
            if ($type->getName() === \Tare\Timer::class) {
                return $prefix . '\\' . \Tare\Timer::class;
            }

            return $type->isBuiltin() ? $prefix . $type->getName() : '';
        }
        $parts = \method_exists($type, 'getTypes') ? $type->getTypes() : [];
        foreach ($parts as $part) {
            if (!$part instanceof \ReflectionNamedType || !$part->isBuiltin()) {
                return '';
            }
        }

        return (string) $type;
    }

    /**
     * @return mixed a scalar, an empty array or null
     */
    private static function defaultValue(\ReflectionParameter $parameter)
    {
        try {
            $value = $parameter->getDefaultValue();
        } catch (\Throwable $thrown) {
            return null;
        }

        return \is_scalar($value) || $value === [] ? $value : null;
    }
}
