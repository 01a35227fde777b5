import CoreGraphics
import Foundation
import SwiftData
import SwiftUI

/// Every type of value, without versions.
@Model
public final class Values {
    public var id: UUID
    var flag: Bool
    var int = 0
    var int8: Int8 = 0x7F
    var int16: Int16
    var int32: Int32
    var int64: Int64
    var uint: UInt
    var uint8: UInt8
    var double = 0.5
    var whole: Double = 2
    var float: Float
    var cgFloat: CGFloat
    var interval: TimeInterval = .zero
    var decimal: Decimal = 0
    var price = Decimal(string: "19.99")!
    var name = ""
    var quoted: String = "a \"b\" \\ c"
    var letter: Character
    var when = Date()
    var later: Date?
    var moment: Date = .now
    var other = UUID()
    var bytes: Data
    var link: URL?
    var tags: [String] = []
    var numbers: [Int] = [1, 2, 3]
    var colors: Set<String> = []
    var grid: [[Double]] = []
    var holes: [Int?] = []
    var kind = Kind.home
    var size: Size = Size.large
    var style: Style = .plain
    var mood: Values.Mood?
    var weights: [Kind] = [Kind]()
    var address: Address?
    var box: Box<Int>?
    var scores: [String: Int] = [:]
    var alias: Name = "x"
    var limit: Int = Limits.most
    var optional: String? = nil
    var long: Optional<Int>
    private var hidden: Int = 1
    private(set) var readable: Int = 2
    static let shared = 1
    var computed: Int { int + 1 }
    var observed: Int = 3 {
        didSet { int = observed }
    }
    @Transient var temporary = 0
    @Attribute(.ephemeral) var passing: Int?
    @Attribute(.externalStorage) var picture: Data?
    @Attribute(.spotlight, .allowsCloudEncryption, hashModifier: "v2") var secret: String?
    @Attribute(.preserveValueOnDeletion) var kept: String?
    @Attribute(.unique) var code: String
    @available(iOS 18, *) var recent: Int?
    var `default`: Int?

    enum Kind: String, Codable {
        case home, work
        case away = "gone"
    }

    enum Mood: String, Codable {
        case good, bad
    }

    init() {}
}

enum Size: Int, Codable {
    case small = 1
    case large
}

enum Style: Codable {
    case plain
    case framed(width: Int)
}

struct Address: Codable {
    var street: String
}

struct Box<Value: Codable>: Codable {
    var value: Value
}

typealias Name = String

enum Limits {
    static let most = 12
}
