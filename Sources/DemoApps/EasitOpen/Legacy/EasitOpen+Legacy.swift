import StrictJSON
public import WireFormats

extension EasitOpen {
    /// The namespace in which ids of places are derived by a hash. Places in a file have only the ids of the provider.
    /// The namespace must never change.
    static let namespace = ID(high: 0x6561_7369_746f_8065, low: 0x8b1f_2025_1203_0001)

    /// The keys of settings that concern only one device: the user's home, and the app's permissions.
    private static let deviceKeys = ["homeLatitude", "homeLongitude", "homeAddress", "backgroundRefreshEnabled"]

    /// Reads a file of the app: a business, a list of businesses, or the provider's answer to a search for places.
    static func legacyContent(_ bytes: [UInt8]) throws(LegacyFault) -> LegacyContent {
        let file = try LegacyFile(bytes, lists: ["places"])
        let root = file.root
        let rows: [JSONNode]
        let row = LegacyRow(root)
        if let elements = root.elements ?? root["places"]?.elements {
            rows = Array(elements)
        } else if BusinessRow.recognises(row) || PlaceRow.recognises(row) {
            rows = [root]
        } else if deviceKeys.contains(where: { root[$0] != nil }) {
            throw LegacyFault(
                "These are one device's own settings, such as the home that it measures distances from (0/0 where none "
                    + "was set). No version of \(EasitOpenPlan.app) shares them, so there is nothing to import.")
        } else {
            throw LegacyFault("This is no file of \(EasitOpenPlan.app).")
        }
        var content = LegacyContent(of: .row)
        for (index, row) in rows.enumerated() {
            if let fault = file.fault(ofRow: index) {
                content.add(.failure(fault), at: index + 1)
            } else {
                content.read(LegacyRow(row), at: index + 1, as: [PlaceRow.self, BusinessRow.self])
            }
        }
        return content
    }
}

extension EasitOpenPlan: LegacyImporting {
    public static func legacyContent(_ bytes: [UInt8]) throws(LegacyFault) -> LegacyContent {
        try EasitOpen.legacyContent(bytes)
    }
}
