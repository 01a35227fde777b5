/// Unicode tables for the scanner: digits of all scripts, fractions such as ½, and marks such as apostrophes and
/// dashes.
extension QuantityScanner {
    /// Returns the value of a digit of any script; `nil` for a scalar that is not a digit.
    static func digit(_ scalar: Unicode.Scalar) -> UInt32? {
        if scalar.isASCII { return ("0"..."9").contains(scalar) ? scalar.value - 0x30 : nil }
        // The last zero that is not after the scalar.
        var (low, high) = (0, zeros.count)
        while low < high {
            let middle = (low + high) / 2
            if zeros[middle] <= scalar.value { low = middle + 1 } else { high = middle }
        }
        let digit = low > 0 ? scalar.value - zeros[low - 1] : 10
        return digit < 10 ? digit : nil
    }

    /// Returns the ASCII form of a slash, point or comma; any other scalar unchanged.
    static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        // The slashes of fractions, and those of Japanese and Chinese keyboards.
        case "\u{2044}", "\u{2215}", "\u{FF0F}": "/"
        case "\u{FF0E}", "\u{66B}": "."
        case "\u{FF0C}": ","
        default: scalar
        }
    }

    /// Returns true for letters that mean “times” or “ten to the power of”, such as x and e. One of them is a Cyrillic
    /// letter that looks like an x.
    static func joinsNumbers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "x", "X", "e", "E", "\u{425}", "\u{445}", "\u{FF38}", "\u{FF58}", "\u{FF25}", "\u{FF45}": true
        default: false
        }
    }

    /// Returns true if the scalar is white space, a sign, or a mark that is not part of a word.
    ///
    /// Opening brackets do not count: in `2 (100 g)`, the number 2 is complete.
    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        marks.contains { $0.contains(scalar.value) }
    }

    static let vulgarFractions: [Unicode.Scalar: (Double, Double)] = [
        "¼": (1, 4), "½": (1, 2), "¾": (3, 4), "⅐": (1, 7), "⅑": (1, 9), "⅒": (1, 10), "⅓": (1, 3), "⅔": (2, 3),
        "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5), "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8),
        "⅝": (5, 8), "⅞": (7, 8), "↉": (0, 3),
    ]

    /// The zero of each set of decimal digits (category Nd) in Unicode 14, such as 0x660 for Arabic. The digits 1 to 9
    /// follow each zero.
    ///
    /// The list must not change. A published SQL migration contains the same list, and must read every text in the same
    /// way.
    private static let zeros: [UInt32] = [
        0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0,
        0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620,
        0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0,
        0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60,
        0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
    ]

    /// The ranges of the scalars that count as marks, such as apostrophes and dashes.
    ///
    /// The list must not change. A published SQL migration contains the same list, and must read every text in the same
    /// way.
    private static let marks: [ClosedRange<UInt32>] = [
        0x1...0x27, 0x29...0x2F, 0x3A...0x40, 0x5C...0x60, 0x7C...0xA9, 0xAB...0xB4, 0xB6...0xB9, 0xBB...0xBB,
        0xBF...0xBF, 0xD7...0xD7, 0xF7...0xF7, 0x2B0...0x36F, 0x600...0x61F, 0x66A...0x66D, 0x2000...0x20FF,
        0x2190...0x25FF, 0x2715...0x2716, 0x2795...0x2797, 0x2900...0x2BFF, 0x2E00...0x2E7F, 0x3000...0x3006,
        0x3008...0x3020, 0x302A...0x3030, 0x303D...0x303D, 0x30A0...0x30A0, 0x30FB...0x30FC, 0xFE00...0xFE19,
        0xFE50...0xFE6B, 0xFEFF...0xFEFF, 0xFF01...0xFF07, 0xFF09...0xFF0F, 0xFF1A...0xFF20,
        0xFF3C...0xFF40, 0xFF5C...0xFF65, 0xFFE0...0xFFEE,
    ]
}
