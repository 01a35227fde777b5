import WireFormats

/// A piece of Swift code, which is laid out in lines as this repository's formatter does it.
indirect enum Code {
    case text(String)
    /// A call with an optional argument label and a text after it: `label: name(…)suffix`.
    case call(label: String?, name: String, arguments: [Code], suffix: String)
    case array(label: String?, [Code])
    /// A string literal of any length. It may be broken between words into several literals, joined by `+`.
    case words(label: String?, String)

    static let columnsMax = 120

    static func call(_ name: String, _ arguments: [Code], label: String? = nil, suffix: String = "") -> Code {
        .call(label: label, name: name, arguments: arguments, suffix: suffix)
    }

    private var head: String {
        switch self {
        case .text: ""
        case .call(let label, let name, _, _): (label.map { "\($0): " } ?? "") + name
        case .array(let label, _), .words(let label, _): label.map { "\($0): " } ?? ""
        }
    }

    /// The code on one line.
    var line: String {
        switch self {
        case .text(let text): text
        case .call(_, _, let arguments, let suffix):
            "\(head)(\(arguments.map(\.line).joined(separator: ", ")))\(suffix)"
        case .array(_, let elements): "\(head)[\(elements.map(\.line).joined(separator: ", "))]"
        case .words(_, let text): head + Code.literal(text)
        }
    }

    /// Returns the code as lines with `indentation` spaces before the first, and with `end` after the last one.
    func lines(_ indentation: Int, end: String = "") -> [String] {
        let blank = String(repeating: " ", count: indentation)
        let whole = blank + line + end
        if whole.count <= Code.columnsMax { return [whole] }
        switch self {
        case .text: return [whole]
        case .call(_, _, let arguments, let suffix):
            return ["\(blank)\(head)("] + Code.filled(arguments, indentation + 4, end: ")\(suffix)\(end)")
        case .array(_, let elements):
            return ["\(blank)\(head)["] + Code.filled(elements, indentation + 4, end: ",") + ["\(blank)]\(end)"]
        case .words(_, let text):
            return Code.pieces(text, Code.columnsMax - indentation - head.count - end.count - 12)
                .enumerated().map { number, piece in
                    (number == 0 ? blank + head : "\(blank)    + ") + Code.literal(piece)
                }.ending(with: end)
        }
    }

    /// Lays out the arguments of a call or the elements of a list: as many on a line as fit. An element that is longer
    /// than a line gets lines of its own.
    private static func filled(_ codes: [Code], _ indentation: Int, end: String) -> [String] {
        let blank = String(repeating: " ", count: indentation)
        var lines: [String] = []
        var current = ""
        for (index, code) in codes.enumerated() {
            let tail = index + 1 == codes.count ? end : ","
            let text = code.line + tail
            if current.isEmpty, indentation + text.count > columnsMax {
                lines += code.lines(indentation, end: tail)
            } else if current.isEmpty {
                current = blank + text
            } else if current.count + 1 + text.count <= columnsMax {
                current += " " + text
            } else {
                lines.append(current)
                current = ""
                if indentation + text.count > columnsMax {
                    lines += code.lines(indentation, end: tail)
                } else {
                    current = blank + text
                }
            }
        }
        return current.isEmpty ? lines : lines + [current]
    }

    /// Splits a text, after spaces, into pieces whose string literals have at most `countMax` characters. A word that
    /// is longer stays whole.
    static func pieces(_ text: String, _ countMax: Int) -> [String] {
        var pieces: [String] = []
        var current = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if !current.isEmpty, literal(current + word).count > max(20, countMax) {
                pieces.append(current)
                current = ""
            }
            current += word + " "
        }
        return pieces + [String(current.dropLast())]
    }

    /// Returns the text as a Swift string literal, with quotation marks and escapes.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// Returns a text of any length as the lines of a comment, each with `indentation` spaces and `marker` before it.
    static func comment(_ text: String, _ indentation: Int, marker: String = "//") -> [String] {
        let blank = String(repeating: " ", count: indentation) + marker
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            pieces(String(line), columnsMax - blank.count - 4).map { piece in
                let words = piece.reversed().drop { $0 == " " }.reversed().map(String.init).joined()
                return words.isEmpty ? blank : "\(blank) \(words)"
            }
        }
    }
}

extension [String] {
    /// Returns the lines with `end` appended to the last one.
    fileprivate func ending(with end: String) -> [String] {
        guard let last else { return self }
        return dropLast() + [last + end]
    }
}

extension Undecided {
    /// Returns the `Undecided` element as lines of Swift code, with each argument on a line of its own.
    func lines(_ indentation: Int) -> [String] {
        let blank = String(repeating: " ", count: indentation)
        var lines = ["\(blank)Undecided("]
        lines += Code.words(label: nil, question).lines(indentation + 4, end: ",")
        lines += Code.text("at: \(Code.literal(location))").lines(indentation + 4, end: choices.isEmpty ? ")" : ",")
        for (number, choice) in choices.enumerated() {
            lines += Code.words(label: number == 0 ? "choices" : nil, choice)
                .lines(indentation + 4, end: number + 1 == choices.count ? ")" : ",")
        }
        return lines
    }
}
