import WireFormats

extension HostileValue {
    /// Some value that PostgreSQL takes.
    init(randomly random: inout SplitMix64) {
        func pick<Item>(_ items: [Item]) -> Item { items[Int(random.next() % UInt64(items.count))] }
        switch random.next() % 6 {
        case 0:
            let number = Double(bitPattern: random.next())
            let text = number.isFinite ? "\(number)" : number.isNaN ? "NaN" : number > 0 ? "Infinity" : "-Infinity"
            self.init(pick(["ratio", "ratio2", "length_v2"]), "'\(text)'", .anything)
        case 1:
            let digits = (0..<Int(random.next() % 1500 + 1)).map { _ in pick(Array("0123456789")) }
            let point = Int(random.next() % UInt64(digits.count + 1))
            let text = String(digits[..<point]) + "." + String(digits[point...]) + "0"
            self.init(pick(["price", "price2", "mass"]), "'\(pick(["", "-"]))0\(text)'", .anything)
        case 2:
            // PostgreSQL's times are from 4713 BC to 294276, in microseconds from 2000.
            let microseconds = Int64.random(in: -211_813_488_000_000_000...9_223_371_331_200_000_000, using: &random)
            let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
            let sum = "\(seconds) * interval '1 second' + \(rest) * interval '1 microsecond'"
            self.init(pick(["at", "found"]), "'2000-01-01 00:00:00+00'::timestamptz + \(sum)", .anything)
        case 3:
            let text = (0..<random.next() % 12).map { _ in pick(Array("lowmidhgé ß'")) }
            let quoted = String(text).split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
            self.init(pick(["grade", "grade2", "name", "text2"]), "'\(quoted)'", .anything)
        case 4:
            let hex = (0..<random.next() % 60).map { _ in "\(pick(Array("0123456789abcdef")))0" }.joined()
            self.init("stamps", "'\\x\(hex)'", .anything)
        default:
            var text = ""
            HostileValue.append(json: &text, depth: Int(random.next() % 5), &random)
            if random.next() % 2 == 0 { text = "[\(text)]" }
            let columns = [
                "shape", "shape2", "flags", "counts", "ratios", "texts", "prices", "dates", "tokens", "blobs", "grades",
            ]
            self.init(pick(columns), "'\(text)'", .anything)
        }
    }

    /// JSON that PostgreSQL's type `json` takes, though hardly anybody else would.
    private static func append(json text: inout String, depth: Int, _ random: inout SplitMix64) {
        func pick(_ items: [String]) -> String { items[Int(random.next() % UInt64(items.count))] }
        let scalars = [
            "null", "true", "false", "0", "-0", "1", "-1.50", "1e400", "-1E-400", "18446744073709551615",
            "18446744073709551616", "0.1", "\"\"", #""\ud800""#, #""\udc00""#, #""\ud83d\ude00""#, #""\u0000""#,
            #""\u0041\/\b\f""#, "\"low\"", "\"é\"", "\"2024-01-01T00:00:00Z\"", "\"AAAA\"", "\"12.5\"", "1e5",
        ]
        let kind = depth > 0 ? random.next() % 4 : 3
        let count = random.next() % 4
        switch kind {
        case 0, 1:
            text += pick(["[", " [", "[ "])
            for index in 0..<count {
                if index > 0 { text += pick([",", " , "]) }
                append(json: &text, depth: depth - 1, &random)
            }
            text += "]"
        case 2:
            text += "{"
            for index in 0..<count {
                if index > 0 { text += "," }
                text +=
                    pick(["\"a\"", "\"b\"", #""\u0061""#, #""\u0000""#, "\"\"", #""\ud800""#]) + pick([":", " : "])
                append(json: &text, depth: depth - 1, &random)
            }
            text += "}"
        default: text += pick(scalars)
        }
    }
}
