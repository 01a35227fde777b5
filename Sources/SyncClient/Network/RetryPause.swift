import Foundation

/// The pause that a server asks for.
enum RetryPause {
    /// The longest that is kept to. The server asks for a day at most where nothing changes before; whoever asks for
    /// more is asked again within the hour.
    static let maxSeconds = 3600.0

    /// Reads `Retry-After` where it is a number of seconds (RFC 9110, section 10.2.3). A date, which the protocol does
    /// not send, depends on two clocks, and counts as none.
    static func seconds(_ text: String) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        // More digits than a number has are an hour, too.
        return bounded(Double(text))
    }

    /// A pause that can be waited out; `nil` for what is none.
    static func bounded(_ seconds: Double?) -> Double? {
        guard let seconds, seconds >= 0 else { return nil }
        return min(seconds, maxSeconds)
    }
}
