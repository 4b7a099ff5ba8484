//! A precedence-climbing parser, with PHPBench's precedences (its `Precedence` and `Lexer`).

use crate::error::ArgumentError;
use crate::quantity::shown;

use super::check::{Node, call, metric, unit};
use super::fault::{EXAMPLE, Fault};
use super::lexer::{Token, tokens};
use super::{Condition, LONGEST_ASSERTION, Number, Relation, Tolerance};

/// Deeper ones are refused.
const DEEPEST: usize = 64;

const EQUALITY: u8 = 70;
const COMPARISON: u8 = 80;
const SUM: u8 = 90;
const PRODUCT: u8 = 100;
const AS: u8 = 110;

pub(super) fn parse(text: &str) -> Result<Condition, ArgumentError> {
    if text.len() > LONGEST_ASSERTION {
        let message = format!("the assertion has {} bytes, and {LONGEST_ASSERTION} is the most", text.len());
        return Err(ArgumentError::new(message, "write several shorter ones"));
    }
    parsed(text).map_err(|Fault { at, message, remedy }| {
        ArgumentError::new(format!("the assertion `{}`, character {}: {message}", shown(text), at + 1), remedy)
    })
}

fn parsed(text: &str) -> Result<Condition, Fault> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, end: text.chars().count(), depth: 0 };
    let node = parser.expression(0)?;
    match parser.peek() {
        Some(_) => Err(Fault::new(
            parser.at(),
            format!("{} comes after the end of the comparison", parser.found()),
            "leave it out, or join two comparisons with `and` or `or`",
        )),
        None => node.condition(0),
    }
}

