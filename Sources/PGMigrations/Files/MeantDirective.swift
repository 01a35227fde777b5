/// Which directive somebody may have meant by a comment that is none.
///
/// The text behind it tells a directive from a remark that has such a word: a key in another case or with another
/// sign behind it is one, and a key that is misspelt, or has no sign, is one before something that such a directive
/// takes.
enum MeantDirective {
    /// A line of a comment, as one that reads it in a hurry sees it: in lower case, without what is not seen, each kind
    /// of blank, of dash and of colon as one of them.
    struct Words {
        /// The beginning of the line, for a message.
        let shown: String
        fileprivate let key: String
        fileprivate let hasColon: Bool
        fileprivate let value: Substring
        fileprivate let whole: Substring

        /// Longer lines are prose, and need not be read to their end.
        private static let scalarsMax = 300
        private static let shownMax = 40

        init(_ line: Substring) {
            let trimmed = line.drop { $0.isWhitespace }
            let isLong = trimmed.count > Self.shownMax
            shown = String(trimmed.prefix(Self.shownMax)) + (isLong ? "…" : "")
            let folded = String(
                String.UnicodeScalarView(line.unicodeScalars.prefix(Self.scalarsMax).compactMap(Self.folded))
            ).lowercased()
            // What comments are decorated with.
            whole = folded.drop { " -*/#!@>|+=~.".contains($0) }
            key = String(whole.prefix(while: \.isLetter))
            let rest = whole.dropFirst(key.count)
            let signs = rest.prefix { " :=-_.,;>|~".contains($0) }
            hasColon = signs.contains(":") || signs.contains("=") || signs.contains(";")
            value = signs.isEmpty ? rest.prefix(0) : rest.dropFirst(signs.count)
        }

        private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
            switch scalar {
            // The forms that have the width of an ideograph.
            case "\u{FF01}"..."\u{FF5E}": return Unicode.Scalar(scalar.value - 0xFEE0)
            case "\u{2236}", "\u{A789}", "\u{02D0}", "\u{FE55}": return ":"
            case "\u{2212}": return "-"
            default: break
            }
            switch scalar.properties.generalCategory {
            case .format: return nil
            case .dashPunctuation: return "-"
            case .spaceSeparator, .control: return " "
            default: return scalar
            }
        }
    }

    static func key(of words: Words) -> Directive.Key? {
        if let key = Directive.Key(rawValue: words.key), words.hasColon { return key }
        let near = Directive.Key.allCases.first { key in
            isNear(words.key, key.rawValue) && isValue(words.value, of: key)
        }
        return near ?? bareValue(words)
    }

    /// True where few slips lead from one to the other.
    private static func isNear(_ word: some StringProtocol, _ other: String) -> Bool {
        // What is so much longer need not be compared letter by letter.
        abs(word.count - other.count) <= 2 && NearestWord.distance(String(word), other) <= 2
    }

    /// True where the value begins as what the directive takes, slips forgiven.
    private static func isValue(_ value: Substring, of key: Directive.Key) -> Bool {
        let word = value.prefix(while: \.isLetter)
        let rest = value.dropFirst(word.count).drop { $0 == " " }
        /// Nothing but signs follows.
        let isAlone = rest.allSatisfy { !$0.isLetter && !$0.isNumber }
        func isOne(of words: [String]) -> Bool { words.contains { isNear(word, $0) } }
        switch key {
        case .phase: return isAlone && isOne(of: MigrationStep.Phase.allCases.map(\.rawValue))
        case .sync:
            return isAlone && isOne(of: ["silent", "republish"]) || rest.first == "(" && isOne(of: ["republish"])
        case .requires:
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

    /// A checksum has 64; half of one is no word.
    private static let checksumDigitsMin = 32

    /// Returns the directive whose value stands there without its key, where only that one takes such a value.
    private static func bareValue(_ words: Words) -> Directive.Key? {
        let line = words.whole
        switch words.key {
        case "republish": return line.prefixMatch(of: /republish\s*\(/) == nil ? nil : .sync
        case "census", "retired": return line.prefixMatch(of: /[a-z]+\s*\(\s*</) == nil ? nil : .requires
        case "transaction": return line.prefixMatch(of: /transaction\s*=\s*none\b/) == nil ? nil : .migrate
        case "table": return line.prefixMatch(of: /table\s*=\s*\S+\./) == nil ? nil : .migrate
        case "batch": return line.prefixMatch(of: /batch\s*=\s*\d/) == nil ? nil : .migrate
        case "allow": return line.prefixMatch(of: /allow\s*\(\s*[a-z-]+\s*\)/) == nil ? nil : .lint
        default: return nil
        }
    }
}
