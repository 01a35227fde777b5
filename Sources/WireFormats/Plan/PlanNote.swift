/// A remark on a plan for its author about something that is not a mistake, but may lead to one.
package struct PlanNote: Hashable, Sendable, CustomStringConvertible {
    /// The entity or attribute that the note is about, and the version.
    package let subject: String
    package let message: String

    package var description: String { "\(subject): \(message)" }
}

extension Plan {
    /// Returns the remarks on one version for the plan's author.
    ///
    /// - Parameter version: an index in `schemas`.
    package func notes(on version: Int) -> [PlanNote] {
        repeatedReferences(in: version) + removals(with: version)
    }

    /// Returns a note on each required attribute without a default that the version removes without a `Substitute`. In
    /// new records, older versions then read the type's zero, such as `0`, which the author may not have considered.
    private func removals(with version: Int) -> [PlanNote] {
        guard version > 0 else { return [] }
        return stages[version - 1].entities.flatMap { step in
            step.operations.compactMap { operation in
                guard let removed = operation as? RemoveAttribute, removed.substitute == nil,
                    removed.attribute.default == nil, !removed.attribute.type.isOptional, let entity = step.older
                else { return nil }
                let name = "\(entity).\(removed.attribute.name)"
                return PlanNote(
                    subject: "\(name), \(schemas[version].version)",
                    message: "it is gone, and older versions require it: in records that newer versions create they "
                        + "read \(removed.attribute.type.kind.zero.brief). If that is wrong for them, say in the stage "
                        + "what they are to read: ‘Substitute(\"\(name)\", …)’.")
            }
        }
    }

    private func repeatedReferences(in version: Int) -> [PlanNote] {
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
    /// The to-one relationship that the attribute seems to repeat as a plain id, such as `userProfile` for an attribute
    /// `userID` of the same entity; `nil` if there is none.
    fileprivate func relationshipRepeated(by attribute: Schema.Attribute) -> Schema.Relationship? {
        guard attribute.scope == .synced, [.string, .uuid].contains(attribute.type.kind) else { return nil }
        let name = attribute.name.lowercased()
        guard name.hasSuffix("id"), name.count > 4 else { return nil }
        return relationships.first {
            $0.cardinality == .toOne && $0.name.lowercased().hasPrefix(name.dropLast(2))
        }
    }
}
