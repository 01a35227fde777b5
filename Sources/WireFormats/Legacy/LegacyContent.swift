/// The content of a file from before the app's models had versions: the rows that were read as records, and the rows
/// that could not be read.
public struct LegacyContent: Sendable {
    /// The unit in which the positions of rows in a file are counted, from 1.
    public enum PositionUnit: String, Sendable {
        case row, line
    }

    /// The unit in which the positions of `rows` and `faults` are counted.
    public let positionUnit: PositionUnit
    /// The time at which the file was written, as its contents state it. It is the time of the edits in all of its
    /// rows. `nil` if the contents do not state it; then it is taken from the file system, or given by the person who
    /// imports the file.
    public let writtenAt: Timestamp?
    /// The rows that could be read, each with its position. A row may give several records: its own, and records that
    /// depend on it. They are imported together or not at all.
    public private(set) var rows: [(position: Int, records: [LegacyRecord])] = []
    /// The rows that cannot be read, each with its position and the reason.
    public private(set) var faults: [(position: Int, fault: LegacyFault)] = []

    /// Makes the content of a file, without rows.
    public init(of positionUnit: PositionUnit, writtenAt: Timestamp? = nil) {
        self.positionUnit = positionUnit
        self.writtenAt = writtenAt
    }

    /// Adds one row: its records, or the reason why it cannot be read.
    public mutating func add(_ row: Result<[LegacyRecord], LegacyFault>, at position: Int) {
        switch row {
        case .success(let found): rows.append((position, found))
        case .failure(let fault): faults.append((position, fault))
        }
    }
}
