package testing

import (
	"strconv"
	"unicode/utf8"
)

// Codec of the protocol's frames (PROTOCOL §1): flat JSON, read strictly. encoding/json can't be used here, because its own
// tests import this package.

const (
	tareWireVersion = 1
	tareMaxBytes    = 16 << 20
	tareMaxInteger  = 1<<53 - 1
	tareMaxDepth    = 10000
)

type tareKind int

const (
	tareOther tareKind = iota // JSON that no frame of this version has as a value
	tareString
	tareInteger
	tareBoolean
	tareStrings
	tareIntegers
	tareBooleans
	tareEmpty // the array without elements: of any type
)

type tareValue struct {
	kind     tareKind
	text     string
	integer  int64
	boolean  bool
	texts    []string
	integers []int64
}

type tareRequest struct {
	frame  string
	id     int64
	values map[string]tareValue
}

// tareScanner reads one line. The first thing that isn't JSON ends it by a panic of tareFault, which tareDecode catches.
type tareScanner struct {
	line []byte
	at   int
}

// tareDecode reads one line without its line feed. The fault is of kind bad-frame and has the request's number where it is
// usable.
func tareDecode(line []byte) (request *tareRequest, fault *tareFault) {
	s := &tareScanner{line: line}
	defer func() {
		if thrown := recover(); thrown != nil {
			known, ok := thrown.(*tareFault)
			if !ok {
				panic(thrown)
			}
			request, fault = nil, known
		}
	}()
	if !utf8.Valid(line) {
		s.refuse("The line isn't UTF-8.")
	}
	values, twice := s.object()
	id, usable := values["id"], false
	if id.kind == tareInteger && id.integer >= 0 && twice != "id" {
		usable = true
	}
	number := int64(-1)
	if usable {
		number = id.integer
	}
	bad := func(message string) (*tareRequest, *tareFault) {
		return nil, &tareFault{id: number, kind: "bad-frame", message: message}
	}
	frame := values["frame"]
	switch {
	case twice != "":
		return bad("The key " + strconv.Quote(twice) + " stands more than once.")
	case !usable:
		return bad("The request has no `id` that is an integer from 0 to 2^53-1.")
	case frame.kind != tareString:
		return bad("The request has no string `frame`.")
	}
	return &tareRequest{frame.text, number, values}, nil
}

func (s *tareScanner) refuse(why string) {
	panic(&tareFault{id: -1, kind: "bad-frame", message: "The line is no frame: " + why})
}

