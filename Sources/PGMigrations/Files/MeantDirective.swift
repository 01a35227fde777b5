/// Recognizes comments that were probably meant as directives (`-- key: value`) but are not written as such, and finds
/// the directive that was meant.
///
/// A key in any letter case, followed by a colon, an equals sign or a semicolon, always counts as a mistaken directive.
/// A misspelt key counts only if a suitable value follows. The same is true of a key that another sign or none follows.
/// Any other comment is an ordinary remark.
enum MeantDirective {
    /// One line of a comment, normalized for comparison: in lower case, without invisible characters, and with each
    /// kind of blank, dash and colon replaced by the ASCII one.
    struct Words {
        /// The beginning of the comment's line, to be shown in a message.
        let shown: String
        fileprivate let key: String
        fileprivate let hasColon: Bool
        fileprivate let value: Substring
        fileprivate let whole: Substring

        /// The number of Unicode scalars at the beginning of a line that are examined. The rest is ignored, because
        /// such a long line is ordinary text.
        private static let scalarsMax = 300
        private static let shownMax = 40

        init(_ line: Substring) {
            let trimmed = line.drop { $0.isWhitespace }
            let isLong = trimmed.count > Self.shownMax
            shown = String(trimmed.prefix(Self.shownMax)) + (isLong ? "…" : "")
            let folded = String(
                String.UnicodeScalarView(line.unicodeScalars.prefix(Self.scalarsMax).compactMap(Self.folded))
            ).lowercased()
            // Skips decoration of comments: bullets, brackets and the like. Quotation marks stay, because a quoted
            // directive is only mentioned.
            let plain = folded.drop { !$0.isLetter && !$0.isNumber && !Self.quotes.contains($0) }
            // “1. ”, “2) ”
            let unnumbered = plain.drop { ("0"..."9").contains($0) }
            let isNumbered = unnumbered.startIndex > plain.startIndex && ".)".contains(unnumbered.first ?? " ")
            whole = isNumbered ? unnumbered.dropFirst().drop { $0 == " " } : plain
            key = String(whole.prefix(while: \.isLetter))
            let rest = whole.dropFirst(key.count)
            let signs = rest.prefix { " :=-_.,;>|~([{".contains($0) }
            hasColon = signs.contains(":") || signs.contains("=") || signs.contains(";")
            value = signs.isEmpty ? rest.prefix(0) : rest.dropFirst(signs.count)
        }

        private static let quotes: Set<Character> = ["‘", "’", "“", "”", "'", "\"", "`", "„", "«", "»"]

        /// Returns a whole line in lower case, with variants of letters, blanks, dashes and colons replaced by the
        /// ASCII ones.
        fileprivate static func fold(_ text: Substring) -> String {
            String(String.UnicodeScalarView(text.unicodeScalars.compactMap(folded))).lowercased()
        }

        private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
            if scalar.isASCII { return scalar.value < 0x20 ? " " : scalar }
            switch scalar {
            // Full-width forms.
            case "\u{FF01}"..."\u{FF5E}": return Unicode.Scalar(scalar.value - 0xFEE0)
            case "\u{2236}", "\u{02D0}", "\u{0589}", "\u{05C3}": return ":"
            case "\u{2212}": return "-"
            case "\u{210E}": return "h"
            default: break
            }
            if scalar.properties.isDefaultIgnorableCodePoint { return nil }
            if let name = scalar.properties.name, let plain = plain(name) { return plain }
            switch scalar.properties.generalCategory {
            case .format: return nil
            case .dashPunctuation: return "-"
            case .spaceSeparator, .control: return " "
            default: return scalar
            }
        }

        /// Returns the ASCII letter or sign of which a Unicode scalar is a variant, as the scalar's Unicode name shows:
        /// `MATHEMATICAL BOLD SMALL P`, `PRESENTATION FORM FOR VERTICAL COLON`. Returns `nil` if it is no variant.
        private static func plain(_ name: String) -> Unicode.Scalar? {
            let words = name.split(separator: " ")
            guard let last = words.last else { return nil }
            if last.utf8.count == 1, words.count > 1, ["SMALL", "CAPITAL", "LETTER"].contains(words[words.count - 2]) {
                return last.unicodeScalars.first
            }
            if last == "COLON" { return ":" }
            return signs.first { name.hasSuffix($0.name) }?.sign
        }

