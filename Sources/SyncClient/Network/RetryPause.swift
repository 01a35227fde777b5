import Foundation

/// The pause before the next request that a server asks for, in seconds.
enum RetryPause {
    /// The longest pause that the client observes, in seconds. The server asks for a day at most, if nothing changes
    /// before. A server that asks for more than this is contacted again after an hour.
    static let maxSeconds = 3600.0

    /// Reads `Retry-After` if it is a number of seconds (RFC 9110, section 10.2.3). A date counts as no header: it
    /// depends on two clocks, and the protocol does not send one.
    static func seconds(_ text: String) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        // A number with too many digits for a double becomes an hour, too.
        return bounded(Double(text))
    }

    /// Limits a pause to `maxSeconds`; `nil` for one that is negative or missing.
    static func bounded(_ seconds: Double?) -> Double? {
        guard let seconds, seconds >= 0 else { return nil }
        return min(seconds, maxSeconds)
    }
}
