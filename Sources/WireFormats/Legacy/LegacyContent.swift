/// What was read of a file: records, and rows that are none.
public struct LegacyContent: Sendable {
    /// What the places of a file count, from 1.
    public enum Place: String, Sendable {
        case row, line
    }

    public let place: Place
    /// With the place of the row that each is of.
    public private(set) var records: [(place: Int, record: LegacyRecord)] = []
    public private(set) var faults: [(place: Int, fault: LegacyFault)] = []

    public init(of place: Place) {
        self.place = place
    }

    /// Adds the records of one row, or why there are none.
    public mutating func add(_ row: Result<[LegacyRecord], LegacyFault>, at place: Int) {
        switch row {
        case .success(let found): records += found.map { (place, $0) }
        case .failure(let fault): faults.append((place, fault))
        }
    }
}
