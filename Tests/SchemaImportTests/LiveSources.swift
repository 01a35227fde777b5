import WireFormats

/// The sources of an app whose versions list current classes.
enum LiveSources {
    static let head = "import Foundation\nimport SwiftData\n"

    static func model(_ name: String, _ properties: [String], above: String = "") -> String {
        let members = properties.map { "    var \($0): Int = 0\n" }.joined()
        return "@Model \(above.isEmpty ? "final class \(name)" : "class \(name): \(above)") {\n"
            + (above.isEmpty ? "    var id: UUID = UUID()\n" : "") + "\(members)    init() {}\n}\n"
    }

    static func version(_ number: Int, _ models: String, _ types: String = "", isExtended: Bool = false) -> String {
        let head = """
            enum SchemaV\(number): VersionedSchema {
                static let versionIdentifier = Schema.Version(\(number), 0, 0)
                static var models: [any PersistentModel.Type] { \(models) }

            """
        return isExtended ? "\(head)}\nextension SchemaV\(number) {\n\(types)}\n" : "\(head)\(types)}\n"
    }

    static func plan(_ versions: Int..., named name: String = "AppPlan") -> String { plan(versions, named: name) }

    static func plan(_ versions: [Int], named name: String = "AppPlan") -> String {
        let list = versions.map { "SchemaV\($0).self" }.joined(separator: ", ")
        return """
            enum \(name): SchemaMigrationPlan {
                static var schemas: [any VersionedSchema.Type] { [\(list)] }
                static var stages: [MigrationStage] { [] }
            }

            """
    }
}

/// A random history of an app: a class that changes with each version or does not, and versions that list it in every
/// usual way, some of them with copies of their own since some version.
struct RandomHistory {
    /// The sources at the time when each version was the newest.
    private(set) var states: [String] = []
    /// The shape of each version at that time.
    private(set) var shapes: [String] = []
    /// The versions whose shape the last state does not show.
    private(set) var unknown: [String] = []

    private enum Form: CaseIterable {
        case list, reused, added, alias
    }

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let count = Int.random(in: 2...6, using: &random)
        // True if the newest version declares the class, and an alias outside refers to it.
        let isNested = Bool.random(using: &random)
        let planned = Int.random(in: 1...count, using: &random)
        var attributes = ["a0"]
        var past: [[String]] = []
        var forms: [Form] = []
        var copied: Set<Int> = []
        for number in 1...count {
            if number > 1 {
                if attributes.count > 1, Int.random(in: 0..<4, using: &random) == 0 { attributes.removeFirst() }
                if Int.random(in: 0..<4, using: &random) > 0 { attributes.append("a\(number)") }
                // A version that is no longer the newest may get a copy.
                if Int.random(in: 0..<4, using: &random) == 0 { copied.insert(number - 1) }
            }
            past.append(attributes)
            forms.append(Form.allCases.randomElement(using: &random) ?? .list)
            var text = LiveSources.head
            for older in 1...number {
                let isNewest = older == number
                if copied.contains(older) {
                    let copy = LiveSources.model("Run", past[older - 1])
                    let isExtended = Bool.random(using: &random)
                    text += LiveSources.version(
                        older, "[Run.self\(extra(older, forms))]", copy, isExtended: isExtended)
                } else if isNewest && isNested {
                    text += LiveSources.version(
                        older, "[Run.self\(extra(older, forms))]", LiveSources.model("Run", attributes))
                } else {
                    text += LiveSources.version(older, list(older, forms, copied))
                }
                if forms[older - 1] == .added { text += LiveSources.model("Extra\(older)", ["n"]) }
            }
            text += isNested ? "typealias Run = SchemaV\(number).Run\n" : LiveSources.model("Run", attributes)
            text += "typealias Current = Run\n"
            if number >= planned { text += LiveSources.plan(Array(1...number)) }
            states.append(text)
        }
        for number in 1...count {
            let extras = forms[number - 1] == .added ? " Extra\(number)(id n)" : ""
            shapes.append("\(number).0.0 Run(\((["id"] + past[number - 1]).joined(separator: " ")))\(extras)")
            if number < count, !copied.contains(number) { unknown.append("shape \(number).0.0") }
        }
    }

    private func extra(_ number: Int, _ forms: [Form]) -> String {
        forms[number - 1] == .added ? ", Extra\(number).self" : ""
    }

    /// Returns a version's list. It is made of the list before only if that has nothing but the current class.
    private func list(_ number: Int, _ forms: [Form], _ copied: Set<Int>) -> String {
        let canReuse = number > 1 && !copied.contains(number - 1) && forms[number - 2] != .added
        switch forms[number - 1] {
        case .reused where canReuse: return "SchemaV\(number - 1).models"
        case .added where canReuse: return "SchemaV\(number - 1).models + [Extra\(number).self]"
        case .alias: return "[Current.self]"
        default: return "[Run.self\(extra(number, forms))]"
        }
    }
}
