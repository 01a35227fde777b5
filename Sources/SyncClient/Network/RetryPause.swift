import Foundation

/// The pause, in seconds, that a server asks a client to make before the client's next request.
enum RetryPause {
    /// The longest pause that the client observes, in seconds. Servers ask for a day at most. If one asks for more than
    /// an hour, the request is sent again after an hour.
    static let maxSeconds = 3600.0

    /// Reads the value of `Retry-After` if it is a number of seconds (RFC 9110, section 10.2.3). Returns `nil` for a
    /// date: it would depend on two clocks, and the protocol does not send one.
    static func seconds(_ text: String) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        // A number with too many digits for a double becomes an hour, too.
        return bounded(Double(text))
    }

    /// Limits a pause to `maxSeconds`. Returns `nil` for one that is negative, not a number or missing.
    static func bounded(_ seconds: Double?) -> Double? {
        guard let seconds, seconds >= 0 else { return nil }
        return min(seconds, maxSeconds)
    }
}
