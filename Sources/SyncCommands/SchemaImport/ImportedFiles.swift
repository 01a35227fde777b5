import Foundation
import SchemaImport

/// Writes what an import made, all of it or nothing, and never over what is there.
struct ImportedFiles {
    let directory: String

    /// The new files, and a plan that gets longer.
    ///
    /// - Parameter plan: its file's name and its new text; `nil` where it is among the new files.
    /// - Throws: `CommandError` where one is there already, or cannot be written.
    func write(_ files: [ImportResult.File], plan: (name: String, text: String)? = nil) throws(CommandError) {
        let existing = files.map { "\(directory)/\($0.name)" }.filter { FileManager.default.fileExists(atPath: $0) }
        guard existing.isEmpty else {
            throw CommandError(
                "\(existing.joined(separator: ", ")) is there already, and nothing was written. Build the program with "
                    + "the plan, and import adds what is new; or remove the files to begin anew.")
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

    /// The plan's file with what is to be appended.
    ///
    /// - Throws: `CommandError` where no file declares it, or its lists look otherwise.
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
