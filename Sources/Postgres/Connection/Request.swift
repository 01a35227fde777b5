/// One message pair of a pipeline: what `Connection.run` sends.
enum Request: Sendable {
    /// Parses `command`'s statement under a name.
    case prepare(name: String, command: Command)
    /// Runs a statement prepared earlier, or earlier in the same pipeline.
    case execute(name: String, command: Command)
    /// Parses, runs and forgets.
    case runOnce(Command)

    var command: Command {
        switch self {
        case .prepare(_, let command), .execute(_, let command), .runOnce(let command): command
        }
    }
}
