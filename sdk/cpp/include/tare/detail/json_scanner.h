// Reads one line as the protocol's flat JSON. Values are checked against the grammar of RFC 8259 whatever they are; only those
// that the wire has are kept.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fault.h"
#include "frame_writer.h"
#include "utf8.h"

namespace tare {
namespace detail {

/// A value of a request. `other`: JSON that the wire doesn't have (null, a fraction, a nested or mixed value).
struct Value {
    enum Kind { other, boolean, integer, string, empty_list, booleans, integers, strings };
    Kind kind = other;
    std::int64_t number = 0;
    std::string text;
    std::vector<std::int64_t> numbers;
    std::vector<std::string> texts;
};

using Members = std::vector<std::pair<std::string, Value>>;

class JsonScanner {
public:
    explicit JsonScanner(const std::string &line) : text_(line) {}

    /// The members of the object that the line is, in their order. False when it is none; `why` says so.
    bool read(Members &members)
    {
        if (!is_utf8(text_)) {
            return fail("it isn't UTF-8");
        }
        skip_space();
        if (!take('{')) {
            return fail("it is no JSON object");
        }
        skip_space();
        if (!take('}')) {
            do {
                members.emplace_back();
                skip_space();
                if (!read_string(members.back().first)) {
                    return false;
                }
                skip_space();
                if (!take(':')) {
                    return fail("a colon is missing");
                }
                skip_space();
                if (!read_value(members.back().second)) {
                    return false;
                }
                skip_space();
            } while (take(','));
            if (!take('}')) {
                return fail("a comma or a brace is missing");
            }
        }
        skip_space();
        return at_ == text_.size() || fail("something follows the object");
    }

    const std::string &why() const { return why_; }

private:
    static constexpr int deepest = 512;

    const std::string &text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::string why_;

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool is_digit() const { return peek() >= '0' && peek() <= '9'; }

    bool take(char character)
    {
        if (at_ < text_.size() && text_[at_] == character) {
            ++at_;
            return true;
        }
        return false;
    }

    bool fail(const char *why)
    {
        why_ = std::string(why) + " at byte " + std::to_string(at_);
        return false;
    }

    void skip_space()
    {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n')) {
            ++at_;
        }
    }

    bool read_value(Value &value)
    {
        switch (peek()) {
        case '"':
            value.kind = Value::string;
            return read_string(value.text);
        case '[':
            return read_list(value);
        case '{':
            value.kind = Value::other;
            return skip_object();
        case 't':
            value.kind = Value::boolean;
            value.number = 1;
            return read_word("true");
        case 'f':
            value.kind = Value::boolean;
            value.number = 0;
            return read_word("false");
        case 'n':
            value.kind = Value::other;
            return read_word("null");
        default:
            return read_number(value);
        }
    }

    bool read_word(const char *word)
    {
        const std::string wanted(word);
        if (text_.compare(at_, wanted.size(), wanted) != 0) {
            return fail("a value is missing");
        }
        at_ += wanted.size();
        return true;
    }

    bool read_number(Value &value)
    {
        const std::size_t begin = at_;
        const bool is_negative = take('-');
        if (!is_digit()) {
            at_ = begin;
            return fail("a value is missing");
        }
        std::int64_t number = 0;
        bool is_plain = true;
        const bool is_zero = peek() == '0';
        for (; is_digit() && !(is_zero && at_ > begin + (is_negative ? 1u : 0u)); ++at_) {
            number = is_plain ? number * 10 + (peek() - '0') : number;
            is_plain = is_plain && number <= largest_integer;
        }
        is_plain = is_plain && !(is_zero && is_negative);
        if (take('.')) {
            is_plain = false;
            if (!skip_digits()) {
                return fail("a digit is missing");
            }
        }
        if (take('e') || take('E')) {
            is_plain = false;
            take('+') || take('-');
            if (!skip_digits()) {
                return fail("a digit is missing");
            }
        }
        value.kind = is_plain ? Value::integer : Value::other;
        value.number = is_negative ? -number : number;
        return true;
    }

