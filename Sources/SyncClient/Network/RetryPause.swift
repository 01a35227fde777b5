import Foundation

/// The pause before the next request that a server asks for, in seconds.
enum RetryPause {
    /// The longest pause that is honoured, in seconds. The server asks for a day at most, if nothing changes before;
    /// a server that asks for more is asked again within the hour.
    static let maxSeconds = 3600.0

    /// Reads `Retry-After` if it is a number of seconds (RFC 9110, section 10.2.3). A date, which the protocol does not
    /// send, depends on two clocks, and counts as no header.
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
