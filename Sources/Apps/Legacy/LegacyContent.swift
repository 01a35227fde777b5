/// What was read of a file: records, and rows that are none.
public struct LegacyContent: Sendable {
    /// With each record's row, from 1.
    public internal(set) var records: [(row: Int, record: LegacyRecord)] = []
    public internal(set) var faults: [(row: Int, fault: LegacyFault)] = []

    init() {}
}
