import SourceFacts
package import WireFormats

/// A difference between an app's models and the declaration of the same version in the plan.
package struct Drift: Hashable, Sendable, CustomStringConvertible {
    /// The place of the difference in the sources: `Trip.swift:12`.
    package let place: String
    /// The model or property that differs: `Trip.notes`.
    package let subject: String
    /// The plan's version that differs from the sources; `nil` if the difference does not belong to a single version.
    package let version: Schema.Version?
    package let message: String
    /// A description of the change that removes the difference.
    package let remedy: String

    package var description: String { "\(place): \(subject): \(message)\(message.hasSuffix("?") ? "" : ".") \(remedy)" }
}

/// Compares a version of an app's sources with the declaration of the same version in the plan.
struct DriftCheck {
    private(set) var drifts: [Drift] = []
    private let draft: DraftSchema
    private let plan: Schema

    init(_ draft: DraftSchema, against plan: Schema) {
        let adopted = PlanAdoption(draft, by: plan).draft
        self.draft = adopted
        self.plan = plan
        let sources = adopted.completed
        for entity in adopted.entities { compare(entity, sources) }
        for entity in plan.entities where sources.entity(entity.name) == nil && entity.scope == .synced {
            report(
                adopted.location, entity.name, "the plan has this model, and the app has no such class",
                "Write `RemovedModel(\"\(entity.name)\")` in the next version; or `Model(…, originalName: "
                    + "\"\(entity.name)\")` where it was renamed.")
        }
        // The plan already answers if a version was shipped, in which order, and in which shape.
        let settled: [Question.Code] = [.standard, .condition, .order, .shape]
        for question in adopted.questions where question.entity != nil || !settled.contains(question.code) {
            drifts.append(
                Drift(
                    place: question.place, subject: question.subject, version: plan.version, message: question.text,
                    remedy: "In the next version: "
                        + question.choices.map { "`\($0.statement)`" }.joined(separator: "; or ")
                        + "."))
        }
    }

    private mutating func report(
        _ location: SourceLocation, _ subject: String, _ message: String, _ remedy: String
    ) {
        drifts.append(
            Drift(place: "\(location)", subject: subject, version: plan.version, message: message, remedy: remedy))
    }

    private mutating func compare(_ entity: DraftEntity, _ sources: Schema) {
        guard let decided = plan.entity(entity.name) else {
            return report(
                entity.location, entity.name, "the app has this model, and \(plan.version) of the plan has not",
                "Import the next version (‘syncserver schema import’), or write `Model(\"\(entity.name)\") { … }` "
                    + "in it; `scope: .local` where it stays on the device.")
        }
        guard decided.scope == .synced else { return }
        if entity.identity != decided.identity || entity.identityType != decided.identityType {
            report(
                entity.location, entity.name,
                "its id is \(entity.value.spelledIdentity), and the plan's \(decided.spelledIdentity)",
                entity.identity.map {
                    "Write `\(DeclarationCode.identity($0, entity.identityType).line)` in the next version."
                }
                    ?? "Give the class back its id.")
        }
        let now = sources.entity(entity.name)
        for attribute in entity.attributes { compare(attribute, of: entity, decided) }
        for attribute in decided.attributes
        where !entity.attributes.contains(where: { $0.value.name == attribute.name }) {
            guard attribute.scope == .synced else { continue }
            reportMissing(attribute.name, of: entity)
        }
        for relationship in now?.relationships ?? [] { compare(relationship, of: entity, decided) }
        for relationship in decided.relationships
        where now?.relationships.contains(where: { $0.name == relationship.name }) == false {
            guard !entity.attributes.contains(where: { $0.value.name == relationship.name }) else { continue }
            reportMissing(relationship.name, of: entity)
        }
    }

    private mutating func reportMissing(_ name: String, of entity: DraftEntity) {
        let reason = entity.passing.contains(name) ? "is not stored (‘@Transient’)" : "is not in the class"
        report(
            entity.location, "\(entity.name).\(name)", "the plan has it, and it \(reason)",
            "Write `Removed(\"\(name)\")` in the next version; or `originalName: \"\(name)\"` where it was renamed.")
    }

    private mutating func compare(
        _ attribute: DraftEntity.Attribute, of entity: DraftEntity, _ decided: Schema.Entity
    ) {
        let value = attribute.value.with(originalName: .some(nil))
        let subject = "\(entity.name).\(value.name)"
        let statement = "`Model(\"\(entity.name)\") { \(DeclarationCode.attribute(value).line) }` in the next version."
        guard let other = decided.attribute(value.name)?.with(originalName: .some(nil)) else {
            if decided.relationships.contains(where: { $0.name == value.name }) || decided.identity == value.name {
                return report(
                    attribute.location, subject, "it is an attribute, and in the plan it is not",
                    "Give it another name: a name that older versions use keeps its meaning.")
            }
            return report(
                attribute.location, subject, "it is not in the plan's \(plan.version)",
                "Write \(statement) Add `scope: .local` where it stays on the device.")
        }
        guard value != other else { return }
        report(
            attribute.location, subject,
            "it is ‘\(SchemaMember(value))’, and in the plan’s \(plan.version) "
                + "‘\(SchemaMember(other))’", "Write \(statement)")
    }

    private mutating func compare(
        _ relationship: Schema.Relationship, of entity: DraftEntity, _ decided: Schema.Entity
    ) {
        let value = relationship.with(originalName: .some(nil))
        let subject = "\(entity.name).\(value.name)"
        let location = entity.location(of: value.name)
        let statement =
            "`Model(\"\(entity.name)\") { \(DeclarationCode.relationship(value).line) }` in the next version."
        guard let other = decided.relationships.first(where: { $0.name == value.name })?.with(originalName: .some(nil))
        else {
            return report(
                location, subject, "this relationship is not in the plan's \(plan.version)", "Write \(statement)")
        }
        guard value != other else { return }
        report(
            location, subject,
            "it is ‘\(SchemaMember(value))’, and in the plan’s \(plan.version) "
                + "‘\(SchemaMember(other))’", "Write \(statement)")
    }
}

extension Schema.Entity {
    fileprivate var spelledIdentity: String {
        identity.map { "‘\($0)’" + (identityType == .uuid ? "" : ", a String") } ?? "none"
    }
}
