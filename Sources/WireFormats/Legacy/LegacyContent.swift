/// The rows of a file: those that are records, and those that are none.
public struct LegacyContent: Sendable {
    /// What the places of a file count, from 1.
    public enum Place: String, Sendable {
        case row, line
    }

    public let place: Place
    /// When the file was written, as it says itself: all of its rows are from then. `nil` where it does not say, and
    /// the file system or whoever imports it must.
    public let writtenAt: Timestamp?
    /// With the place of each: the record that the row is, and those that belong to it and go in or stay out with it.
    public private(set) var rows: [(place: Int, records: [LegacyRecord])] = []
    public private(set) var faults: [(place: Int, fault: LegacyFault)] = []

    public init(of place: Place, writtenAt: Timestamp? = nil) {
        self.place = place
        self.writtenAt = writtenAt
    }

    /// Adds the records of one row, or why there are none.
    public mutating func add(_ row: Result<[LegacyRecord], LegacyFault>, at place: Int) {
        switch row {
        case .success(let found): rows.append((place, found))
        case .failure(let fault): faults.append((place, fault))
        }
    }
}
