import SyncServer
import WireFormats

/// A future time as stated on a command line: a duration from now, or a date.
struct StatedTime: Equatable {
    private let option: String
    private let moment: Moment

    private enum Moment: Equatable {
        case after(Duration)
        case at(Timestamp)
    }

    /// Reads the time of an option such as `--expires`; `nil` if the option is not given.
    init?(_ options: Options, _ option: String) throws(UsageError) {
        guard let text = options[option] else { return nil }
        self.option = option
        if let duration = Duration(shortText: text), duration > .zero {
            moment = .after(duration)
        } else if let time = (try? Timestamp(text)) ?? (try? Timestamp("\(text)T00:00:00Z")) {
            moment = .at(time)
        } else {
            throw UsageError(
                "‘--\(option)’ takes a time such as 90d or 12h, or a date such as 2027-01-31 or 2027-01-31T18:00:00Z, "
                    + "not ‘\(text)’.")
        }
    }

    /// - Throws: if the time is past.
    func time(at now: Timestamp) throws(UsageError) -> Timestamp {
        switch moment {
        case .after(let duration): return now.adding(duration)
        case .at(let time):
            guard time > now else { throw UsageError("‘--\(option)’ says \(time), which is over: it is \(now).") }
            return time
        }
    }
}
