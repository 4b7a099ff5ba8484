// Writes replies: one flat JSON object on a line (PROTOCOL §1).
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "utf8.h"

namespace tare {
namespace detail {

/// Longest text sent, in bytes: a frame has a limit, and nobody reads more.
inline constexpr std::size_t longest_text = 65536;
/// Largest integer on the wire.
inline constexpr std::int64_t largest_integer = 9007199254740991;

class FrameWriter {
public:
    FrameWriter(const char *kind, std::int64_t id) : FrameWriter(kind) { integer("id", id); }
    explicit FrameWriter(const char *kind) : text_("{\"frame\":")
    {
        text_.reserve(512);
        value(kind);
    }

    FrameWriter &string(const char *key, const std::string &text)
    {
        name(key);
        value(text);
        return *this;
    }
    /// Left out where it says nothing.
    FrameWriter &optional(const char *key, const std::string &text) { return text.empty() ? *this : string(key, text); }
    FrameWriter &integer(const char *key, std::int64_t number)
    {
        name(key);
        value(number);
        return *this;
    }
    FrameWriter &boolean(const char *key, bool truth)
    {
        name(key);
        text_ += truth ? "true" : "false";
        return *this;
    }
    template <class Item> FrameWriter &list(const char *key, const std::vector<Item> &items)
    {
        name(key);
        text_ += '[';
        for (std::size_t i = 0; i < items.size(); ++i) {
            text_ += i == 0 ? "" : ",";
            value(items[i]);
        }
        text_ += ']';
        return *this;
    }

    /// Left out where it is empty.
    template <class Item> FrameWriter &optional_list(const char *key, const std::vector<Item> &items)
    {
        return items.empty() ? *this : list(key, items);
    }

    /// The line with its line feed.
    const std::string &line()
    {
        text_ += "}\n";
        return text_;
    }

private:
    std::string text_;

    void name(const char *key)
    {
        text_ += ",\"";
        text_ += key;
        text_ += "\":";
    }

    void value(std::int64_t number)
    {
        number = number > largest_integer ? largest_integer : number < -largest_integer ? -largest_integer : number;
        text_ += std::to_string(number);
    }

    /// What isn't UTF-8 becomes U+FFFD.
    void value(const std::string &text)
    {
        text_ += '"';
        const std::size_t size = text.size() > longest_text ? longest_text : text.size();
        for (std::size_t at = 0; at < size;) {
            const std::size_t length = utf8_length(text.data(), at, size);
            const char character = text[at];
            if (length == 0) {
                text_ += "\xef\xbf\xbd";
            } else if (character == '"' || character == '\\') {
                text_ += '\\';
                text_ += character;
            } else if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) {
                char escape[8];
                std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned int>(character));
                text_ += escape;
            } else {
                text_.append(text, at, length);
            }
            at += length == 0 ? 1 : length;
        }
        text_ += '"';
    }
};

} // namespace detail
} // namespace tare
