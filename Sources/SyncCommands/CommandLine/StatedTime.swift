import Operations
import WireFormats

/// A future time as given on a command line: a duration from now, or a date.
struct StatedTime: Equatable {
    let moment: Moment

    /// Parses the time given by an option such as `--expires`; `nil` if the option is not given.
    init?(_ options: Options, _ option: String) throws(UsageError) {
        guard let text = options[option] else { return nil }
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
}

extension PastMoment {
    /// Returns the error for a command-line option whose value is this time, because the time is not in the future.
    func usageError(of option: String) -> UsageError {
        UsageError("‘--\(option)’ says \(time), which is over: it is \(now).")
    }
}
