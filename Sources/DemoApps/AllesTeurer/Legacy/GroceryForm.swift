import WireFormats

/// The forms that products and purchases had in files. Each form belongs to one version of the app.
enum GroceryForm {
    /// Rows of the first version's store: numbers are binary floating point, and a purchase names its product.
    case rows
    /// A row of a backup. In backups, which have the format version 1.0, numbers are exact, and a purchase names its
    /// product.
    case backup
    /// Rows in the form that the app planned for its exchange with a server. Unlike the other forms, they have ids.
    case planned

    private var version: Schema.Version {
        switch self {
        case .rows: AllesTeurer.SchemaV1.versionIdentifier
        case .backup: AllesTeurer.SchemaV2.versionIdentifier
        case .planned: AllesTeurer.SchemaV3.versionIdentifier
        }
    }

    private var suffix: String { self == .rows ? "V1" : "" }

    /// The key in a purchase's row whose value is the name of the product.
    var productKey: String { self == .rows ? "product" : "productNormalizedName" }

    func product(_ row: LegacyRow, id: ID) throws(LegacyFault) -> LegacyRecord {
        let updated = try row.required("lastUpdated", LegacyRow.date)
        return LegacyRecord(
            entity: "Product\(suffix)", version: version, id: id,
            fields: [
                ("normalizedName", .string(try row.required("normalizedName", LegacyRow.text))),
                ("bestPricePerQuantity", try number("bestPricePerQuantity", of: row)),
                ("bestPriceStore", .string(try row.required("bestPriceStore", LegacyRow.text))),
                ("highestPricePerQuantity", try number("highestPricePerQuantity", of: row)),
                ("highestPriceStore", .string(try row.required("highestPriceStore", LegacyRow.text))),
                ("unit", .string(try row.required("unit", LegacyRow.text))), ("lastUpdated", .date(updated)),
            ])
    }

    func purchase(_ row: LegacyRow, id: ID, product: ID?) throws(LegacyFault) -> LegacyRecord {
        let date = try row.required("date", LegacyRow.date)
        return LegacyRecord(
            entity: "Purchase\(suffix)", version: version, id: id,
            fields: [
                ("shopName", .string(try row.required("shopName", LegacyRow.text))), ("date", .date(date)),
                ("totalPrice", try number("totalPrice", of: row)), ("quantity", try number("quantity", of: row)),
                ("actualProductName", .string(try row.required("actualProductName", LegacyRow.text))),
                ("unit", .string(try row.required("unit", LegacyRow.text))),
                ("product", product.map(Value.uuid) ?? .null),
            ])
    }

    private func number(_ key: String, of row: LegacyRow) throws(LegacyFault) -> Value {
        let decimal = try row.required(key, LegacyRow.decimal)
        guard self == .rows else { return .decimal(decimal) }
        guard let double = Double(decimal) else { throw LegacyFault("‘\(key)’ is beyond every Double.") }
        return .double(double)
    }
}
