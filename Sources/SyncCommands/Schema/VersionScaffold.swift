import WireFormats

/// The source texts for the next version of an app: a new file that declares the version with all models unchanged, and
/// the plan's file with the version and a lightweight migration stage added. Only generates the texts, and writes no
/// file.
struct VersionScaffold {
    let version: Schema.Version
    /// The name of the new file, such as `SchemaV12.swift`.
    let fileName: String
    let fileText: String
    let planName: String
    let planText: String

    /// - Parameters:
    ///   - files: the contents of the app's Swift files, by file name.
    ///   - version: the number of the new version; `nil` for the number after the newest version's.
    /// - Throws: `CommandError`, if the files do not have the expected form. The error's text gives the lines that the
    ///   user must write by hand.
    init(
        _ declaration: any SchemaMigrationPlan.Type, files: [String: String], version: Schema.Version? = nil
    ) throws(CommandError) {
        guard let last = declaration.schemas.last else {
            throw CommandError("The plan of ‘\(declaration.app)’ lists no version yet. Write the first by hand.")
        }
        let before = VersionTypeName(last)
        let number = version ?? last.versionIdentifier.next
        guard number > last.versionIdentifier else {
            throw CommandError("\(number) must be later than \(last.versionIdentifier), the newest version.")
        }
        let type = before.next(from: last.versionIdentifier, to: number)
        let stage = "‘.lightweight(fromVersion: \(before.path).self, toVersion: \(type.path).self),’"
        let byHand =
            "By hand: a file that declares ‘\(type.path)’ with ‘Inherits(\(before.name).self)’; "
            + "‘\(type.path).self,’ at the end of ‘schemas’ in \(declaration); and \(stage) at the end of its ‘stages’."

        guard let older = files.first(where: { $0.value.declares(before.name) }), older.key.contains(before.name) else {
            throw CommandError("No file here is named for \(before.name) and declares it. \(byHand)")
        }
        guard let plan = files.first(where: { $0.value.declares("\(declaration)") }) else {
            throw CommandError("No file here declares \(declaration). \(byHand)")
        }
        let fileName = older.key.replacing(before.name, with: type.name)
        guard files[fileName] == nil, !files.values.contains(where: { $0.declares(type.name) }) else {
            throw CommandError("\(type.name) is there already; nothing was changed. If the plan lacks it: \(byHand)")
        }
        var source = PlanSource(plan.value)
        do {
            try source.append("\(type.path).self", after: "\(before.path).self", toListNamed: "schemas")
            try source.append(
                ".lightweight(fromVersion: \(before.path).self, toVersion: \(type.path).self)",
                toListNamed: "stages")
        } catch {
            throw CommandError("\(plan.key): \(error.reason). Nothing was changed. \(byHand)")
        }
        self.version = number
        self.fileName = fileName
        planName = plan.key
        planText = source.text
        fileText = Self.text(of: type, after: before, number, last, isPublic: older.value.contains("public enum"))
    }

    private static func text(
        of type: VersionTypeName, after before: VersionTypeName, _ version: Schema.Version,
        _ last: any VersionedSchema.Type,
        isPublic: Bool
    ) -> String {
        let access = isPublic ? "public " : ""
        let number = "\(version.major), \(version.minor), \(version.patch)"
        let declaration = """
            /// Changes nothing yet. Say here, in a sentence, what it is for.
            \(access)enum \(type.name): VersionedSchema {
                \(access)static let versionIdentifier = Schema.Version(\(number))
                \(access)static let models = Models {
                    Inherits(\(before.name).self)
                    // Only what changes is said here; the rest stays as it was. For example:
                    //
            \(example(last).map { "        // \($0)" }.joined(separator: "\n"))
                }
            }
            """
        guard let namespace = type.namespace else { return "\(access)import WireFormats\n\n\(declaration)\n" }
        let indented = declaration.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        return "\(access)import WireFormats\n\nextension \(namespace) {\n\(indented)\n}\n"
    }

    /// Returns an example that changes an existing model. It is a comment, and compiles as soon as the slashes are
    /// removed.
    private static func example(_ last: any VersionedSchema.Type) -> [String] {
        let entity = Schema.resolved(last).entities.first { $0.scope == .synced && !$0.attributes.isEmpty }
        guard let entity else {
            return [
                "Model(\"Item\") {", "    Identity(\"id\")", "    Attribute(\"name\", .string, default: \"\")", "}",
            ]
        }
        let known = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
        let fresh = ["remark", "anotherRemark"].first { !known.contains($0) } ?? "aNewAttribute"
        var lines = ["Model(\"\(entity.name)\") {", "    Attribute(\"\(fresh)\", .string.optional)"]
        if let last = entity.attributes.last(where: { $0.scope == .synced }) {
            lines.append("    Removed(\"\(last.name)\")")
        }
        return lines + ["}"]
    }
}

extension String {
    /// Returns true if a line of this source text declares an enumeration with the name `name`.
    func declares(_ name: String) -> Bool {
        split(separator: "\n").contains { line in
            let words = line.split { $0 == " " || $0 == ":" || $0 == "{" }
            return words.firstIndex(of: "enum").map { words.dropFirst($0 + 1).first == name[...] } ?? false
        }
    }
}
