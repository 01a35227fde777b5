public import WireFormats

extension AllesTeurer {
    /// The namespace in which ids are derived by a hash, for rows in files that have none. It must never change.
    private static let namespace = ID(high: 0x616c_6c65_7374_8e75, low: 0x8b1f_2025_0926_0001)

    /// The first bytes of a compressed backup (the signature of an LZFSE block), which cannot be read.
    private static let compressed = Array("bvx".utf8)

    /// Reads a file that a version of the app wrote.
    ///
    /// It may be a backup, the rows of version 1.0.0, rows in the form that the app planned for its exchange with a
    /// server, or the list of receipt lines that the first app exported.
    static func legacyContent(_ bytes: [UInt8]) throws(LegacyFault) -> LegacyContent {
        if bytes.starts(with: compressed) {
            throw LegacyFault("The backup is compressed with LZFSE. Decompress it first, and import the JSON in it.")
        }
        if ReceiptLines.areIn(bytes) { return ReceiptLines.read(bytes) }
        guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
            throw LegacyFault(
                "This is no file of \(AllesTeurerPlan.app): it is neither a JSON object with products and purchases "
                    + "nor a CSV export, and the text of a receipt has no form that could be relied on.")
        }
        return try GroceryFile.read(LegacyFile(LongNumbers.quoted(bytes), lists: GroceryFile.lists, original: bytes))
    }

    /// Returns the id of a product that has none in a file. The id is derived from the exact name, because purchases
    /// refer to the product by its name.
    ///
    /// - Parameter index: the number of other products of that name that come before this one in the file.
    static func productID(_ name: String, index: Int = 0) -> ID {
        namespace.derived(for: "product/\(index)/\(name)")
    }

    /// Returns the id of a purchase that has none in a file. The id is derived from the purchase's time in seconds, its
    /// shop and its name on the receipt, but not from the price. So a price that differs between two backups changes a
    /// purchase, and does not make another one.
    ///
    /// - Parameters:
    ///   - key: these three values in one text.
    ///   - index: the number of purchases with the same key that come before this one in the file.
    static func purchaseID(_ key: String, index: Int) -> ID {
        namespace.derived(for: "purchase/\(index)/\(key)")
    }
}

extension AllesTeurerPlan: LegacyImporting {
    public static func legacyContent(_ bytes: [UInt8]) throws(LegacyFault) -> LegacyContent {
        try AllesTeurer.legacyContent(bytes)
    }
}
