// UTF-8, strict: no overlong forms, no surrogates, nothing beyond U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tare {
namespace detail {

/// Bytes of the character that begins at `at`; 0 when none does.
inline std::size_t utf8_length(const char *text, std::size_t at, std::size_t size)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) {
        return 1;
    }
    const std::size_t length = lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
    if (length == 0 || size - at < length) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool is_outside = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) >= 0xa0) || (lead == 0xf0 && byte(1) < 0x90)
        || (lead == 0xf4 && byte(1) >= 0x90);
    return is_outside ? 0 : length;
}

inline bool is_utf8(const std::string &text)
{
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t length = utf8_length(text.data(), at, text.size());
        if (length == 0) {
            return false;
        }
        at += length;
    }
    return true;
}

/// FNV-1a of 64 bits, in 16 digits (Fowler, Noll and Vo; https://datatracker.ietf.org/doc/draft-eastlake-fnv): every worker's hash of names.
inline std::string digest_of(const std::string &text)
{
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char character : text) {
        hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3u;
    }
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) {
        digits += "0123456789abcdef"[(hash >> shift) & 15];
    }
    return digits;
}

/// A name by which a case is known: what isn't UTF-8 as `\xff`, and the hash of the whole behind a cut. Two names stay two.
inline std::string identifier(const std::string &name, std::size_t longest)
{
    std::string text;
    for (std::size_t at = 0; at < name.size();) {
        const std::size_t length = utf8_length(name.data(), at, name.size());
        std::string part = name.substr(at, length);
        if (length == 0) {
            const unsigned char byte = static_cast<unsigned char>(name[at]);
            part = {'\\', 'x', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
        }
        if (text.size() + part.size() > longest) {
            return text + "\xe2\x80\xa6" + digest_of(name);
        }
        text += part;
        at += length == 0 ? 1 : length;
    }
    return text;
}

/// Adds a code point.
inline void append_utf8(std::string &text, std::uint32_t code)
{
    const auto add = [&](std::uint32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) {
        add(code);
    } else if (code < 0x800) {
        add(0xc0 | (code >> 6));
        add(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        add(0xe0 | (code >> 12));
        add(0x80 | ((code >> 6) & 0x3f));
        add(0x80 | (code & 0x3f));
    } else {
        add(0xf0 | (code >> 18));
        add(0x80 | ((code >> 12) & 0x3f));
        add(0x80 | ((code >> 6) & 0x3f));
        add(0x80 | (code & 0x3f));
    }
}

} // namespace detail
} // namespace tare
