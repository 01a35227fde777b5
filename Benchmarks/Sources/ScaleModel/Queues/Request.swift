/// A kind of request, with its measured cost.
enum Request: Int, CaseIterable {
    case push, pull, poll, stream

    var name: String {
        switch self {
        case .push: "pushes of one edit"
        case .pull: "pulls that find edits"
        case .poll: "polls that find nothing"
        case .stream: "event streams opened"
        }
    }

    /// The server's processor time, in seconds.
    var server: Double {
        switch self {
        case .push: Cost.pushServer
        case .pull: Cost.pullServer
        case .poll: Cost.pollServer
        case .stream: AssumedCost.streamServer
        }
    }

    /// PostgreSQL's processor time, in seconds.
    var database: Double {
        switch self {
        case .push: Cost.pushDatabase
        case .pull: Cost.pullDatabase
        case .poll: Cost.pollDatabase
        case .stream: AssumedCost.streamDatabase
        }
    }
}
