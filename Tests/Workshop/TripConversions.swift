import WireFormats

/// In the schema `.codable("Address")`.
struct Address: CodableValue {
    var street: String
    var number: Int
    var city: String?
}

/// In the schema an enumeration of the same name and cases.
enum Weather: String, CaseIterable, AttributeValue, AttributeElement {
    case sun
    case rain
    case snow = "neve é"
}

/// "happy" and ["happy"].
struct MoodLabels: Conversion {
    func up(_ mood: String) -> [String] { mood.isEmpty ? [] : [mood] }
    func down(_ labels: [String]) -> String { labels.first ?? "" }
    let examples = ["happy", ""]
}

/// Three attributes, and a struct of three members.
struct TripAddress: Conversion {
    func up(_ older: (String, Int, String?)) -> Address {
        Address(street: older.0, number: older.1, city: older.2)
    }

    func down(_ address: Address) -> (String, Int, String?) { (address.street, address.number, address.city) }

    let examples: [(String, Int, String?)] = [("Rua Augusta", 5, "Lisboa"), ("", 0, nil)]
}

/// When it starts and ends, and for how many whole minutes it goes on. What would end beyond the year 9999, or before
/// 1, ends when it starts.
struct StartAndLength: Conversion {
    func up(_ older: (Timestamp, Timestamp?)) -> (Timestamp, Int?) {
        (older.0, older.1.map { Int(($0.microseconds - older.0.microseconds) / Self.minute) })
    }

    func down(_ newer: (Timestamp, Int?)) -> (Timestamp, Timestamp?) {
        guard let minutes = newer.1 else { return (newer.0, nil) }
        let (length, isLong) = Int64(minutes).multipliedReportingOverflow(by: Self.minute)
        let (end, isBeyond) = newer.0.microseconds.addingReportingOverflow(length)
        let isTime = !isLong && !isBeyond && (-62_135_596_800_000_000...253_402_300_799_999_999).contains(end)
        return (newer.0, isTime ? Timestamp(microseconds: end) : newer.0)
    }

    private static let minute: Int64 = 60_000_000

    let examples: [(Timestamp, Timestamp?)] = [
        (Timestamp(microseconds: 0), nil), (Timestamp(microseconds: 0), Timestamp(microseconds: 90_000_001)),
    ]
}

/// Bytes, and what they begin with beside the rest.
struct PhotoFormat: Conversion {
    func up(_ photo: [UInt8]) -> (String, [UInt8]?) {
        photo.first == 0x89 ? ("png", Array(photo.dropFirst())) : ("", photo.isEmpty ? nil : photo)
    }

    func down(_ newer: (String, [UInt8]?)) -> [UInt8] { (newer.0 == "png" ? [0x89] : []) + (newer.1 ?? []) }

    let examples: [[UInt8]] = [[], [0x89, 1, 2], [1, 0]]
}

/// Three numbers, and a list of three; one of fewer has zeros.
struct Channels: Conversion {
    func up(_ older: (Int, Int, Int)) -> [Int] { [older.0, older.1, older.2] }

    func down(_ color: [Int]) -> (Int, Int, Int) {
        let padded = color + [0, 0, 0]
        return (padded[0], padded[1], padded[2])
    }

    let examples = [(255, 0, 0), (0, 0, 0)]
}

/// One case, and a list of cases.
struct Skies: Conversion {
    func up(_ weather: Weather) -> [Weather] { [weather] }
    func down(_ skies: [Weather]) -> Weather { skies.first ?? .rain }
    let examples = Weather.allCases
}

/// A struct, and lines with a town.
struct AddressLines: Conversion {
    func up(_ address: Address) -> ([String], String?) { ([address.street, "\(address.number)"], address.city) }

    func down(_ newer: ([String], String?)) -> Address {
        Address(street: newer.0.first ?? "", number: newer.0.last.flatMap { Int($0) } ?? 0, city: newer.1)
    }

    let examples = [Address(street: "Rua", number: 1, city: nil), Address(street: "", number: -1, city: "Faro")]
}

/// One struct, or none, and a list of structs.
struct Homes: Conversion {
    func up(_ home: Address?) -> [Address] { home.map { [$0] } ?? [] }
    func down(_ homes: [Address]) -> Address? { homes.first }
    let examples = [nil, Address(street: "Rua", number: 1, city: nil)]
}

/// Labels and minutes; the first label beside the others, and hours.
struct Notes: Conversion {
    func up(_ older: ([String], Int?)) -> (String?, [String]?, Double?) {
        (older.0.first, older.0.isEmpty ? nil : Array(older.0.dropFirst()), older.1.map { Double($0) / 60 })
    }

    func down(_ newer: (String?, [String]?, Double?)) -> ([String], Int?) {
        ((newer.0.map { [$0] } ?? []) + (newer.1 ?? []), newer.2.map { Int(exactly: ($0 * 60).rounded()) ?? 0 })
    }

    let examples: [([String], Int?)] = [([], nil), (["a", "b", "c"], 61)]
}
