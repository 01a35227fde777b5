import Foundation
import WireFormats

/// The folder of the source file that declares an app's plan, in the package of the working directory.
enum PlanFolder {
    /// Searches the Swift files below `root` for the plan's declaration, and returns the folder of that file.
    ///
    /// - Throws: `CommandError` if no file declares the plan, or several do.
    static func find(_ declaration: any SchemaMigrationPlan.Type, below root: String = "Sources") throws(CommandError)
        -> String
    {
        let name = "\(declaration)"
        var folders: [String] = []
        let files = FileManager.default.enumerator(atPath: root)
        while let file = files?.nextObject() as? String {
            guard file.hasSuffix(".swift"),
                let text = try? String(contentsOf: URL(filePath: "\(root)/\(file)"), encoding: .utf8),
                text.declares(name)
            else { continue }
            folders.append("\(root)/\(file)".split(separator: "/").dropLast().joined(separator: "/"))
        }
        let prefix = root.hasPrefix("/") ? "/" : ""
        if folders.count == 1 { return prefix + folders[0] }
        throw CommandError(
            folders.isEmpty
                ? "No file below ‘\(root)’ declares \(name). Run this from your package's folder, or name the folder "
                    + "of the app's versions with ‘--directory’."
                : "\(name) is declared in \(folders.sorted().joined(separator: " and ")). Name one with ‘--directory’.")
    }
}
