import StrictJSON
import SyncEngine
import WireFormats

/// The value of a named fact in a line of the log.
package enum LogFact: Sendable, Equatable, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
    case text(String)
    case count(Int)
    /// A duration in milliseconds, rounded to a microsecond.
    case milliseconds(Duration)

    package init(stringLiteral text: String) { self = .text(text) }

    package init(integerLiteral count: Int) { self = .count(count) }

    var text: String {
        switch self {
        case .text(let text): text
        case .count(let count): "\(count)"
        case .milliseconds(let duration): "\(LogFact.number(duration))"
        }
    }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .text(let text): writer.string(text)
        case .count(let count): writer.int(Int64(count))
        case .milliseconds(let duration): writer.double(LogFact.number(duration))
        }
    }

    private static func number(_ duration: Duration) -> Double { (duration / .microseconds(1)).rounded() / 1_000 }
}
