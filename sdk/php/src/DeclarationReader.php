<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Collects what a class and a method declare, from doc comments and from attributes. Attributes are read by name and
 * arguments and never instantiated, so their classes needn't be installed.
 */
final class DeclarationReader
{
    /**
     * @param \ReflectionClass<object>|\ReflectionMethod $element
     *
     * @return list<Declaration>
     */
    public static function annotations(\Reflector $element): array
    {
        if (self::isUnread('annotations')) {
            return [];
        }
        $comment = $element->getDocComment();
        if ($comment === false || \strpos($comment, '@') === false) {
            return [];
        }
        $class = $element instanceof \ReflectionMethod ? $element->getDeclaringClass() : $element;
        \assert($class instanceof \ReflectionClass);

        $scopes = [$class->getName(), $class->getNamespaceName()];

        return (new AnnotationParser($scopes, Imports::of($class)))->parse($comment);
    }

    /**
     * @param \ReflectionClass<object>|\ReflectionMethod $element
     *
     * @return list<Declaration>
     */
    public static function attributes(\Reflector $element): array
    {
        if (\PHP_VERSION_ID < 80000 || self::isUnread('attributes')) {
            return [];
        }
        $class = $element instanceof \ReflectionMethod ? $element->getDeclaringClass() : $element;
        \assert($class instanceof \ReflectionClass);
        $found = [];
        foreach ($element->getAttributes() as $attribute) {
            $name = $attribute->getName();
            $kind = Declaration::kindOf($name, false);
            $isOwn = $kind === Declaration::BASE || $kind === Declaration::OPERATION;
            if (!$isOwn && !Declaration::isPhpbenchs($name, $class->getNamespaceName())) {
                // Another library's of the same name.
                continue;
            }
            if ($kind === null) {
                if (\strpos($name, 'PhpBench\\') !== false) {
                    $found[] = Declaration::misspelt($name, "#[$name]");
                }
                continue;
            }
            try {
                $found[] = new Declaration($kind, $attribute->getArguments(), true);
            } catch (\Throwable $thrown) {
                $found[] = new Declaration($kind, [], true, "`#[$kind]` cannot be read: " . $thrown->getMessage());
            }
        }

        return $found;
    }

    /** PHPBench's `runner.subject_pattern`: what names of subjects match. */
    public static function pattern(): string
    {
        $given = \getenv('TARE_SUBJECTS');

        return \is_string($given) && $given !== '' ? $given : '^bench';
    }

    /** Whether the pattern matches; null where it is none. */
    public static function matches(string $pattern, string $name): ?bool
    {
        $found = Quiet::call(static function () use ($pattern, $name) {
            return \preg_match('{' . $pattern . '}', $name);
        });

        return $found === false ? null : $found === 1;
    }

    /** Whether PHPBench's configuration says that they aren't read. */
    private static function isUnread(string $kind): bool
    {
        $said = \getenv('TARE_UNREAD');

        return \is_string($said) && \in_array($kind, \explode(',', $said), true);
    }

    /**
     * The method's declarations, and whether one of them makes it a subject.
     */
    public static function isSubject(\ReflectionMethod $method): bool
    {
        if (self::matches(self::pattern(), $method->getName()) === true) {
            return true;
        }
        foreach (\array_merge(self::attributes($method), self::annotations($method)) as $declaration) {
            if ($declaration->kind === 'Subject') {
                return true;
            }
        }

        return false;
    }
}
