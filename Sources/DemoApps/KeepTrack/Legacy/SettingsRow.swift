import WireFormats

/// The settings in a backup or on a device. A missing setting gets the default that it has in version 2.0.0.
struct SettingsRow: LegacyForm {
    let records: [LegacyRecord]

    static func recognises(_ row: LegacyRow) -> Bool {
        row.has("exportDate") || row.has("AcceptedLicenseVersion") || row.has("CurrentSchemaVersion")
    }

    init(_ row: LegacyRow) throws(LegacyFault) {
        var fields: [(name: String, value: Value)] = []
        let settings = row.child("settings")
        for name in ["notificationsEnabled", "autoBackupEnabled", "cloudSyncEnabled"] {
            if let value = try settings?.bool(name) { fields.append((name, .bool(value))) }
        }
        for name in ["preferredUnits", "theme"] {
            if let value = try settings?.text(name) { fields.append((name, .string(value))) }
        }
        let license = try row.text("AcceptedLicenseVersion")
        if let value = try settings?.text("acceptedLicenseVersion") ?? license {
            fields.append(("acceptedLicenseVersion", .string(value)))
        }
        let exported = try row.date("exportDate")
        let accepted = try row.date("AcceptedLicenseDate")
        let moment = exported ?? accepted
        if let moment {
            fields.append(("createdAt", .date(moment)))
            fields.append(("modifiedAt", .date(moment)))
        }
        records = [
            LegacyRecord(
                entity: "SDAppSettings", version: KeepTrack.SchemaV2.versionIdentifier, id: nil, fields: fields)
        ]
    }
}
