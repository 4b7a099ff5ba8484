package testing

import (
	"strconv"
	"unicode/utf8"
)

// tareReply is a frame under construction, as text.
type tareReply struct{ text []byte }

func tareFrame(kind string) *tareReply {
	r := &tareReply{text: make([]byte, 0, 256)}
	r.text = append(r.text, `{"frame":`...)
	r.quote(kind)
	return r
}

func (r *tareReply) key(name string) {
	r.text = append(r.text, ',')
	r.quote(name)
	r.text = append(r.text, ':')
}

func (r *tareReply) string(name, value string) *tareReply {
	r.key(name)
	r.quote(value)
	return r
}

// optional leaves out what is empty.
func (r *tareReply) optional(name, value string) *tareReply {
	if value == "" {
		return r
	}
	return r.string(name, value)
}

func (r *tareReply) integer(name string, value int64) *tareReply {
	r.key(name)
	r.text = strconv.AppendInt(r.text, value, 10)
	return r
}

func (r *tareReply) boolean(name string, value bool) *tareReply {
	r.key(name)
	r.text = strconv.AppendBool(r.text, value)
	return r
}

func (r *tareReply) integers(name string, values []int64) *tareReply {
	r.key(name)
	r.text = append(r.text, '[')
	for i, value := range values {
		if i > 0 {
			r.text = append(r.text, ',')
		}
		r.text = strconv.AppendInt(r.text, value, 10)
	}
	r.text = append(r.text, ']')
	return r
}

func (r *tareReply) strings(name string, values []string) *tareReply {
	r.key(name)
	r.text = append(r.text, '[')
	for i, value := range values {
		if i > 0 {
			r.text = append(r.text, ',')
		}
		r.quote(value)
	}
	r.text = append(r.text, ']')
	return r
}

// line is the finished frame with its line feed.
func (r *tareReply) line() []byte {
	return append(r.text, '}', '\n')
}

// quote writes a JSON string; what isn't UTF-8 becomes U+FFFD.
func (r *tareReply) quote(text string) {
	const digits = "0123456789abcdef"
	r.text = append(r.text, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			r.text = append(r.text, '\\', byte(c))
		case c < 0x20:
			r.text = append(r.text, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			r.text = utf8.AppendRune(r.text, c)
		}
	}
	r.text = append(r.text, '"')
}

// tareFault ends a request without a result.
type tareFault struct {
	id      int64
	kind    string
	message string
	file    string
	line    int
	remedy  string
	trace   string
}

func (f *tareFault) reply(id int64) *tareReply {
	r := tareFrame("fault").integer("id", id).string("kind", f.kind).string("message", f.message)
	r.optional("file", f.file)
	if f.line > 0 {
		r.integer("line", int64(f.line))
	}
	return r.optional("remedy", f.remedy).optional("trace", f.trace)
}

func (f *tareFault) notice(id int64) *tareReply {
	r := tareFrame("notice").integer("id", id).string("level", "error").string("kind", f.kind).string("message", f.message)
	r.optional("file", f.file)
	if f.line > 0 {
		r.integer("line", int64(f.line))
	}
	return r.optional("remedy", f.remedy)
}
