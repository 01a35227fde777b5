/// One request of a pipeline, as `Connection.run` sends it.
enum Request: Sendable {
    /// Parses the statement of `command`, and stores it under a name.
    case prepare(name: String, command: Command)
    /// Runs a statement that was prepared before, possibly in the same pipeline.
    case execute(name: String, command: Command)
    /// Parses and runs a statement without storing it.
    case runOnce(Command)

    var command: Command {
        switch self {
        case .prepare(_, let command), .execute(_, let command), .runOnce(let command): command
        }
    }
}
