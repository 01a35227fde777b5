import StrictJSON
import WireFormats

/// The fields of a goal. Every form in which a goal is written in a file is converted to them.
struct GoalFields {
    let id: ID
    let name: String
    var text = ""
    let dates: [Timestamp]
    let isActive: Bool
    let isCompleted: Bool
    var dosage = 0.0
    var units = ""
    /// The word for the frequency in the file. Older versions of the app used other words.
    var frequency = ""

    var record: LegacyRecord {
        var times = JSONWriter()
        times.beginArray()
        for date in dates { times.string(date.description) }
        times.endArray()
        return LegacyRecord(
            entity: "SDGoalV0", version: KeepTrack.SchemaV0.versionIdentifier, id: id,
            fields: [
                ("name", .string(name)), ("goalDescription", .string(text)),
                ("dates", .json(String(decoding: times.bytes, as: UTF8.self))), ("isActive", .bool(isActive)),
                ("isCompleted", .bool(isCompleted)), ("dosage", .double(dosage)),
                ("units", .string(KeepTrackWords.unit(units))),
                ("frequency", .string(KeepTrackWords.frequency(frequency))),
            ])
    }
}
