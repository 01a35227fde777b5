import Postgres
import WireFormats

/// The commands of one function of the store, and how many rows PostgreSQL may handle for them.
struct PlannedCommand: Sendable {
    /// File and function: `Spaces.claiming`.
    let name: String
    /// To be run in this order in one transaction.
    let commands: [Command]
    let bound: Bound

    enum Bound: Sendable {
        /// So many records are named, or asked for.
        case records(Int)
        /// It reads something whole, of at most so many rows, for a reason.
        case whole(Int, because: String)

        /// The highest number of rows that the plans' nodes may handle. A record that is found and written passes some
        /// fifteen nodes.
        var rowsMax: Int {
            switch self {
            case .records(let count): 50 + 16 * count
            case .whole(let count, _): 50 + 8 * count
            }
        }
    }

    init(_ name: String, _ commands: [Command], _ bound: Bound) {
        (self.name, self.commands, self.bound) = (name, commands, bound)
    }

    init(_ name: String, _ command: Command, _ bound: Bound) {
        self.init(name, [command], bound)
    }
}