        private static let signs: [(name: String, sign: Unicode.Scalar)] = [
            ("LEFT PARENTHESIS", "("), ("RIGHT PARENTHESIS", ")"), ("LESS-THAN SIGN", "<"), ("EQUALS SIGN", "="),
        ]
    }

    /// Returns true if the line contains `census(…)` or `retired(…)`, the conditions of a contract step. Such a line
    /// must not pass as an ordinary comment, because the step would then run without waiting for its condition.
    private static func asks(_ line: String) -> Bool {
        // A regular expression is compiled on each use, and most lines of a file are prose.
        line.utf8.contains(UInt8(ascii: "(")) && (line.contains("census") || line.contains("retired"))
            && line.firstMatch(of: /(?:census|retired)\s*\((?!s\))/) != nil
    }

    /// Words that are often mistaken for the name of a key, each with the key meant.
    private static let aliases: [String: Directive.Key] = [
        "step": .phase, "stage": .phase, "migration": .migrate, "migrations": .migrate, "effect": .sync,
        "devices": .sync, "needs": .requires, "need": .requires, "gate": .requires,
        "when": .requires, "census": .requires, "retired": .requires,
    ]

    static func key(of words: Words, in line: Substring) -> Directive.Key? {
        let folded = Words.fold(line)
        if asks(folded) { return .requires }
        if folded.contains("phase"),
            folded.firstMatch(of: /\bphase\s*[:=]\s*(?:expand|backfill|verify|contract)[^a-z‘’“”'"`]*$/) != nil
        {
            return .phase
        }
        if let alias = aliases[words.key], isValue(words.value, of: alias) { return alias }
        if let key = Directive.Key(rawValue: words.key), words.hasColon { return key }
        let near = Directive.Key.allCases.first { key in
            isNear(words.key, key.rawValue) && isValue(words.value, of: key)
        }
        return near ?? bareValue(words)
    }

    /// Returns true if at most two spelling mistakes separate the two words.
    private static func isNear(_ word: some StringProtocol, _ other: String) -> Bool {
        // Words whose lengths differ by more than two are not compared letter by letter.
        abs(word.count - other.count) <= 2 && NearestWord.distance(String(word), other) <= 2
    }

    /// Returns true if the text after a directive's key looks like a value of that key. Spelling mistakes are allowed.
    private static func isValue(_ value: Substring, of key: Directive.Key) -> Bool {
        let word = value.prefix(while: \.isLetter)
        let rest = value.dropFirst(word.count).drop { $0 == " " }
        /// True if only punctuation follows the word.
        let isAlone = rest.allSatisfy { !$0.isLetter && !$0.isNumber }
        func isOne(of words: [String]) -> Bool { words.contains { isNear(word, $0) } }
        switch key {
        case .phase: return isAlone && isOne(of: MigrationStep.Phase.allCases.map(\.rawValue))
        case .sync:
            return isAlone && isOne(of: ["silent", "republish"]) || rest.first == "(" && isOne(of: ["republish"])
        case .requires:
            // The rest of a census condition without the word ‘census’.
            if value.prefixMatch(of: /<\s*[0-9]+\.[0-9]|[^a-z]*=\s*0\s+for\b/) != nil { return true }
            return rest.first.map { "(<=".contains($0) } == true && isOne(of: ["census", "retired"])
        case .migrate:
            return value.split(separator: "=").dropLast().contains { part in
                let name = part.reversed().drop { $0 == " " }.prefix(while: \.isLetter).reversed()
                return ["table", "batch", "transaction"].contains { isNear(String(name), $0) }
            }
        case .accepts: return value.prefix(while: \.isHexDigit).count >= checksumDigitsMin
        case .lint: return rest.first == "(" && isOne(of: ["allow"])
        }
    }

    /// The fewest hexadecimal digits that are taken for a checksum. A checksum has 64; 32 are too long for a word.
    private static let checksumDigitsMin = 32

    /// Returns the directive's key if the line consists of a value that only that directive takes, such as `batch=500`.
    /// Returns `nil` for any other line.
    private static func bareValue(_ words: Words) -> Directive.Key? {
        let line = words.whole
        switch words.key {
        case "republish":
            let isList = line.wholeMatch(of: /republish\s*[:=]\s*\w+(?:\s*,\s*\w+)*[\s.;]*/) != nil
            return isList || line.prefixMatch(of: /republish\s*\(/) != nil ? .sync : nil
        case "transaction":
            return line.prefixMatch(of: /transaction\s*(?:=\s*none\b|:?\s*none[\s.;]*$)/) == nil ? nil : .migrate
        case "table": return line.prefixMatch(of: /table\s*=\s*\S+\./) == nil ? nil : .migrate
        case "batch": return line.prefixMatch(of: /batch\s*=\s*\d/) == nil ? nil : .migrate
        case "allow": return line.prefixMatch(of: /allow\s*\(\s*[a-z-]+\s*\)/) == nil ? nil : .lint
        default: return nil
        }
    }
}
