import Foundation

/// The devices' habits. All are assumptions; those of docs/operations.md, “Sizing”, where that page has them.
enum Behaviour {
    static let daySeconds = 86_400.0
    /// The number of times that the app comes to the foreground in a day.
    static let openingsPerDay = 8.0
    /// The average time in the foreground, in seconds, for which the device listens for events.
    static let openSeconds = 900.0
    /// The edits of a device in a day, each in a push of its own, while the app is in the foreground.
    static let editsPerDay = 40.0
    static var editsPerOpening: Double { editsPerDay / openingsPerDay }
    /// The number of times that a device wakes in the background in a day. With the openings, a device polls 24 times.
    static let wakesPerDay = 16.0
    /// The share of edits that create a record.
    static let creatingShare = 0.25

    /// Returns the rate of openings at a second of the day, as a multiple of the average: least at four in the morning,
    /// most from noon to eight in the evening, and on average 1.
    static func activity(at second: Double) -> Double {
        let hour = second / 3600
        let daily = 1 - 0.95 * cos(2 * .pi * (hour - 4) / 24)
        let evening = 0.45 * exp(-pow((hour - 20) / 1.6, 2)) + 0.35 * exp(-pow((hour - 12.5) / 1.2, 2))
        return (daily + evening) / meanActivity
    }

    /// The average of the two terms of `activity` over a day.
    private static let meanActivity = 1 + (0.45 * 1.6 + 0.35 * 1.2) * Double.pi.squareRoot() / 24

    /// The greatest value of `activity`, found by trying every minute.
    static let peakActivity = stride(from: 0.0, to: daySeconds, by: 60).map(activity).max() ?? 1

    /// The share of devices in the foreground in the busiest minute.
    static var peakOpenShare: Double { openingsPerDay * openSeconds / daySeconds * peakActivity }
}
