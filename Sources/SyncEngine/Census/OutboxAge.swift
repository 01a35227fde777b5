/// The header `Outbox-Age`: the age of the oldest change that a device has not sent yet, in seconds.
package struct OutboxAge: Hashable, Sendable {
    let seconds: Int64

    /// The highest accepted age of an outbox in seconds, a hundred years. A higher age comes from a wrong clock.
    static let secondsMax: Int64 = 100 * 366 * 86_400

    /// Parses the header; `nil` if it is not a whole number of seconds up to `secondsMax`. The age only serves
    /// statistics, so a device whose clock is wrong is not refused.
    package init?(header: String) {
        guard header.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let seconds = Int64(header), seconds <= OutboxAge.secondsMax
        else { return nil }
        self.seconds = seconds
    }
}
