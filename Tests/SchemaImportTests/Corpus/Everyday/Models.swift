import CoreLocation
import Foundation

#if canImport(SwiftData)
    import SwiftData
#endif

// What people write in apps of every day, and what has one meaning alone.

protocol Stored: Codable {}

enum Mood: String, Stored & CaseIterable {
    case calm
    case wild = "very_wild"
    static let usual = Mood.calm
}

enum Level: Int, Codable { case low = 1, high }

enum Shape: Stored { case round, square }

struct Size: Stored & Hashable, Sendable {
    var width = 0.0
}

struct Weekdays: OptionSet, Codable {
    let rawValue: Int
}

extension CLLocationCoordinate2D: @retroactive Codable {}

extension Date {
    static var noon: Date { Calendar.current.startOfDay(for: .now) }
}

enum Limits {
    enum Daily { static let pages: Int = 30 }
}

#if canImport(SwiftData)
    @Model
#else
    @Observable
#endif
final class Garden {
    let id: UUID
    let planted: Date
    let label = "bed"
    var moodRaw: String = Mood.wild.rawValue
    var usualRaw = Mood.usual.rawValue
    var levelRaw: Level.RawValue = Level.high.rawValue
    var visited: Date = Date.now
    var pause: TimeInterval = 25 * 60
    var day = 60 * 60 * 24
    var third = 1.0 / 3
    var goal: Int = Limits.Daily.pages
    var names: [String: Int] = ["b": 2, "a": 1]
    var counts: [Int] = Array(repeating: 0, count: 3)
    var moods: [Mood] = Mood.allCases
    var chosen: [Mood] = [.calm, Mood.wild]
    var bytes: Data = Data()
    var token = UUID().uuidString
    var shape: Shape?
    var size: Size?
    var days: Weekdays?
    var place: CLLocationCoordinate2D?
    var zone: TimeZone?
    var weight: Measurement<UnitMass>?
    var range: ClosedRange<Int>?
    var old: Date = Date.distantPast
    var made: String = makeName()
    var next: Int = nextNumber()
    var begun: Date = Date.noon
    var starts: Date = Date(timeIntervalSince1970: 0)

    #if canImport(SwiftData)
        #Unique<Garden>([\.id, \.label], [])
    #endif
    #if canImport(SwiftData)
        @Relationship(deleteRule: .cascade, inverse: \Bed.garden)
    #endif
    var beds: [Bed]? = [Bed]()
}

@Model
final class Bed {
    #if os(iOS)
        @Attribute(.unique)
    #endif
    var code: String?
    var garden: Garden!
}
