import PGStore
import SyncEngine
import WireFormats

extension VersionStates.Row {
    /// Returns the headers that inform a device of its version's deprecation and end: RFC 9745, RFC 8594 and RFC 8288.
    func headers(at now: Timestamp) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let deprecated, deprecated <= now {
            headers.append((HeaderName.deprecation, "@\(deprecated.microseconds / 1_000_000)"))
        }
        if let end = retired ?? sunset { headers.append((HeaderName.sunset, end.imfFixdate)) }
        if let link, !headers.isEmpty {
            headers.append((HeaderName.link, "<\(link)>; rel=\"deprecation\"; type=\"text/html\""))
        }
        return headers
    }
}

extension Timestamp {
    /// The time in the format `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    fileprivate var imfFixdate: String {
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let text = description
        let date = text.prefix(10).split(separator: "-").map(String.init)
        let number = Int((Double(microseconds) / 86_400_000_000).rounded(.down))
        let weekday = days[((number % 7) + 7) % 7]
        let month = months[(Int(date[1]) ?? 1) - 1]
        return "\(weekday), \(date[2]) \(month) \(date[0]) \(text.dropFirst(11).prefix(8)) GMT"
    }
}
