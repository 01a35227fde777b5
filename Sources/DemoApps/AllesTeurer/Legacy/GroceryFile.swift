import StrictJSON
import WireFormats

/// A JSON file of products and purchases, while it is read. Its rows are numbered in one sequence, products first.
struct GroceryFile {
    private var content: LegacyContent
    /// The form of the file's rows that have no id: `backup` or `rows`. A row with an id has the form `planned` in
    /// every file.
    private let form: GroceryForm
    private var row = 0
    /// The products that were read so far, by the exact bytes of their names. A product whose row is repeated is
    /// contained once.
    private var products: [[UInt8]: [Product]] = [:]
    /// The number of purchases with the same time, shop and name that were read so far. Such purchases get different
    /// ids by this number.
    private var copies: [[UInt8]: Int] = [:]

    private struct Product {
        let unit: String?
        /// The product's row as canonical JSON text. It tells apart two products with the same name.
        let text: [UInt8]
    }

    /// The version of the form of backups. No other one is known.
    private static let backupVersion = "1.0"

    /// The members of the file's JSON object that are lists of rows.
    static let lists = ["products", "purchases"]

    /// Reads a file.
    ///
    /// - Throws: `LegacyFault` if it is not a file of products and purchases.
    static func read(_ source: LegacyFile) throws(LegacyFault) -> LegacyContent {
        let root = source.root
        let file = LegacyRow(root)
        guard ["products", "purchases", "product", "purchase"].contains(where: { root[$0] != nil }) else {
            throw LegacyFault("This is no file of \(AllesTeurerPlan.app): it has neither ‘products’ nor ‘purchases’.")
        }
        var reading = GroceryFile(
            exported: try file.date("exportDate"), form: try isBackup(file) ? GroceryForm.backup : .rows)
        for (index, row) in try rows(file, lists[0], "product").enumerated() {
            let records = Result { () throws(LegacyFault) in
                if let fault = source.fault(ofRow: index, in: 0) { throw fault }
                return [try reading.product(row)]
            }
            reading.add(records)
        }
        for (index, row) in try rows(file, lists[1], "purchase").enumerated() {
            let records = Result { () throws(LegacyFault) in
                if let fault = source.fault(ofRow: index, in: 1) { throw fault }
                return [try reading.purchase(row)]
            }
            reading.add(records)
        }
        return reading.content
    }

    private init(exported: Timestamp?, form: GroceryForm) {
        content = LegacyContent(of: .row, writtenAt: exported)
        self.form = form
    }

    private static func isBackup(_ file: LegacyRow) throws(LegacyFault) -> Bool {
        guard let version = try file.text("version") else { return file.has("exportDate") }
        guard version == backupVersion else {
            throw LegacyFault("The backup says that it is of version ‘\(version)’; only \(backupVersion) is known.")
        }
        return true
    }

    private static func rows(_ file: LegacyRow, _ list: String, _ one: String) throws(LegacyFault) -> [LegacyRow] {
        try file.children(list) ?? file.child(one).map { [$0] } ?? []
    }

    private mutating func add(_ records: Result<[LegacyRecord], LegacyFault>) {
        row += 1
        content.add(records, at: row)
    }

    private mutating func product(_ row: LegacyRow) throws(LegacyFault) -> LegacyRecord {
        if row.has("id") { return try GroceryForm.planned.product(row, id: row.id()) }
        let name = try row.required("normalizedName", LegacyRow.text)
        let product = Product(unit: try row.text("unit"), text: Array(row.canonicalText.utf8))
        let key = Array(name.utf8)
        let index = products[key]?.firstIndex { $0.text == product.text } ?? products[key]?.count ?? 0
        let record = try form.product(row, id: AllesTeurer.productID(name, index: index))
        if index == products[key]?.count ?? 0 { products[key, default: []].append(product) }
        return record
    }

    private mutating func purchase(_ row: LegacyRow) throws(LegacyFault) -> LegacyRecord {
        if row.has("id") {
            return try GroceryForm.planned.purchase(row, id: row.id(), product: row.id("productId"))
        }
        let date = try row.required("date", LegacyRow.date)
        let key = [
            "\(date.microseconds.flooredSeconds)", try row.required("shopName", LegacyRow.text),
            try row.required("actualProductName", LegacyRow.text),
        ].joined(separator: "\u{1F}")
        let index = copies[Array(key.utf8), default: 0]
        let record = try form.purchase(
            row, id: AllesTeurer.purchaseID(key, index: index), product: productNamed(by: row))
        copies[Array(key.utf8)] = index + 1
        return record
    }

    /// Returns the id of the product that a purchase names; `nil` if it names none. The product need not be in this
    /// file.
    ///
    /// - Throws: `LegacyFault` if several products of this file have that name, and the purchase's unit does not show
    ///   which one is meant.
    private func productNamed(by purchase: LegacyRow) throws(LegacyFault) -> ID? {
        guard let name = try purchase.text(form.productKey), !name.isEmpty else { return nil }
        let namesakes = products[Array(name.utf8)] ?? []
        guard namesakes.count > 1 else { return AllesTeurer.productID(name) }
        let unit = try purchase.text("unit")
        let candidates = namesakes.indices.filter { namesakes[$0].unit == unit }
        guard candidates.count == 1 else {
            throw LegacyFault(
                "\(namesakes.count) different products of the file are called ‘\(name)’, and the purchase does not "
                    + "say which of them it is of. Give them different names in the file.")
        }
        return AllesTeurer.productID(name, index: candidates[0])
    }
}

extension Int64 {
    /// The seconds of a time in microseconds, rounded down. The dates in a backup have no fractions of a second.
    fileprivate var flooredSeconds: Int64 {
        self >= 0 ? self / 1_000_000 : (self - 999_999) / 1_000_000
    }
}