struct Parser {
    tokens: Vec<(Token, usize)>,
    next: usize,
    /// Where the text ends.
    end: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |(_, at)| *at)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(found)) if *found == sign);
        self.next += usize::from(found);
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(found)) if found == word);
        self.next += usize::from(found);
        found
    }

    /// What stands here, for a message.
    fn found(&self) -> String {
        match self.peek() {
            None => "the end".to_owned(),
            Some(Token::Number(number)) => format!("`{number}`"),
            Some(Token::Word(word)) => format!("`{}`", shown(word)),
            Some(Token::Text) => "a text".to_owned(),
            Some(Token::Sign(sign)) => format!("`{sign}`"),
        }
    }

    fn wanted(&self, what: &str) -> Fault {
        Fault::new(self.at(), format!("{what} is missing before {}", self.found()), EXAMPLE)
    }

    fn expression(&mut self, above: u8) -> Result<Node, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("it is nested more than {DEEPEST} deep");
            return Err(Fault::new(self.at(), message, "write several shorter assertions"));
        }
        let begin = self.at();
        let mut left = self.first()?;
        left = self.suffixed(left, begin)?;
        while let Some((infix, precedence)) = self.infix()
            && precedence > above
        {
            let at = self.at();
            self.next += 1;
            left = self.joined(left, infix, precedence, (begin, at))?;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn first(&mut self) -> Result<Node, Fault> {
        let at = self.at();
        if self.takes("(") {
            let inner = self.expression(0)?;
            return if self.takes(")") { Ok(inner) } else { Err(self.wanted("`)`")) };
        }
        if self.takes("[") {
            let numbers = self.list("]")?.into_iter().map(|(node, at)| node.number(at));
            return Ok(Node::List(numbers.collect::<Result<_, _>>()?));
        }
        let token = self.peek().cloned();
        match token {
            Some(Token::Number(number)) => {
                self.next += 1;
                Ok(Node::Number(Number::Constant(number)))
            }
            Some(Token::Text) => Err(Fault::new(at, "text stands here, and only numbers can be compared", EXAMPLE)),
            Some(Token::Word(word)) if word == "true" || word == "false" => {
                self.next += 1;
                Ok(Node::Condition(Condition::Always(word == "true")))
            }
            Some(Token::Word(word)) => {
                self.next += 1;
                if self.takes("(") {
                    let arguments = self.list(")")?;
                    return call(&word, arguments, at);
                }
                let mut path = vec![word];
                while self.takes(".") {
                    match self.peek().cloned() {
                        Some(Token::Word(word)) => path.push(word),
                        _ => return Err(self.wanted("a name")),
                    }
                    self.next += 1;
                }
                metric(&path, at)
            }
            Some(Token::Sign("-")) => {
                Err(Fault::new(at, "PHPBench knows no sign before a number", "write (0 - 1) for -1"))
            }
            _ => Err(self.wanted("a number or a figure")),
        }
    }

    /// What stands between the bracket that was taken and this one.
    fn list(&mut self, close: &str) -> Result<Vec<(Node, usize)>, Fault> {
        let mut found = Vec::new();
        if self.takes(close) {
            return Ok(found);
        }
        loop {
            let at = self.at();
            found.push((self.expression(0)?, at));
            if self.takes(close) {
                return Ok(found);
            }
            if !self.takes(",") {
                return Err(self.wanted(&format!("`,` or `{close}`")));
            }
        }
    }

    /// A unit, or a percent sign.
    fn suffixed(&mut self, left: Node, begin: usize) -> Result<Node, Fault> {
        if self.takes("%") {
            return Ok(Node::Percent(left.number(begin)?));
        }
        let Some(Token::Word(word)) = self.peek() else { return Ok(left) };
        if ["and", "or", "as", "precision"].contains(&word.as_str()) {
            return Ok(left);
        }
        let Some(worth) = unit(word) else {
            let message = format!("`{}` is no unit", shown(word));
            return Err(Fault::new(self.at(), message, UNITS));
        };
        let Some(worth) = worth else {
            let message = format!("`{}` formats a value, and an assertion has none to format", shown(word));
            return Err(Fault::new(self.at(), message, UNITS));
        };
        self.next += 1;
        let number = left.number(begin)?;
        Ok(Node::Number(Number::Product(Box::new(number), Box::new(Number::Constant(worth)))))
    }

    fn infix(&self) -> Option<(Infix, u8)> {
        Some(match self.peek()? {
            Token::Word(word) => match word.as_str() {
                // Not by mistake: PHPBench's lexer has them the other way round than other languages.
                "and" => (Infix::And, 50),
                "or" => (Infix::Or, 60),
                "as" => (Infix::As, AS),
                _ => return None,
            },
            Token::Sign(sign) => match *sign {
                "=" => (Infix::Relation(Relation::Equal), EQUALITY),
                "!=" => (Infix::Relation(Relation::Unequal), COMPARISON),
                "<" => (Infix::Relation(Relation::Less), COMPARISON),
                "<=" => (Infix::Relation(Relation::LessOrEqual), COMPARISON),
                ">" => (Infix::Relation(Relation::Greater), COMPARISON),
                ">=" => (Infix::Relation(Relation::GreaterOrEqual), COMPARISON),
                "+" => (Infix::Sum, SUM),
                "-" => (Infix::Difference, SUM),
                "+/-" => (Infix::Tolerance, SUM),
                "*" => (Infix::Product, PRODUCT),
                "/" => (Infix::Quotient, PRODUCT),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// `places`: where the left side begins, and where the operator stands.
    fn joined(&mut self, left: Node, infix: Infix, precedence: u8, places: (usize, usize)) -> Result<Node, Fault> {
        let (begin, sign) = places;
        if infix == Infix::As {
            return self.shown_as(left, begin);
        }
        let at = self.at();
        let right = self.expression(if infix == Infix::Tolerance { PRODUCT } else { precedence })?;
        let both = |make: fn(Box<Number>, Box<Number>) -> Number, left: Node, right: Node| {
            Ok(Node::Number(make(Box::new(left.number(begin)?), Box::new(right.number(at)?))))
        };
        match infix {
            Infix::Sum => both(Number::Sum, left, right),
            Infix::Difference => both(Number::Difference, left, right),
            Infix::Product => both(Number::Product, left, right),
            Infix::Quotient => {
                let right = right.number(at)?;
                if right == Number::Constant(0.0) {
                    return Err(Fault::new(sign, "the assertion divides by 0", "write another divisor"));
                }
                Ok(Node::Number(Number::Quotient(Box::new(left.number(begin)?), Box::new(right))))
            }
            Infix::Tolerance => {
                let tolerance = match right {
                    Node::Percent(by) => Tolerance::Percent(by),
                    right => Tolerance::Absolute(right.number(at)?),
                };
                Ok(Node::Tolerated(left.number(begin)?, tolerance))
            }
            Infix::Relation(relation) => {
                let (right, tolerance) = match right {
                    Node::Tolerated(right, tolerance) => (right, tolerance),
                    right => (right.number(at)?, Tolerance::None),
                };
                let left = left.number(begin)?;
                Ok(Node::Condition(Condition::Comparison { left, relation, right, tolerance }))
            }
            Infix::And | Infix::Or => {
                let make = if infix == Infix::And { Condition::And } else { Condition::Or };
                let (left, right) = (left.condition(begin)?, right.condition(at)?);
                Ok(Node::Condition(make(Box::new(left), Box::new(right))))
            }
            Infix::As => Ok(left),
        }
    }

    /// How a value is shown doesn't change what it is.
    fn shown_as(&mut self, left: Node, begin: usize) -> Result<Node, Fault> {
        match self.peek() {
            Some(Token::Word(word)) if unit(word).is_some() => self.next += 1,
            _ => return Err(Fault::new(self.at(), format!("{} is no unit", self.found()), UNITS)),
        }
        if self.takes_word("precision") {
            match self.peek() {
                Some(Token::Number(_)) => self.next += 1,
                _ => return Err(self.wanted("a number of digits")),
            }
        }
        match left {
            Node::Percent(_) | Node::Number(_) => Ok(Node::Number(left.number(begin)?)),
            Node::Tolerated(..) => Ok(left),
            left => Ok(Node::Number(left.number(begin)?)),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Infix {
    And,
    Or,
    As,
    Relation(Relation),
    Sum,
    Difference,
    Product,
    Quotient,
    Tolerance,
}

const UNITS: &str = "units are ns, us, ms, s, m, minutes, hours, days, and bytes, kb, mb, gb, kib, mib, gib";
