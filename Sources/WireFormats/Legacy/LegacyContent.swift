/// The rows of a file: the rows that are records, and the rows that cannot be read.
public struct LegacyContent: Sendable {
    /// The unit in which the positions in a file are counted, from 1.
    public enum Place: String, Sendable {
        case row, line
    }

    /// The unit in which the positions are counted.
    public let place: Place
    /// The time at which the file was written, as the file itself states: the time of all its rows. `nil` if the file
    /// does not state it; then the file system or the person who imports it must.
    public let writtenAt: Timestamp?
    /// The rows with the position of each: the record of the row, and the records that belong to it and are imported or
    /// left out with it.
    public private(set) var rows: [(place: Int, records: [LegacyRecord])] = []
    /// The rows that cannot be read, with the position of each.
    public private(set) var faults: [(place: Int, fault: LegacyFault)] = []

    /// Makes the content of a file, without rows.
    public init(of place: Place, writtenAt: Timestamp? = nil) {
        self.place = place
        self.writtenAt = writtenAt
    }

    /// Adds the records of one row, or the reason why there are none.
    public mutating func add(_ row: Result<[LegacyRecord], LegacyFault>, at place: Int) {
        switch row {
        case .success(let found): rows.append((place, found))
        case .failure(let fault): faults.append((place, fault))
        }
    }
}
