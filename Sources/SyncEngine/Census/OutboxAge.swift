/// The header `Outbox-Age`: how old the oldest change is that a device has not sent yet.
package struct OutboxAge: Hashable, Sendable {
    let seconds: Int64

    /// A hundred years: more is a wrong clock.
    static let secondsMax: Int64 = 100 * 366 * 86_400

    /// `nil` for anything but a whole number of seconds. It is only counted, so a device whose clock is wrong is not
    /// refused for it.
    package init?(header: String) {
        guard header.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let seconds = Int64(header), seconds <= OutboxAge.secondsMax
        else { return nil }
        self.seconds = seconds
    }
}