    bool skip_digits()
    {
        const std::size_t begin = at_;
        while (is_digit()) {
            ++at_;
        }
        return at_ > begin;
    }

    bool read_list(Value &value)
    {
        if (++depth_ > deepest) {
            return fail("values are nested too deeply");
        }
        take('[');
        skip_space();
        value.kind = Value::empty_list;
        if (take(']')) {
            --depth_;
            return true;
        }
        do {
            Value item;
            skip_space();
            if (!read_value(item)) {
                return false;
            }
            add(value, item);
            skip_space();
        } while (take(','));
        --depth_;
        return take(']') || fail("a comma or a bracket is missing");
    }

    static void add(Value &list, Value &item)
    {
        const Value::Kind fitting = item.kind == Value::integer ? Value::integers
            : item.kind == Value::string                        ? Value::strings
            : item.kind == Value::boolean                       ? Value::booleans
                                                                : Value::other;
        list.kind = list.kind == Value::empty_list || list.kind == fitting ? fitting : Value::other;
        if (list.kind == Value::integers) {
            list.numbers.push_back(item.number);
        } else if (list.kind == Value::strings) {
            list.texts.push_back(std::move(item.text));
        }
    }

    bool skip_object()
    {
        if (++depth_ > deepest) {
            return fail("values are nested too deeply");
        }
        take('{');
        skip_space();
        if (!take('}')) {
            do {
                std::string key;
                Value value;
                skip_space();
                if (!read_string(key)) {
                    return false;
                }
                skip_space();
                if (!take(':')) {
                    return fail("a colon is missing");
                }
                skip_space();
                if (!read_value(value)) {
                    return false;
                }
                skip_space();
            } while (take(','));
            if (!take('}')) {
                return fail("a comma or a brace is missing");
            }
        }
        --depth_;
        return true;
    }

    bool read_string(std::string &into)
    {
        if (!take('"')) {
            return fail("a string is missing");
        }
        while (at_ < text_.size()) {
            const char character = text_[at_];
            if (character == '"') {
                ++at_;
                return true;
            }
            if (static_cast<unsigned char>(character) < 0x20) {
                return fail("a control character stands in a string");
            }
            if (character != '\\') {
                into += character;
                ++at_;
            } else if (!read_escape(into)) {
                return false;
            }
        }
        return fail("a string has no end");
    }

    bool read_escape(std::string &into)
    {
        static constexpr char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
        ++at_;
        const char letter = peek();
        ++at_;
        if (letter == 'u') {
            std::uint32_t code, low;
            if (!read_unit(code)) {
                return false;
            }
            if (code >= 0xd800 && code < 0xdc00) {
                if (!take('\\') || !take('u') || !read_unit(low) || low < 0xdc00 || low > 0xdfff) {
                    return fail("half of a surrogate pair stands alone");
                }
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            } else if (code >= 0xdc00 && code < 0xe000) {
                return fail("half of a surrogate pair stands alone");
            }
            append_utf8(into, code);
            return true;
        }
        for (std::size_t i = 0; letters[i] != '\0'; ++i) {
            if (letters[i] == letter) {
                into += meanings[i];
                return true;
            }
        }
        return fail("there is no such escape");
    }

    bool read_unit(std::uint32_t &unit)
    {
        unit = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            const char digit = peek();
            const int value = digit >= '0' && digit <= '9' ? digit - '0'
                : digit >= 'a' && digit <= 'f'             ? digit - 'a' + 10
                : digit >= 'A' && digit <= 'F'             ? digit - 'A' + 10
                                                           : -1;
            if (value < 0) {
                return fail("four hexadecimal digits are missing");
            }
            unit = unit * 16 + static_cast<std::uint32_t>(value);
        }
        return true;
    }
};

} // namespace detail
} // namespace tare
