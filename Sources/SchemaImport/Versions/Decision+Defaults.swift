import WireFormats

extension Decision {
    /// What to say instead of asking for a default that no record needs; `nil` where one does, and for other questions.
    ///
    /// A device states every attribute that its model has, with the model's own initial value. So only the records
    /// that older versions made lack one, and they do of an attribute that is new in a model that is not.
    ///
    /// - Parameter previous: the version before, as it is declared; `nil` for the first.
    func defaultNote(in draft: DraftSchema, after previous: Schema?) -> String? {
        guard code == .standard, let entity, let member else { return nil }
        guard let now = draft.entities.first(where: { $0.name == entity }) else { return nil }
        if let base = previous?.entity(now.originalName ?? entity) {
            let old = now.attributes.first { $0.value.name == member }?.value.originalName ?? member
            guard base.attribute(old) != nil else { return nil }
        }
        return "\(place): \(subject): its initial value is none that a plan can state, and needs none: every device "
            + "states the value itself"
    }

    /// Whether the plan's check misses a default.
    var isMissingDefault: Bool { question.hasSuffix("[\(PlanProblem.Code.missingDefault.rawValue)]") }
}

extension Schema.Attribute {
    /// How a required attribute that is new can be declared.
    var answers: [Decision.Choice] {
        let example: String =
            switch type.kind {
            case .bool: "false"
            case .int: "0"
            case .double: "0.0"
            case .decimal: "0"
            case .string, .reference: "\"\""
            case .date: ".creation"
            case .uuid: ".newID"
            case .enumeration(_, let cases): Code.literal(cases.first ?? "")
            case .array: "[]"
            case .codable: ".json(\"{}\")"
            case .data: ""
            }
        let plain = with(default: .some(nil))
        let optional = plain.with(type: AttributeType(kind: type.kind, isOptional: true))
        let code = DeclarationCode.attribute(plain).line
        let null = Decision.Choice(
            DeclarationCode.attribute(optional).line,
            type.isOptional ? "records of older versions hold null" : "they hold null; so does the app's class, then")
        if example.isEmpty { return [null] }
        let meaning: String? =
            switch type.kind {
            case .date: "the time when each was made"
            case .uuid: "an id of its own each"
            default: nil
            }
        return [
            .init(
                String(code.dropLast()) + ", default: \(example))",
                "records of older versions hold \(meaning ?? "that, or whatever you write there")"), null,
        ]
    }
}
