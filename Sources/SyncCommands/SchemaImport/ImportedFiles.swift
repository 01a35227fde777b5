import Foundation
import SchemaImport

/// Writes the files that an import generates: all or none, and never over existing files.
struct ImportedFiles {
    let directory: String

    /// Writes the new files, and the plan's file with the added versions.
    ///
    /// - Parameter plan: the name of the plan's file and its new text; `nil` if the plan is among the new files.
    /// - Throws: `CommandError` if a file exists already, or cannot be written.
    func write(_ files: [ImportResult.File], plan: (name: String, text: String)? = nil) throws(CommandError) {
        let existing = files.map { "\(directory)/\($0.name)" }.filter { FileManager.default.fileExists(atPath: $0) }
        guard existing.isEmpty else {
            throw CommandError(
                "\(existing.joined(separator: ", ")) is there already, and nothing was written. Build the program with "
                    + "the plan, and import adds what is new, or with ‘--anew’ writes all of it once more.")
        }
        var written: [URL] = []
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            for file in files {
                let url = URL(filePath: "\(directory)/\(file.name)")
                try Data(file.text.utf8).write(to: url, options: .withoutOverwriting)
                written.append(url)
            }
            if let plan {
                try Data(plan.text.utf8).write(to: URL(filePath: "\(directory)/\(plan.name)"), options: .atomic)
            }
        } catch {
            for url in written { try? FileManager.default.removeItem(at: url) }
            throw CommandError("\(directory) cannot be written to: \(error.localizedDescription). Nothing was written.")
        }
    }

    /// Finds a version's file that was imported from a tag or a commit, not from the current sources. Returns the
    /// file's name and the location in that commit, `v1.0:Models/Trip.swift:12`; `nil` if there is none.
    func olderState(of namespace: String) -> (file: String, location: String)? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for name in names.sorted() where name.hasPrefix("\(namespace)+") && name.hasSuffix(".swift") {
            guard let text = try? String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8),
                // A long line of the comment is wrapped.
                let found = text.replacing(#/\s+///\s/#, with: " ").firstMatch(
                    of: /, imported from (?:`[^`]*`, )?([^:\n]+:[^:\n]+:[0-9]+)\./)
            else { continue }
            return (name, String(found.1))
        }
        return nil
    }

    /// Replaces the files that an earlier import wrote by new ones: the files of the namespace's versions, and the
    /// plan's file.
    ///
    /// - Throws: `CommandError` if they cannot be written. Each single file then has either its old or its new content.
    func replace(by files: [ImportResult.File], of namespace: String) throws(CommandError) {
        let manager = FileManager.default
        do {
            for file in files {
                try Data(file.text.utf8).write(to: URL(filePath: "\(directory)/\(file.name)"), options: .atomic)
            }
            // Files of versions that no longer exist.
            let kept = Set(files.map(\.name))
            for name in try manager.contentsOfDirectory(atPath: directory)
            where name.hasPrefix("\(namespace)+") && name.hasSuffix(".swift") && !kept.contains(name) {
                let path = "\(directory)/\(name)"
                guard try String(contentsOfFile: path, encoding: .utf8).contains(": VersionedSchema {") else {
                    continue
                }
                try manager.removeItem(atPath: path)
            }
        } catch {
            throw CommandError(
                "\(directory) cannot be written to: \(error.localizedDescription). The same command goes on.")
        }
    }

    /// Returns the name and the new text of the plan's file, with the added versions and stages appended to the plan's
    /// lists.
    ///
    /// - Throws: `CommandError` if no file declares the plan, or its lists do not have the form that `PlanSource`
    ///   requires.
    func extended(
        _ name: String, by additions: [ImportResult.Addition]
    ) throws(CommandError) -> (name: String, text: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for file in names.sorted() where file.hasSuffix(".swift") {
            guard let text = try? String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8),
                text.declares(name)
            else { continue }
            var source = PlanSource(text)
            do throws(PlanSource.Refusal) {
                for addition in additions {
                    try source.append(
                        "\(addition.type).self", after: "\(addition.previous).self", toListNamed: "schemas")
                    try source.append(block: addition.stage, toListNamed: "stages")
                }
            } catch {
                throw CommandError("\(file): \(error.reason). Nothing was written.")
            }
            return (file, source.text)
        }
        throw CommandError("No file in \(directory) declares \(name). Name the folder: --directory PATH")
    }
}
