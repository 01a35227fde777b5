import WireFormats

/// A file of receipt lines, which the app exported before it had products and purchases.
///
/// Numbers are written as `7,58` without quotes, although commas also separate the fields. So each line has two more
/// fields than the header. A line is read only if it has numbers in the expected fields.
///
/// A line's category and its price per unit are not imported, because the present versions have no attributes for them.
/// A line contains no quantity and no unit, so both get their defaults.
enum ReceiptLines {
    private static let header = [
        "Datum", "Produktname", "Normalisierter Name", "Preis", "Preis pro Einheit", "Kategorie", "Geschäft", "ID",
    ]

    static func areIn(_ bytes: [UInt8]) -> Bool {
        lines(of: bytes).first.flatMap { try? CSVLine($0).fields } == header
    }

    static func read(_ bytes: [UInt8]) -> LegacyContent {
        let lines = lines(of: bytes).enumerated().dropFirst().filter { !$1.isEmpty }.map { index, line in
            (position: index + 1, line: Result { () throws(LegacyFault) in try ReceiptLine(CSVLine(line).fields) })
        }
        // Lines have only the name of their product. The latest line of a product gives the time of its update.
        var latest: [[UInt8]: (position: Int, date: Timestamp)] = [:]
        for case (let position, .success(let line)) in lines where !line.name.isEmpty {
            let known = latest[Array(line.name.utf8)]
            if known.map({ $0.date <= line.date }) ?? true { latest[Array(line.name.utf8)] = (position, line.date) }
        }
        var content = LegacyContent(of: .line)
        for (position, line) in lines {
            if case .success(let line) = line, latest[Array(line.name.utf8)]?.position == position {
                content.add(.success([line.product]), at: position)
            }
            content.add(line.map { [$0.purchase] }, at: position)
        }
        return content
    }

    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    }

    /// Splits a receipt line into its fields. If the commas of its two decimal numbers are not in quotes, the line has
    /// two fields more than the header.
    ///
    /// - Returns: the price, and the three fields after the numbers: category, shop and id.
    fileprivate static func split(_ fields: [String]) throws(LegacyFault) -> (price: DecimalText, rest: [String]) {
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

    /// Reads a number such as `7,58`: digits, a comma, two digits.
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

/// A line in a list of receipt lines: one article that was bought.
private struct ReceiptLine {
    let name: String
    let date: Timestamp
    let purchase: LegacyRecord

    private static let version = AllesTeurer.SchemaV2.versionIdentifier

    init(_ fields: [String]) throws(LegacyFault) {
        let (price, rest) = try ReceiptLines.split(fields)
        guard let date = try? Timestamp(fields[0].split(separator: " ").joined(separator: "T") + "Z") else {
            throw LegacyFault("‘\(fields[0])’ is not a date such as 2025-09-27 08:50:00.")
        }
        guard let id = ID(rest[2]) else { throw LegacyFault("‘\(rest[2])’ is not a UUID.") }
        (name, self.date) = (fields[2], date)
        purchase = LegacyRecord(
            entity: "Purchase", version: ReceiptLine.version, id: id,
            fields: [
                ("shopName", .string(rest[1])), ("date", .date(date)), ("totalPrice", .decimal(price)),
                ("actualProductName", .string(fields[1])),
                ("product", name.isEmpty ? .null : .uuid(AllesTeurer.productID(name))),
            ])
    }

    /// The product that the line names, as a record.
    var product: LegacyRecord {
        LegacyRecord(
            entity: "Product", version: ReceiptLine.version, id: AllesTeurer.productID(name),
            fields: [("normalizedName", .string(name)), ("lastUpdated", .date(date))])
    }
}
