import SourceFacts
import WireFormats

extension DraftSchema {
    /// Returns questions about models and properties that have come back: they are in this version and in an older one,
    /// but not in the previous one. Without an answer, a plan would treat them as new, and would not show the values
    /// that the older version wrote.
    ///
    /// - Parameter versions: all versions before this one, oldest first.
    func questionsOfReturned(after versions: [Schema]) -> [Question] {
        guard let before = versions.last else { return [] }
        return entities.flatMap { entity -> [Question] in
            let value = entity.value
            guard let was = before.entity(value.originalName ?? value.name) else {
                guard value.originalName == nil, let index = versions.lastIndex(where: { $0.entity(value.name) != nil })
                else { return [] }
                return [asked(of: nil, in: entity, versions[index].version, gone: versions[index + 1].version)]
            }
            let known = Set(was.attributes.map(\.name) + was.relationships.map(\.name))
            return value.fields.filter { $0.originalName == nil && !known.contains($0.name) }.compactMap { field in
                DraftSchema.latest(with: field.name, of: was, in: versions).map { index in
                    asked(of: field.name, in: entity, versions[index].version, gone: versions[index + 1].version)
                }
            }
        }
    }

    /// Returns the index of the latest version before the last one in which the model `entity` has the property
    /// `member`; `nil` if there is none. `entity` is the model in the last version. In older versions, its earlier
    /// names are used.
    private static func latest(with member: String, of entity: Schema.Entity, in versions: [Schema]) -> Int? {
        var name = entity.originalName ?? entity.name
        for index in versions.indices.dropLast().reversed() {
            guard let older = versions[index].entity(name) else { return nil }
            if older.fields.contains(where: { $0.name == member }) { return index }
            name = older.originalName ?? older.name
        }
        return nil
    }

    private func asked(
        of member: String?, in entity: DraftEntity, _ older: Schema.Version, gone: Schema.Version
    ) -> Question {
        let name = member ?? entity.name
        let removal = member == nil ? "RemovedModel(\"\(name)\")" : "Removed(\"\(name)\")"
        var question = Question(
            .returned, entity: entity.name, member: member,
            at: member.map(entity.location) ?? entity.location,
            "‘\(name)’ was in \(older), is gone in \(gone), and is here again: is it the same?",
            choices: [
                Question.Choice(
                    "remove this, and ‘\(removal)’ in \(gone)",
                    "it is: \(older)'s values are read here, and the versions between carry them along"),
                member == nil
                    ? Question.Choice(
                        "Model(\"\(name)2\")",
                        "it is not: a name that \(older) reads means one thing to all versions, "
                            + "so the class needs another one, too")
                    : Question.Choice("remove this", "it is not: nothing here shows what \(older) wrote"),
            ])
        question.version = version
        return question
    }
}
