import WireFormats

extension Question {
    /// Returns a note to show instead of a question about an attribute's default, if no record needs the default.
    /// Otherwise returns `nil`.
    ///
    /// Only records of older versions can lack an attribute, and only if it was added to an existing model. Devices of
    /// this version send every attribute, with the model's initial value if no other was set.
    ///
    /// - Parameter previous: the declared schema of the previous version; `nil` for the first version.
    func defaultNote(in draft: DraftSchema, after previous: Schema?) -> String? {
        guard code == .standard, let member, let now = draft.entities.first(where: { $0.name == entity }),
            !isNeeded(of: now, after: previous)
        else { return nil }
        let isKey = now.attributes.contains { $0.value.name == member && $0.value.isUnique }
        let reason = isKey ? "no default of a key" : "none that a plan can state"
        return "\(place): \(subject): its initial value is \(reason), and needs none: every device states the value "
            + "itself"
    }

    /// Returns true if there are records that lack the question's attribute and so need a default. There are if the
    /// previous version has the model without the attribute.
    func isNeeded(of now: DraftEntity, after previous: Schema?) -> Bool {
        guard let base = previous?.entity(now.originalName ?? now.name) else { return false }
        let old = now.attributes.first { $0.value.name == member }?.value.originalName ?? member
        return base.attribute(old ?? "") == nil
    }

    /// True if the question stands for a missing default that the check of the migration plan reports.
    var isMissingDefault: Bool { text.hasSuffix("[\(PlanProblem.Code.missingDefault.rawValue)]") }
}

extension DraftSchema {
    /// Returns the draft with the sources' defaults for the attributes that records of older versions lack, and without
    /// the questions that these defaults answer.
    func statingDefaults(after previous: Schema?) -> DraftSchema {
        var draft = self
        for question in questions where question.code == .standard {
            guard let answer = question.answer, let index = entities.firstIndex(where: { $0.name == question.entity }),
                let member = entities[index].attributes.firstIndex(where: { $0.value.name == question.member })
            else { continue }
            let attribute = entities[index].attributes[member].value
            let isNeeded = question.isNeeded(of: entities[index], after: previous)
            guard isNeeded else { continue }
            if attribute.default == nil {
                draft.entities[index].attributes[member].value = attribute.with(default: answer)
            }
            draft.questions.removeAll { $0 == question }
        }
        return draft
    }
}

extension Schema.Attribute {
    /// Returns the possible declarations of a new required attribute, among which the user chooses.
    ///
    /// - Parameters:
    ///   - isStated: true if the app's class has an initial value for the property.
    ///   - json: an example of JSON that the app can decode, for a `Codable` type; `nil` if none is known.
    ///   - isURL: true if the value is a text that must be a URL.
    func answers(isStated: Bool, json: String?, isURL: Bool = false) -> [Question.Choice] {
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
            case .codable: json.map { ".json(\(Code.literal($0)))" } ?? ""
            case .data: "\"\""
            }
        let plain = with(default: .some(nil))
        let optional = plain.with(type: AttributeType(kind: type.kind, isOptional: true))
        let code = DeclarationCode.attribute(plain).line
        let null = Question.Choice(
            DeclarationCode.attribute(optional).line,
            type.isOptional
                ? "records of older versions hold null"
                : isStated
                    ? "they hold null, for which the app takes its class's initial value"
                    : "they hold null; so does the app's class, then")
        // A default would give many records the same key.
        if example.isEmpty || isUnique && type.kind != .uuid { return [null] }
        if isURL {
            return [
                null,
                .init(
                    String(code.dropLast()) + ", default: \"…\")",
                    "records of older versions hold the URL that you write there"),
            ]
        }
        let meaning: String? =
            switch type.kind {
            case .date: "the time when each was made"
            case .uuid: "an id of its own each"
            case .data: "no bytes"
            default: nil
            }
        return [
            .init(
                String(code.dropLast()) + ", default: \(example))",
                "records of older versions hold \(meaning ?? "that, or whatever you write there")"), null,
        ]
    }
}
