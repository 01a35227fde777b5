import DemoApps
import Testing
import WireFormats

/// Makes files as the demo apps wrote them, in all of their forms: few records, so that files meet in them, and values
/// that seldom repeat.
struct LegacyFileGenerator {
    /// A demo app that wrote files, and one of each form that they had.
    struct App: CustomTestStringConvertible, Sendable {
        let plan: any SchemaMigrationPlan.Type
        let forms: [@Sendable (inout LegacyFileGenerator) -> String]

        var testDescription: String { plan.app }
    }

    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    mutating func pick<Choices: Collection>(_ choices: Choices) -> Choices.Element {
        choices.randomElement(using: &random)!
    }

    mutating func shuffled<Element>(_ elements: [Element]) -> [Element] { elements.shuffled(using: &random) }

    private mutating func number() -> Int { Int.random(in: 1...999, using: &random) }
    private mutating func bool() -> Bool { Bool.random(using: &random) }
    private mutating func text() -> String { "w\(number())" }
    /// One of two for each kind of record.
    private mutating func id(_ kind: UInt64) -> String {
        ID(high: kind, low: UInt64.random(in: 1...2, using: &random)).description
    }
    /// Seconds since 2001.
    private mutating func seconds() -> Int { 766_000_000 + number() }
    private mutating func day() -> String { "2025-11-0\(Int.random(in: 1...9, using: &random))T10:00:00Z" }

    /// Members that are always there, and some of those that may be missing.
    private mutating func row(_ members: [(String, String)], _ optional: [(String, String)] = []) -> String {
        let some = optional.filter { _ in Bool.random(using: &random) }
        return "{" + (members + some).map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    /// One or two rows; of those with one id the last counts.
    private mutating func list(_ make: (inout LegacyFileGenerator) -> String) -> String {
        let rows = (0..<Int.random(in: 1...2, using: &random)).map { _ in make(&self) }
        return "[\(rows.joined(separator: ","))]"
    }

    static let apps = [keepTrack, easitOpen, allesTeurer]
}

private func quoted(_ text: String) -> String { "\"\(text)\"" }

extension LegacyFileGenerator {
    static let keepTrack = App(
        plan: KeepTrackPlan.self,
        forms: [
            { $0.list { $0.intake() } }, { $0.list { $0.goal() } }, { $0.list { $0.waterGoal() } },
            { $0.list { $0.medicationGoal() } }, { $0.list { $0.water() } }, { $0.list { $0.entry() } },
            { $0.list { $0.medication() } }, { $0.backup() },
            { $0.row([("CurrentSchemaVersion", "\"2.0.0\"")], [("AcceptedLicenseVersion", quoted($0.text()))]) },
        ])

    private mutating func intake() -> String {
        row([
            ("id", quoted(id(1))), ("name", quoted(text())), ("unit", quoted(text())), ("amount", "\(number())"),
            ("descrip", quoted(text())), ("frequency", quoted(pick(["daily", "twice daily", "twiceDaily"]))),
        ])
    }

    private mutating func goal() -> String {
        row(
            [
                ("id", quoted(id(2))), ("name", quoted(text())), ("description", quoted(text())),
                ("dates", "[\(seconds())]"), ("isActive", "\(bool())"), ("isCompleted", "\(bool())"),
                ("dosage", "\(number())"), ("frequency", quoted(text())),
            ], [("units", quoted(text()))])
    }

    private mutating func waterGoal() -> String {
        row(
            [
                ("id", quoted(id(2))), ("name", quoted(text())), ("description", quoted(text())),
                ("startDate", "\(seconds())"), ("endDate", "\(seconds())"),
            ], [("isActive", "\(bool())"), ("isCompleted", "\(bool())")])
    }

    private mutating func medicationGoal() -> String {
        row(
            [
                ("id", quoted(id(2))), ("name", quoted(text())), ("dosage", "\(number())"),
                ("frequency", quoted(text())), ("time", "\(seconds())"),
            ], [("secondStartDate", "\(seconds())"), ("isActive", "\(bool())")])
    }

    private mutating func water() -> String {
        row(
            [("id", quoted(id(3))), ("date", "\(seconds())"), ("units", "\(number())")],
            [("amount", "\(number())"), ("name", quoted(text())), ("goalMet", "\(bool())")])
    }

    private mutating func entry() -> String {
        row([
            ("id", quoted(id(3))), ("date", "\(seconds())"), ("units", quoted(text())), ("amount", "\(number())"),
            ("name", quoted(text())), ("goalMet", "\(bool())"),
        ])
    }

    private mutating func medication() -> String {
        row([("id", quoted(id(3))), ("date", "\(seconds())")], [("name", quoted(text()))])
    }

