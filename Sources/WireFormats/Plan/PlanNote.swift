/// Something that a plan may have and its author should know of: no mistake, but the beginning of one.
package struct PlanNote: Hashable, Sendable, CustomStringConvertible {
    /// The entity or attribute, and the version.
    package let subject: String
    package let message: String

    package var description: String { "\(subject): \(message)" }
}

extension Plan {
    /// What to know of a version (a place in `schemas`).
    package func notes(on version: Int) -> [PlanNote] {
        schemas[version].entities.filter { $0.scope == .synced }.flatMap { entity in
            entity.attributes.compactMap { attribute in
                entity.relationshipRepeated(by: attribute).map { relationship in
                    PlanNote(
                        subject: "\(entity.name).\(attribute.name), \(schemas[version].version)",
                        message: "it says again whom ‘\(relationship.name)’ refers to, and the two can differ. Leave "
                            + "it to the relationship in the next version.")
                }
            }
        }
    }
}

extension Schema.Entity {
    /// The reference to which an attribute such as `userID`, beside `userProfile`, is a second one.
    fileprivate func relationshipRepeated(by attribute: Schema.Attribute) -> Schema.Relationship? {
        guard attribute.scope == .synced, [.string, .uuid].contains(attribute.type.kind) else { return nil }
        let name = attribute.name.lowercased()
        guard name.hasSuffix("id"), name.count > 4 else { return nil }
        return relationships.first {
            $0.cardinality == .toOne && $0.name.lowercased().hasPrefix(name.dropLast(2))
        }
    }
}
