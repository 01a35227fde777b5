public import WireFormats

extension AllesTeurer {
    /// What is hashed into the ids of rows that have none: chosen once, never to change.
    private static let namespace = ID(high: 0x616c_6c65_7374_8e75, low: 0x8b1f_2025_0926_0001)

    /// Compressed backups begin with it (LZFSE's block magic).
    private static let compressed = Array("bvx".utf8)

    /// Reads a backup, the rows of the first version, the rows of the planned exchange with a server, or the first
    /// app's list of receipt lines.
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

    /// The id of a product that a file has without one: that of its name, to the letter, which is how purchases refer
    /// to it.
    ///
    /// - Parameter place: which of the different products of that name in the file, from 0.
    static func productID(_ name: String, place: Int = 0) -> ID {
        namespace.derived(for: "product/\(place)/\(name)")
    }

    /// The id of a purchase that a file has without one: that of its second, its shop and what the receipt calls it.
    /// So a price that was corrected between two backups, or became exact, is a change and not another purchase.
    ///
    /// - Parameter place: which of the purchases of the file that are alike in these, from 0.
    static func purchaseID(_ key: String, place: Int) -> ID {
        namespace.derived(for: "purchase/\(place)/\(key)")
    }
}

extension AllesTeurerPlan: LegacyImporting {
    public static func legacyContent(_ bytes: [UInt8]) throws(LegacyFault) -> LegacyContent {
        try AllesTeurer.legacyContent(bytes)
    }
}
