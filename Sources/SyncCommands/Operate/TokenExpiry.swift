import SyncServer
import WireFormats

/// When a token is to end, as somebody says it on a command line.
enum TokenExpiry: Equatable {
    case after(Duration)
    case at(Timestamp)

    /// What `--expires` says; `nil` where it is not given.
    init?(_ options: Options) throws(UsageError) {
        guard let text = options["expires"] else { return nil }
        self = try TokenExpiry(text)
    }

    init(_ text: String) throws(UsageError) {
        if let duration = Duration(shortText: text), duration > .zero {
            self = .after(duration)
        } else if let time = (try? Timestamp(text)) ?? (try? Timestamp("\(text)T00:00:00Z")) {
            self = .at(time)
        } else {
            throw UsageError(
                "‘--expires’ takes a time such as 90d or 12h, or a date such as 2027-01-31 or 2027-01-31T18:00:00Z, "
                    + "not ‘\(text)’.")
        }
    }

    /// - Throws: where that is over.
    func time(at now: Timestamp) throws(UsageError) -> Timestamp {
        switch self {
        case .after(let duration): return now.adding(duration)
        case .at(let time):
            guard time > now else { throw UsageError("‘--expires’ says \(time), which is over: it is \(now).") }
            return time
        }
    }
}
