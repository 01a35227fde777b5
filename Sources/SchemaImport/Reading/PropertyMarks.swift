import SourceFacts
import StrictJSON
import WireFormats

/// The facts about a property that follow from its attributes, such as `@Attribute` and `@Relationship`.
struct PropertyMarks {
    private(set) var isUnique = false
    private(set) var isTransient = false
    private(set) var originalName: String?
    /// The word in `@Attribute` that gives the property a value transformer, such as `.transformable`; `nil` if the
    /// property has no transformer.
    private(set) var transformer: String?
    private(set) var deleteRule: Schema.DeleteRule?
    /// The name of the inverse relationship, if the sources state it.
    private(set) var inverse: String?
    /// The reason why the property's attributes cannot be interpreted; `nil` if they can be.
    private(set) var unknown: String?
    /// Notes on attributes that have no effect on the synced data.
    private(set) var notes: [(location: SourceLocation, text: String)] = []

    private static let withoutEffect = [
        "allowsCloudEncryption", "codable", "externalStorage", "preserveValueOnDeletion", "spotlight",
    ]

    /// Swift attributes that say when or where a property may be used, and not how it is stored.
    private static let plain = ["available", "MainActor", "ObservationIgnored", "objc", "nonobjc", "usableFromInline"]

    init(_ property: PropertyFact) {
        for attribute in property.attributes {
            if let condition = attribute.condition {
                notes.append(
                    (attribute.location, "‘@\(attribute.name)’ is there only under ‘#if \(condition)’, and was read"))
            }
            switch attribute.name.split(separator: ".").last.map(String.init) ?? attribute.name {
            case "Attribute": readAttribute(attribute)
            case "Relationship": readRelationship(attribute)
            case "Transient": isTransient = true
            case let name where PropertyMarks.plain.contains(name):
                notes.append((attribute.location, "‘@\(name)’ has no effect here"))
            case let name: unknown = "‘@\(name)’ is not SwiftData's"
            }
        }
        if property.modifiers.contains("private") {
            notes.append((property.location, "private, and stored and synced like the others"))
        }
    }

    private mutating func readAttribute(_ attribute: AttributeFact) {
        for argument in attribute.arguments {
            switch (argument.label, argument.value) {
            case (nil, .member(_, let name, _)) where name == "unique": isUnique = true
            case (nil, .member(_, let name, _)) where name == "ephemeral": isTransient = true
            case (nil, .member(_, let name, _)) where PropertyMarks.withoutEffect.contains(name):
                notes.append((attribute.location, "‘.\(name)’ has no effect here"))
            case (nil, .call(let function, _)) where function.hasSuffix("transformable"): transformer = function
            case ("originalName", .string(let name)): originalName = name
            case ("hashModifier", _): notes.append((attribute.location, "‘hashModifier’ has no effect here"))
            default: unknown = "‘@Attribute’ says \(argument.value.text), which is not known here"
            }
        }
    }

    private mutating func readRelationship(_ attribute: AttributeFact) {
        for argument in attribute.arguments {
            switch (argument.label, argument.value) {
            case ("deleteRule", .member(_, let name, _)) where Schema.DeleteRule(rawValue: name) != nil:
                deleteRule = Schema.DeleteRule(rawValue: name)
            case ("inverse", .keyPath(let path)):
                inverse = path.split(separator: ".").last.map { String($0.filter { $0 != "?" && $0 != "!" }) }
            case ("inverse", .null): break
            case ("originalName", .string(let name)): originalName = name
            case ("minimumModelCount", _), ("maximumModelCount", _), ("hashModifier", _):
                notes.append((attribute.location, "‘\(argument.label ?? "")’ has no effect here"))
            case (nil, .member(_, let name, _)): notes.append((attribute.location, "‘.\(name)’ has no effect here"))
            default: unknown = "‘@Relationship’ says \(argument.value.text), which is not known here"
            }
        }
    }
}
