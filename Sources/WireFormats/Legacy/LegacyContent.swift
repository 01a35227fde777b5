/// The rows of a file: the rows that are records, and the rows that cannot be read.
public struct LegacyContent: Sendable {
    /// The unit in which the positions in a file are counted, from 1.
    public enum PositionUnit: String, Sendable {
        case row, line
    }

    /// The unit in which the positions are counted.
    public let positionUnit: PositionUnit
    /// The time at which the file was written, as the file itself states: the time of all its rows. `nil` if the file
    /// does not state it; then the file system or the person who imports it must.
    public let writtenAt: Timestamp?
    /// The rows with the position of each: the record of the row, and the records that belong to it and are imported or
    /// left out with it.
    public private(set) var rows: [(position: Int, records: [LegacyRecord])] = []
    /// The rows that cannot be read, with the position of each.
    public private(set) var faults: [(position: Int, fault: LegacyFault)] = []

    /// Makes the content of a file, without rows.
    public init(of positionUnit: PositionUnit, writtenAt: Timestamp? = nil) {
        self.positionUnit = positionUnit
        self.writtenAt = writtenAt
    }

    /// Adds the records of one row, or the reason why there are none.
    public mutating func add(_ row: Result<[LegacyRecord], LegacyFault>, at position: Int) {
        switch row {
        case .success(let found): rows.append((position, found))
        case .failure(let fault): faults.append((position, fault))
        }
    }
}
