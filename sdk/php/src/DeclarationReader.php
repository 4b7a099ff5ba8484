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
        if (\PHP_VERSION_ID < 80000) {
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

    /**
     * The method's declarations, and whether one of them makes it a subject.
     */
    public static function isSubject(\ReflectionMethod $method): bool
    {
        if (\strncmp($method->getName(), 'bench', 5) === 0) {
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
