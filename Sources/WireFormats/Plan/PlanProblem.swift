/// One mistake in a plan: the faulty part, a description, and the text to write instead.
package struct PlanProblem: Error, Hashable, Sendable {
    /// The kind of mistake. It never changes, so tests and tools can rely on it.
    package let code: Code
    /// The place of the mistake: the entity or attribute, and its version or versions.
    package let subject: String
    package let message: String
    /// The text that the author should write instead.
    package let remedy: String

    /// The kind of a mistake, one case for each rule of the check.
    package enum Code: String, Sendable {
        case badAppName = "bad-app-name"
        case noVersions = "no-versions"
        case versionOrder = "version-order"
        case missingStage = "missing-stage"
        case wrongStage = "wrong-stage"
        case wrongKind = "wrong-kind"
        case duplicate
        case unknownName = "unknown-name"
        case badDefault = "bad-default"
        case badUnique = "bad-unique"
        case badMerge = "bad-merge"
        case missingDefault = "missing-default"
        case unknownTarget = "unknown-target"
        case unknownInverse = "unknown-inverse"
        case ambiguous
        case needsConversion = "needs-conversion"
        case badConversion = "bad-conversion"
        case unusedInstruction = "unused-instruction"
        case retargeted
        case reusedName = "reused-name"
        case unknownBaseline = "unknown-baseline"
        case changedMultiplicity = "changed-multiplicity"
        case changedIdentity = "changed-identity"
        case unknownCanonical = "unknown-canonical"
        case variantNumber = "variant-number"
        case variantAge = "variant-age"
        case sameFingerprint = "same-fingerprint"
        case undecided
    }
}

extension PlanProblem: CustomStringConvertible {
    package var description: String { "\(subject): \(message). \(remedy) [\(code.rawValue)]" }
}

extension PlanProblem {
    static func unknownName(_ name: String, in candidates: [String], version: Schema.Version) -> PlanProblem {
        PlanProblem(
            code: .unknownName, subject: "\(name), \(version)",
            message: "there is nothing of that name to amend or rename",
            remedy: candidates.isEmpty
                ? "There is nothing before it that could be amended or renamed: leave it out."
                : "Write one of \(candidates.joined(separator: ", ")).")
    }

    static func duplicate(_ what: String, version: Schema.Version) -> PlanProblem {
        PlanProblem(
            code: .duplicate, subject: "\(what), \(version)", message: "it is declared twice",
            remedy: "Keep one declaration.")
    }
}

/// All mistakes in a plan together.
package struct PlanError: Error, CustomStringConvertible {
    package let app: String
    package let problems: [PlanProblem]

    package var description: String {
        "The plan of ‘\(app)’ has \(problems.count) problem\(problems.count == 1 ? "" : "s"):\n"
            + problems.map { "  - \($0)" }.joined(separator: "\n")
    }
}
