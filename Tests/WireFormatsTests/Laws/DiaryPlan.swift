import FoundationEssentials
import WireFormats

/// Conversions of arrays, bytes, structs and enumerations, between any numbers of attributes, one after another.
enum DiaryPlan: SchemaMigrationPlan {
    static let app = "diary"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V2.self) {
            Convert("Trip.mood", to: "labels", using: MoodLabels())
            Convert("Trip.street", "number", "city", to: "address", using: TripAddress())
            Convert("Trip.starts", "ends", to: "starts", "minutes", using: StartAndLength())
            Convert("Trip.photo", to: "format", "pixels", using: PhotoFormat())
            Convert("Trip.ratings", using: ExactRatings())
            Convert("Trip.weather", to: "skies", using: Skies())
        },
        .custom(fromVersion: V2.self, toVersion: V3.self) {
            Convert("Trip.address", to: "lines", "town", using: AddressLines())
            Convert("Trip.home", to: "homes", using: Homes())
            Convert("Trip.skies", using: SkyNames())
            Convert("Trip.labels", "minutes", to: "note", "labels", "hours", using: Notes())
        },
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(0, 0, 1)
        static let models = Models {
            Model("Trip") {
                Identity()
                Attribute("mood", .string, default: "")
                Attribute("street", .string)
                Attribute("number", .int)
                Attribute("city", .string.optional)
                Attribute("starts", .date)
                Attribute("ends", .date.optional)
                Attribute("photo", .data)
                Attribute("ratings", .array(of: .int), default: [])
                Attribute("weather", .enumeration("Weather", ["sun", "rain", "pluie é"]))
                Attribute("home", .codable("Address").optional)
                Attribute("bystander", .array(of: .codable("Address")))
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(0, 0, 2)
        static let models = Models {
            Inherits(V1.self)
            Model("Trip") {
                Removed("mood", "street", "number", "city", "ends", "photo", "weather")
                Attribute("labels", .array(of: .string))
                Attribute(
                    "address", .codable("Address"), default: .json(#"{"number":0,"street":"nowhere"}"#))
                Attribute("starts", .date)
                Attribute("minutes", .int.optional)
                Attribute("format", .string)
                Attribute("pixels", .data.optional)
                Attribute("ratings", .array(of: .decimal), default: [])
                Attribute("skies", .array(of: .enumeration("Weather", ["sun", "rain", "pluie é"])))
            }
        }
    }

    enum V3: VersionedSchema {
        static let versionIdentifier = Schema.Version(0, 0, 3)
        static let models = Models {
            Inherits(V2.self)
            Model("Trip") {
                Removed("address", "home", "minutes")
                Attribute("lines", .array(of: .string))
                Attribute("town", .string.optional)
                Attribute("homes", .array(of: .codable("Address")))
                Attribute("skies", .array(of: .string))
                Attribute("note", .string.optional)
                Attribute("labels", .array(of: .string).optional)
                Attribute("hours", .double.optional)
            }
        }
    }

    enum Weather: String, CaseIterable, AttributeValue, AttributeElement {
        case sun
        case rain
        case pluie = "pluie é"
    }

    struct Address: Codable, Hashable, CodableValue {
        var street: String
        var number: Int
        var city: String?
    }

    struct MoodLabels: Conversion {
        func up(_ mood: String) -> [String] { mood.isEmpty ? [] : [mood] }
        func down(_ labels: [String]) -> String { labels.first ?? "" }
        let examples = ["happy", ""]
    }

    struct TripAddress: Conversion {
        func up(_ older: (String, Int, String?)) -> Address {
            Address(street: older.0, number: older.1, city: older.2)
        }
        func down(_ newer: Address) -> (String, Int, String?) { (newer.street, newer.number, newer.city) }
        let examples: [(String, Int, String?)] = [("Rua Augusta", 5, "Lisboa"), ("", 0, nil)]
    }

    struct StartAndLength: Conversion {
        func up(_ older: (Timestamp, Timestamp?)) -> (Timestamp, Int?) {
            let length = older.1.map { $0.microseconds.subtractingReportingOverflow(older.0.microseconds) }
            return (older.0, length.map { $0.overflow ? 0 : Int($0.partialValue / 60_000_000) })
        }
        func down(_ newer: (Timestamp, Int?)) -> (Timestamp, Timestamp?) {
            let end = newer.1.map { minutes in
                let (length, overflow) = Int64(minutes).multipliedReportingOverflow(by: 60_000_000)
                let (sum, isBeyond) = newer.0.microseconds.addingReportingOverflow(length)
                let range: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999
                return overflow || isBeyond || !range.contains(sum) ? newer.0 : Timestamp(microseconds: sum)
            }
            return (newer.0, end)
        }
        let examples: [(Timestamp, Timestamp?)] = [
            (Timestamp(microseconds: 0), nil), (Timestamp(microseconds: 0), Timestamp(microseconds: 90_000_001)),
        ]
    }

    struct PhotoFormat: Conversion {
        func up(_ photo: [UInt8]) -> (String, Data?) {
            photo.first == 0x89 ? ("png", Data(photo.dropFirst())) : ("", photo.isEmpty ? nil : Data(photo))
        }
        func down(_ newer: (String, Data?)) -> [UInt8] {
            (newer.0 == "png" ? [0x89] : []) + [UInt8](newer.1 ?? Data())
        }
        let examples: [[UInt8]] = [[], [0x89, 1, 2], [1, 0]]
    }

    struct ExactRatings: Conversion {
        func up(_ older: [Int]) -> [DecimalText] { older.map { DecimalText("\($0)") ?? .zero } }
        func down(_ newer: [DecimalText]) -> [Int] { newer.map { Int($0.text.prefix { $0 != "." }) ?? 0 } }
        let fidelity = Fidelity.projecting
        let examples: [[Int]] = [[], [1, 2, 3]]
    }

    struct Skies: Conversion {
        func up(_ weather: Weather) -> [Weather] { [weather] }
        func down(_ skies: [Weather]) -> Weather { skies.first ?? .rain }
        let examples = Weather.allCases
    }

    struct AddressLines: Conversion {
        func up(_ address: Address) -> ([String], String?) { ([address.street, "\(address.number)"], address.city) }
        func down(_ newer: ([String], String?)) -> Address {
            Address(street: newer.0.first ?? "", number: newer.0.last.flatMap { Int($0) } ?? 0, city: newer.1)
        }
        let examples = [Address(street: "Rua", number: 1, city: nil), Address(street: "", number: -1, city: "Faro")]
    }

    struct Homes: Conversion {
        func up(_ home: Address?) -> [Address] { home.map { [$0] } ?? [] }
        func down(_ homes: [Address]) -> Address? { homes.first }
        let examples = [nil, Address(street: "Rua", number: 1, city: nil)]
    }

    struct SkyNames: Conversion {
        func up(_ skies: [Weather]) -> [String] { skies.map { "\($0)" } }
        func down(_ names: [String]) -> [Weather] {
            names.compactMap { name in Weather.allCases.first { "\($0)" == name } }
        }
        let examples: [[Weather]] = [[], [.sun, .pluie]]
    }

    struct Notes: Conversion {
        func up(_ older: ([String], Int?)) -> (String?, [String]?, Double?) {
            (older.0.first, older.0.isEmpty ? nil : Array(older.0.dropFirst()), older.1.map { Double($0) / 60 })
        }
        func down(_ newer: (String?, [String]?, Double?)) -> ([String], Int?) {
            ((newer.0.map { [$0] } ?? []) + (newer.1 ?? []), newer.2.map { Int(exactly: ($0 * 60).rounded()) ?? 0 })
        }
        let examples: [([String], Int?)] = [([], nil), (["a", "b", "c"], 61)]
    }
}
