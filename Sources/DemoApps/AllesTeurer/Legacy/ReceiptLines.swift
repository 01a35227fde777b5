import WireFormats

/// The list of receipt lines that the first app exported, before there were products and purchases.
///
/// A number is written with a decimal comma and without quotes, in a file whose fields commas separate: each line has
/// two fields more than the header, and is read only if they are where numbers must be. Nothing in a version of today
/// is a line's category or its price per unit; its quantity and unit were never said and stay at their defaults.
enum ReceiptLines {
    private static let header = [
        "Datum", "Produktname", "Normalisierter Name", "Preis", "Preis pro Einheit", "Kategorie", "Geschäft", "ID",
    ]
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    static func areIn(_ bytes: [UInt8]) -> Bool {
        lines(of: bytes).first.flatMap { try? CSVLine($0).fields } == header
    }

    static func read(_ bytes: [UInt8]) -> LegacyContent {
        var content = LegacyContent(of: .line)
        for (index, line) in lines(of: bytes).enumerated().dropFirst() where !line.isEmpty {
            let row = Result { () throws(LegacyFault) in try records(CSVLine(line).fields) }
            content.add(row, at: index + 1)
        }
        return content
    }

    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.dropFirst(bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    }

    private static func records(_ fields: [String]) throws(LegacyFault) -> [LegacyRecord] {
        let (price, rest) = try split(fields)
        guard let date = try? Timestamp(fields[0].split(separator: " ").joined(separator: "T") + "Z") else {
            throw LegacyFault("‘\(fields[0])’ is not a date such as 2025-09-27 08:50:00.")
        }
        guard let id = ID(rest[2]) else { throw LegacyFault("‘\(rest[2])’ is not a UUID.") }
        let version = AllesTeurer.SchemaV2.versionIdentifier
        let stamp = LegacyRecord.stamp(at: date)
        let name = fields[2]
        let product = name.isEmpty ? nil : AllesTeurer.productID(name)
        let purchase = LegacyRecord(
            entity: "Purchase", version: version, id: id, stamp: stamp,
            fields: [
                ("shopName", .string(rest[1])), ("date", .date(date)), ("totalPrice", .decimal(price)),
                ("actualProductName", .string(fields[1])), ("product", product.map(Value.uuid) ?? .null),
            ])
        guard let product else { return [purchase] }
        return [
            LegacyRecord(
                entity: "Product", version: version, id: product, stamp: stamp,
                fields: [("normalizedName", .string(name)), ("lastUpdated", .date(date))]), purchase,
        ]
    }

    /// A line's price, and its fields after the two numbers: category, shop and id.
    private static func split(_ fields: [String]) throws(LegacyFault) -> (price: DecimalText, rest: [String]) {
        let numbers: [String]
        switch fields.count {
        case header.count: numbers = [fields[3], fields[4]]
        case header.count + 2: numbers = ["\(fields[3]),\(fields[4])", "\(fields[5]),\(fields[6])"]
        default:
            throw LegacyFault(
                "The line has \(fields.count) fields, so it cannot be told which commas are decimal ones: it should "
                    + "have \(header.count + 2), or \(header.count) with numbers in quotes.")
        }
        let prices = try [number(numbers[0]), number(numbers[1])]
        return (prices[0], Array(fields.suffix(3)))
    }

    /// `7,58`: digits, a comma, two digits.
    private static func number(_ text: String) throws(LegacyFault) -> DecimalText {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 2, parts[1].utf8.allSatisfy(isDigit),
            let first = parts[0].utf8.first, isDigit(first) || first == UInt8(ascii: "-"),
            parts[0].utf8.dropFirst().allSatisfy(isDigit), let number = DecimalText("\(parts[0]).\(parts[1])")
        else { throw LegacyFault("‘\(text)’ is not a number such as 7,58.") }
        return number
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