    private mutating func backup() -> String {
        let settings = row([("theme", quoted(text()))], [("preferredUnits", quoted(text()))])
        return row([
            ("exportDate", quoted(day())), ("entries", list { $0.entry() }), ("goals", list { $0.goal() }),
            ("intakeTypes", list { $0.intake() }), ("settings", settings),
        ])
    }
}

extension LegacyFileGenerator {
    static let easitOpen = App(
        plan: EasitOpenPlan.self,
        forms: [
            { $0.list { $0.business() } }, { $0.business() },
            { $0.list { $0.business(with: [("customLabel", quoted($0.text()))]) } },
            {
                $0.list {
                    $0.business(
                        with: [("lastUpdated", quoted($0.day()))], or: [("googlePlaceId", quoted($0.text()))])
                }
            },
            {
                $0.list {
                    $0.business(
                        with: [("isFavorite", "\($0.bool())"), ("lastUpdated", quoted($0.day()))],
                        or: [("phone", quoted($0.text())), ("preferences", #"{"a":\#($0.number())}"#)])
                }
            }, { #"{"places":\#($0.list { $0.place() })}"# },
        ])

    private mutating func business(with more: [(String, String)] = [], or optional: [(String, String)] = []) -> String {
        let hours = (0..<Int.random(in: 0...2, using: &random)).map { _ in
            row([
                ("weekday", "\(pick(1...2))"), ("openTime", "\(number())"), ("closeTime", "\(number())"),
                ("isClosed", "\(bool())"),
            ])
        }
        return row(
            [
                ("id", quoted(id(4))), ("name", quoted(text())), ("address", quoted(text())),
                ("latitude", "\(number())"), ("longitude", "\(number())"), ("dateAdded", quoted(day())),
                ("openingHours", "[\(hours.joined(separator: ","))]"),
            ] + more, [("phoneNumber", quoted(text())), ("website", quoted(text()))] + optional)
    }

    private mutating func place() -> String {
        let moments = (0..<2).map { _ in
            row([("day", "1"), ("hour", "\(pick(0...23))"), ("minute", "\(pick(0...59))")])
        }
        let period = row([("open", moments[0]), ("close", moments[1])])
        return row(
            [
                ("id", quoted("place-\(pick(1...2))")), ("displayName", row([("text", quoted(text()))])),
                ("location", row([("latitude", "\(number())"), ("longitude", "\(number())")])),
            ],
            [
                ("formattedAddress", quoted(text())), ("internationalPhoneNumber", quoted(text())),
                ("websiteUri", quoted(text())), ("currentOpeningHours", row([("periods", "[\(period)]")])),
            ])
    }
}

extension LegacyFileGenerator {
    static let allesTeurer = App(
        plan: AllesTeurerPlan.self,
        forms: [
            { #"{"products":[\#($0.product())],"purchases":[\#($0.purchase("product"))]}"# },
            {
                #"{"version":"1.0","exportDate":"\#($0.day())","products":[\#($0.product())],"#
                    + #""purchases":[\#($0.purchase("productNormalizedName"))]}"#
            },
            {
                let id = $0.id(5)
                return #"{"product":\#($0.product(id: id)),"purchase":\#($0.purchase("name", id: $0.id(6), of: id))}"#
            },
            { generator in
                let lines = (0..<2).map { _ in
                    "2025-09-2\(generator.pick(1...9)) 08:50:00,\(generator.text()),A,\(generator.number()),58,4,99,K,"
                        + "\(generator.text()),\(generator.id(6))"
                }
                return "Datum,Produktname,Normalisierter Name,Preis,Preis pro Einheit,Kategorie,Geschäft,ID\n"
                    + lines.joined(separator: "\n")
            },
        ])

    private mutating func product(id: String? = nil) -> String {
        row(
            [
                ("normalizedName", quoted("A")), ("bestPricePerQuantity", "\(number()).25"),
                ("bestPriceStore", quoted(text())), ("highestPricePerQuantity", "\(number()).1"),
                ("highestPriceStore", quoted(text())), ("unit", quoted(text())), ("lastUpdated", quoted(day())),
            ] + (id.map { [("id", quoted($0))] } ?? []))
    }

    private mutating func purchase(_ key: String, id: String? = nil, of product: String? = nil) -> String {
        row(
            [
                ("shopName", quoted("S")), ("date", quoted("2025-11-0\(pick(1...2))T10:00:00Z")),
                ("totalPrice", "\(number()).3"), ("quantity", "\(number())"), ("actualProductName", quoted("P")),
                ("unit", quoted(text())), (key, quoted("A")),
            ] + (id.map { [("id", quoted($0))] } ?? []) + (product.map { [("productId", quoted($0))] } ?? []))
    }
}
