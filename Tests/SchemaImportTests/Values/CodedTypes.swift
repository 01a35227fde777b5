import Foundation

/// Types as apps declare them. The tests read them as sources, and also decode them.
enum CodedTypes {
    struct Prefs: Codable, Equatable {
        var loud: Bool = false
        var size = 12
        var scale: Double = 1
        var title: String?
        var note: String? = nil
        var names = ["a", "b\n"]
    }

    enum Look: Codable, Equatable { case plain, framed(Int) }

    enum Mood: String, Codable { case calm, wild = "very wild" }

    struct Keyed: Codable, Equatable {
        enum CodingKeys: String, CodingKey { case name = "n", count }
        var name = "x"
        var count = 1
        var cache = 5
    }

    struct Nested: Codable, Equatable {
        typealias Table = [String: Int]
        var prefs = Prefs(loud: true)
        var look = Look.plain
        var mood: Mood = .wild
        var moods: [Mood] = [.wild, Mood.calm]
        var table: Table = ["b": 1, "a": 2]
        var byID: [UUID: Int] = [:]
        var byMood: [Mood: Int] = [:]
        var byNumber: [Int: String] = [:]
        var keyed: Keyed? = Keyed(count: 2)
        var none: Keyed?
        var price: Decimal = 1.5
        var link: CGPoint = .zero
    }

    struct Given: Codable, Equatable {
        static let standard = Given(a: 9)
        var a: Int
        var b: String = "b"
    }

    /// A struct whose initializer sets other values than its properties' declarations.
    struct Own: Codable, Equatable {
        var x: Int = 1
        var y: Int
        init() {
            x = 7
            y = 8
        }
    }

    struct ByHand: Codable, Equatable {
        var x = 1
        init() {}
        init(from decoder: any Decoder) throws { x = try decoder.singleValueContainer().decode(Int.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(x)
        }
    }

    struct Dated: Codable, Equatable { var day = Date() }

    final class Box: Codable, Equatable {
        var value = 3
        static func == (a: Box, b: Box) -> Bool { a.value == b.value }
    }
}
