import StrictJSON
public import WireFormats

extension KeepTrack {
    /// The namespace in which ids are derived by a hash, for rows in files that have none. It must never change.
    private static let namespace = ID(high: 0x6b65_6570_7472_8ac0, low: 0x8b1f_2025_0320_0001)

    private static let forms: [any LegacyForm.Type] = [
        IntakeTypeRow.self, GoalRow.self, WaterGoalRow.self, MedicationGoalRow.self, WaterRow.self, EntryRow.self,
        MedicationRow.self,
    ]

    /// The names of a backup's members that are lists of rows.
    private static let sections = ["intakeTypes", "entries", "goals"]

    /// Reads a file that a version of the app wrote: a list of rows, a backup, or the device's settings.
    ///
    /// The form of a row is recognised by its keys. The file's name is ignored, because it had different meanings in
    /// different versions.
    static func legacyContent(_ bytes: [UInt8]) throws(LegacyFault) -> LegacyContent {
        let file = try LegacyFile(bytes, lists: sections)
        let root = file.root
        var reading = LegacyRows(writtenAt: root.members == nil ? nil : try LegacyRow(root).date("exportDate"))
        if let rows = root.elements {
            reading.read(rows, of: file)
        } else if SettingsRow.recognises(LegacyRow(root)) {
            for (list, name) in sections.enumerated() {
                if let rows = root[name]?.elements { reading.read(rows, of: file, list: list) }
            }
            reading.read(root, as: [SettingsRow.self])
        } else {
            throw LegacyFault("This is no file of \(KeepTrackPlan.app).")
        }
        return reading.content
    }

    /// The rows of a file that were read so far.
    private struct LegacyRows {
        private(set) var content: LegacyContent
        private var row = 0
        /// The number of times that each row without an id was read so far, by the row's canonical text.
        private var copies: [String: Int] = [:]

        init(writtenAt: Timestamp?) {
            content = LegacyContent(of: .row, writtenAt: writtenAt)
        }

        mutating func read(_ rows: JSONElements, of file: LegacyFile, list: Int = 0) {
            for (index, node) in rows.enumerated() {
                if let fault = file.fault(ofRow: index, in: list) {
                    row += 1
                    content.add(.failure(fault), at: row)
                } else {
                    read(node, as: forms)
                }
            }
        }

        mutating func read(_ node: JSONNode, as forms: [any LegacyForm.Type]) {
            row += 1
            content.read(LegacyRow(node, derivedID: derivedID(node)), at: row, as: forms)
        }

        private mutating func derivedID(_ node: JSONNode) -> ID? {
            if let id = node["id"], !id.isNull { return nil }
            let text = node.canonicalText()
            let index = copies[text, default: 0]
            copies[text] = index + 1
            return namespace.derived(for: "\(text)/\(index)")
        }
    }
}

extension KeepTrackPlan: LegacyImporting {
    public static func legacyContent(_ bytes: [UInt8]) throws(LegacyFault) -> LegacyContent {
        try KeepTrack.legacyContent(bytes)
    }
}
