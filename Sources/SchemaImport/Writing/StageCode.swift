import WireFormats

/// The Swift code of one stage (the step between two versions) of a plan.
struct StageCode: Sendable {
    /// The code of the stage for the plan's list of stages: one or several indented lines, without a comma at the end.
    let text: String
    /// The questions about the change from the older to the newer version. They are answered in the stage or in the
    /// newer version's file.
    let questions: [Question]
    /// The removals stated by the user that were applied.
    let met: Set<Renaming>

    /// Creates the code of the stage between two versions.
    ///
    /// - Parameters:
    ///   - custom: the stages of the app's own plan between the two versions; several if they depend on an `#if`.
    ///   - removals: the removals stated by the user.
    init(
        from older: (type: String, draft: DraftSchema?, schema: Schema), to newer: (type: String, draft: DraftSchema),
        custom: [AppStageReader.Stage], removals: [Renaming]
    ) {
        let next = newer.draft
        let before = older.schema.pairingInverses().schema
        let problems = before.problems(inStageTo: next.completed)
        let possible = PossibleRenaming.all(from: before, to: next.completed, problems)
        func isRemoved(_ renaming: PossibleRenaming) -> Bool { removals.contains { $0.says(renaming) } }
        met = Set(removals.filter { possible.contains(where: $0.says) })
        let renamings = possible.filter { !isRemoved($0) }
        let asked = problems.filter { problem in !possible.contains { $0.covers(problem) } }.map {
            $0.question(about: next, and: older.draft).withConversion(from: before, to: next.completed)
        }
        var instructions = asked.filter { $0.member != nil && $0.isConversion }
        instructions += renamings.filter(\.isWritten).map { $0.question(about: next) }
        if let first = custom.first(where: { !$0.onlySaves && !$0.closures.isEmpty }) {
            let conditions = custom.compactMap(\.condition).map { "‘#if \($0)’" }
            var question = Question(
                .stage, at: first.location,
                (first.mapping.map { "the app's own mapping to \(next.version) runs \($0)" }
                    ?? "the app's own stage to \(next.version) runs code, which the plan's file shows")
                    + (conditions.isEmpty ? "" : ", under \(conditions.joined(separator: " and ")) only")
                    + ": what of it concerns the data?",
                choices: [
                    instructions.isEmpty && renamings.isEmpty
                        ? .init(
                            ".lightweight(fromVersion: \(older.type).self, toVersion: \(newer.type).self) instead of "
                                + "this stage", "nothing: the two schemas say it all")
                        : .init("remove this", "nothing: the two schemas say it all"),
                    .init("Convert(\"Model.attribute\", using: …)", "a value in two forms, in both directions"),
                    .init("Substitute(\"Model.attribute\", …)", "what older versions read for something removed"),
                ])
            question.version = next.version
            instructions.append(question)
        }
        questions =
            renamings.filter { !$0.isWritten }.map { $0.question(about: next) }
            + asked.filter { !$0.isConversion } + instructions
        let distinct = possible.filter(isRemoved).flatMap(\.distinct)
        var lines: [String] = []
        for stage in custom {
            let condition = stage.condition.map { ", under ‘#if \($0)’" } ?? ""
            lines += Code.comment("The app's own stage, \(stage.location)\(condition):", 8)
            for closure in stage.closures { lines += Code.comment("\(closure.label): \(closure.text.dedented)", 8) }
        }
        let versions: [Code] = [
            .text("fromVersion: \(older.type).self"), .text("toVersion: \(newer.type).self"),
        ]
        if instructions.isEmpty, distinct.isEmpty {
            lines += Code.call(".lightweight", versions).lines(8)
        } else {
            lines += Code.call(".custom", versions).lines(8, end: " {")
            lines += distinct.map { "            \($0)" }
            for question in instructions { lines += VersionFile.questionLines(question, 12) }
            lines.append("        }")
        }
        text = lines.joined(separator: "\n")
    }
}

extension Question {
    /// True if the question is about converting values between two versions. It is then asked in the stage, and not in
    /// a version's file.
    var isConversion: Bool { code == .stage }

    /// Returns the question with code for the conversion between two types, if the conversion is obvious in both
    /// directions. Otherwise returns the question unchanged.
    fileprivate func withConversion(from before: Schema, to next: Schema) -> Question {
        guard let entity = entity.flatMap({ next.entity($0) }), let member, let first = choices.first,
            first.statement.hasPrefix("Convert("), first.statement.hasSuffix("using: …)"),
            let now = entity.attribute(member),
            let was = before.entity(entity.originalName ?? entity.name)?.attribute(now.originalName ?? member),
            let code = ConversionCode(of: member, in: entity.name, from: was.type, to: now.type)
        else { return self }
        var question = self
        question.choices[0] = Question.Choice(
            "\(first.statement.dropLast(2))\(code.name)())",
            "each version keeps what it wrote, and reads what the others did like this:", needs: code.lines)
        return question
    }
}

extension PlanProblem {
    /// Returns the problem as a question, at the location of the property that it concerns. The problem's subject names
    /// the property and the versions: `Trip.name, 1.0.0 → 1.1.0`.
    func question(about newer: DraftSchema, and older: DraftSchema?) -> Question {
        let subject = subject.split(separator: ",").first.map(String.init) ?? subject
        let paths = subject.components(" and ").map { $0.split(separator: ".").map(String.init) }
        // Of two names, the newer one comes last.
        let path = paths.last ?? []
        let entity = path.first.flatMap { name in newer.entities.first { $0.name == name } }
        let before = path.first.flatMap { name in older?.entities.first { $0.name == name } }
        let member = path.count > 1 ? path[1] : nil
        let found = entity ?? before
        let location = member.flatMap { found?.location(of: $0) } ?? found?.location ?? newer.location
        var choices = [Question.Choice(code == .needsConversion ? conversion : remedy, "")]
        if code == .missingDefault,
            let attribute = found?.attributes.first(where: { $0.value.name == member })?.value
        {
            choices = attribute.answers(
                isStated: false, json: found?.examples[attribute.name],
                isURL: found?.urls.contains(attribute.name) ?? false)
            choices.append(.init("originalName: \"…\" at the property", "it is an older one, renamed"))
        }
        var question = Question(
            code == .needsConversion ? .stage : .plan, entity: path.first, member: member, at: location,
            (paths.count > 1 ? "\(subject): " : "") + "\(message) [\(code.rawValue)]", choices: choices)
        question.version = newer.version
        return question
    }

    /// The `Convert` statement that the problem's remedy proposes. If it proposes none, the whole remedy.
    private var conversion: String {
        let parts = remedy.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        return parts.first { $0.hasPrefix("Convert(") } ?? remedy
    }
}

extension String {
    /// Returns the parts of the text between occurrences of `separator`.
    func components(_ separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}

extension String {
    /// The text without the indentation that all its lines except the first share.
    fileprivate var dedented: String {
        let lines = components("\n")
        let rest = lines.dropFirst().filter { !$0.allSatisfy { $0 == " " } }
        let indentation = rest.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return ([lines.first ?? ""] + lines.dropFirst().map { String($0.dropFirst(indentation)) }).joined(
            separator: "\n")
    }
}