func (s *tareScanner) space() {
	for s.at < len(s.line) {
		switch s.line[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

func (s *tareScanner) peek() byte {
	if s.at < len(s.line) {
		return s.line[s.at]
	}
	return 0
}

func (s *tareScanner) expect(c byte) {
	if s.peek() != c || s.at >= len(s.line) {
		s.refuse("there should be " + strconv.QuoteRune(rune(c)) + " at byte " + strconv.Itoa(s.at) + ".")
	}
	s.at++
}

// object reads the whole line; twice is a key that stands more than once.
func (s *tareScanner) object() (values map[string]tareValue, twice string) {
	values = make(map[string]tareValue)
	s.space()
	s.expect('{')
	s.space()
	for first := true; s.peek() != '}'; first = false {
		if !first {
			s.expect(',')
			s.space()
		}
		key := s.text()
		s.space()
		s.expect(':')
		s.space()
		value := s.value()
		if _, known := values[key]; known && (twice == "" || key == "id") {
			// An id that stands twice is no usable one, whatever else is wrong.
			twice = key
			if key == "" {
				s.refuse("the empty key stands more than once.")
			}
		}
		values[key] = value
		s.space()
	}
	s.expect('}')
	s.space()
	if s.at != len(s.line) {
		s.refuse("something follows the object.")
	}
	return values, twice
}

// value reads a value of a frame; what no frame has is read over.
func (s *tareScanner) value() tareValue {
	switch c := s.peek(); {
	case c == '"':
		return tareValue{kind: tareString, text: s.text()}
	case c == '[':
		return s.array()
	case c == 't' || c == 'f':
		return tareValue{kind: tareBoolean, boolean: s.boolean()}
	case c == '-' || c >= '0' && c <= '9':
		if integer, ok := s.number(); ok {
			return tareValue{kind: tareInteger, integer: integer}
		}
		return tareValue{}
	default:
		s.skip(0)
		return tareValue{}
	}
}

func (s *tareScanner) array() tareValue {
	s.expect('[')
	s.space()
	result := tareValue{kind: tareEmpty}
	for first := true; s.peek() != ']'; first = false {
		if !first {
			s.expect(',')
			s.space()
		}
		kind := tareOther
		switch c := s.peek(); {
		case c == '"':
			kind = tareStrings
			result.texts = append(result.texts, s.text())
		case c == 't' || c == 'f':
			kind = tareBooleans
			s.boolean()
		case c == '-' || c >= '0' && c <= '9':
			if integer, ok := s.number(); ok {
				kind = tareIntegers
				result.integers = append(result.integers, integer)
			}
		default:
			s.skip(1)
		}
		if first {
			result.kind = kind
		} else if result.kind != kind {
			result.kind = tareOther
		}
		s.space()
	}
	s.expect(']')
	return result
}

// skip reads over any value.
func (s *tareScanner) skip(depth int) {
	if depth > tareMaxDepth {
		s.refuse("it is nested too deeply.")
	}
	switch c := s.peek(); {
	case c == '"':
		s.text()
	case c == '{' || c == '[':
		s.at++
		s.space()
		for first := true; s.peek() != c+2; first = false {
			if !first {
				s.expect(',')
				s.space()
			}
			if c == '{' {
				s.text()
				s.space()
				s.expect(':')
				s.space()
			}
			s.skip(depth + 1)
			s.space()
		}
		s.at++
	case c == 'n':
		s.word("null")
	case c == 't' || c == 'f':
		s.boolean()
	default:
		s.number()
	}
}

func (s *tareScanner) word(word string) {
	if len(s.line)-s.at < len(word) || string(s.line[s.at:s.at+len(word)]) != word {
		s.refuse("there is no value at byte " + strconv.Itoa(s.at) + ".")
	}
	s.at += len(word)
}

func (s *tareScanner) boolean() bool {
	if s.peek() == 't' {
		s.word("true")
		return true
	}
	s.word("false")
	return false
}

func (s *tareScanner) digits() int {
	from := s.at
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.at++
	}
	if s.at == from {
		s.refuse("there is no value at byte " + strconv.Itoa(from) + ".")
	}
	return s.at - from
}

// number reports whether what it reads is an integer of the protocol.
func (s *tareScanner) number() (integer int64, ok bool) {
	from := s.at
	if s.peek() == '-' {
		s.at++
	}
	zero := s.peek() == '0'
	if s.digits() > 1 && zero {
		s.refuse("a number begins with 0 at byte " + strconv.Itoa(from) + ".")
	}
	ok = true
	if s.peek() == '.' {
		s.at++
		s.digits()
		ok = false
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		s.digits()
		ok = false
	}
	text := string(s.line[from:s.at])
	if !ok || text == "-0" {
		return 0, false
	}
	integer, err := strconv.ParseInt(text, 10, 64)
	return integer, err == nil && integer >= -tareMaxInteger && integer <= tareMaxInteger
}

func (s *tareScanner) text() string {
	s.expect('"')
	from := s.at
	for s.at < len(s.line) && s.line[s.at] != '"' && s.line[s.at] != '\\' && s.line[s.at] >= 0x20 {
		s.at++
	}
	if s.peek() == '"' {
		s.at++
		return string(s.line[from : s.at-1])
	}
	text := append([]byte(nil), s.line[from:s.at]...)
	for {
		c := s.peek()
		if s.at >= len(s.line) || c < 0x20 {
			s.refuse("a string doesn't end, or holds a control character, at byte " + strconv.Itoa(s.at) + ".")
		}
		s.at++
		switch c {
		case '"':
			return string(text)
		case '\\':
			text = utf8.AppendRune(text, s.escape())
		default:
			text = append(text, c)
		}
	}
}

func (s *tareScanner) escape() rune {
	c := s.peek()
	s.at++
	switch c {
	case '"', '\\', '/':
		return rune(c)
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'u':
		first := s.hexadecimal()
		if first < 0xd800 || first > 0xdfff {
			return first
		}
		if first < 0xdc00 && s.at+1 < len(s.line) && s.line[s.at] == '\\' && s.line[s.at+1] == 'u' {
			s.at += 2
			if second := s.hexadecimal(); second >= 0xdc00 && second <= 0xdfff {
				return 0x10000 + (first-0xd800)<<10 + (second - 0xdc00)
			}
		}
		s.refuse("a surrogate stands alone at byte " + strconv.Itoa(s.at) + ".")
	}
	s.refuse("there is no such escape at byte " + strconv.Itoa(s.at-1) + ".")
	return 0
}

func (s *tareScanner) hexadecimal() rune {
	if s.at+4 > len(s.line) {
		s.refuse("an escape is cut off.")
	}
	var value rune
	for _, c := range s.line[s.at : s.at+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			s.refuse("an escape isn't hexadecimal at byte " + strconv.Itoa(s.at) + ".")
		}
		value = value<<4 | rune(c)
	}
	s.at += 4
	return value
}
