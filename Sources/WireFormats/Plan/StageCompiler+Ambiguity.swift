extension StageCompiler {
    /// Reports a removed entity or attribute that looks like an added one. The author must then declare the renaming by
    /// `originalName`, or state by `Distinct` that there is no renaming.
    mutating func checkAmbiguity(_ matches: [(Schema.Entity?, Schema.Entity?)]) {
        let gone = matches.filter { $0.1 == nil }.compactMap(\.0)
        let come = matches.filter { $0.0 == nil }.compactMap(\.1)
        useDistinct(come: come.map(\.name), gone: gone.map(\.name))
        for new in come {
            for old in gone where Similarity.ofEntities(old, new) && !isDistinct(new.name, old.name) {
                report(
                    .ambiguous, "\(old.name) and \(new.name)", "one is removed, the other added, and they look alike",
                    "Write `Model(\"\(new.name)\", originalName: \"\(old.name)\")` for a renaming, or "
                        + "`Distinct(\"\(new.name)\", from: \"\(old.name)\")` in \(instructionsPlace).")
            }
        }
        for (before, after) in matches {
            guard let before, let after else { continue }
            checkAmbiguity(before, after)
        }
    }

    private mutating func checkAmbiguity(_ before: Schema.Entity, _ after: Schema.Entity) {
        let renamed = Set(after.fields.compactMap(\.originalName))
        let kept = renamed.union(after.fields.filter { $0.originalName == nil }.map(\.name))
        let known = Set(before.fields.map(\.name))
        let joined = instructions.flatMap { instruction -> [String] in
            guard case .convert(let joint) = instruction, joint.entity == before.name else { return [] }
            return joint.older + joint.newer
        }
        let gone = before.fields.filter { !kept.contains($0.name) && !joined.contains($0.name) }
        let come = after.fields.filter { !known.contains($0.originalName ?? $0.name) && !joined.contains($0.name) }
        useDistinct(come: come.map { "\(after.name).\($0.name)" }, gone: gone.map { "\(before.name).\($0.name)" })
        for new in come {
            for old in gone where Similarity.ofAttributes(old, in: before, new, in: after) {
                let (newPath, oldPath) = ("\(after.name).\(new.name)", "\(before.name).\(old.name)")
                if isDistinct(newPath, oldPath) { continue }
                report(
                    .ambiguous, "\(oldPath) and \(newPath)", "one is removed, the other added, and they look alike",
                    "Declare ‘\(new.name)’ with `originalName: \"\(old.name)\"` for a renaming, or write "
                        + "`Distinct(\"\(newPath)\", from: \"\(oldPath)\")` in \(instructionsPlace).")
            }
        }
    }

    private func isDistinct(_ newer: String, _ older: String) -> Bool {
        instructions.contains { instruction in
            guard case .distinct(newer, let from) = instruction else { return false }
            return from == older
        }
    }

    /// Marks a `Distinct` statement as used if the newer name in it was added and the older name was removed. It counts
    /// as used even if the names look so different that it was not needed.
    private mutating func useDistinct(come: [String], gone: [String]) {
        for (index, instruction) in instructions.enumerated() {
            if case .distinct(let newer, let older) = instruction, come.contains(newer), gone.contains(older) {
                used.insert(index)
            }
        }
    }
}
