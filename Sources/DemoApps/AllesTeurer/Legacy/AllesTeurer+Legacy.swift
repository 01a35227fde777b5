public import WireFormats

extension AllesTeurer {
    /// The namespace in which ids are derived by a hash, for rows in files that have none. It must never change.
    private static let namespace = ID(high: 0x616c_6c65_7374_8e75, low: 0x8b1f_2025_0926_0001)

    /// The first bytes of a compressed backup (the signature of an LZFSE block), which cannot be read.
    private static let compressed = Array("bvx".utf8)

    /// Reads a file that a version of the app wrote. Four kinds of files are read:
    /// - a backup;
    /// - the rows that version 1.0.0 stored;
    /// - rows in the format that the app's developers planned for sending them to a server;
    /// - the list of receipt lines that the app exported before it had products and purchases.
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

    /// Returns the id of a purchase that has none in a file.
    ///
    /// The id is derived from the purchase's time in seconds, its shop and its name on the receipt, but not from the
    /// price. So if the price differs between two backups, both rows have the same id, and are one purchase.
    ///
    /// - Parameters:
    ///   - key: the time, the shop and the name, in one text.
    ///   - index: the number of earlier purchases in the file with the same time, shop and name.
    static func purchaseID(_ key: String, index: Int) -> ID {
        namespace.derived(for: "purchase/\(index)/\(key)")
    }
}

extension AllesTeurerPlan: LegacyImporting {
    public static func legacyContent(_ bytes: [UInt8]) throws(LegacyFault) -> LegacyContent {
        try AllesTeurer.legacyContent(bytes)
    }
}
