internal import Foundation
package import SourceFacts
internal import SwiftParser
internal import SwiftSyntax

package import struct SourceFacts.SourceLocation

/// Reads a file, or a text, in this process. A hostile text may end the process or take forever, because the parser's
/// recursion has few bounds. See ``ReadingProcess``.
package enum SourceReader {
    /// The size limit of a file, in bytes. A model takes a few kilobytes; files of this size are generated, or are no
    /// Swift.
    package static let fileSizeMaxBytes = 8 << 20

    /// Returns the declarations of a file. A file that cannot be read becomes a problem, and is not among the files.
    package static func facts(of file: SourceFile) -> SourceFacts {
        LargeStack { read(file, errors: .located) }.wait()
    }

    static func read(_ file: SourceFile, errors: SyntaxProblems.Detail) -> SourceFacts {
        func unread(_ message: String) -> SourceFacts {
            let location = SourceLocation(file: file.name, line: 0)
            return SourceFacts(problems: [SourceFacts.Problem(location: location, message: message)])
        }
        let content: Data
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file.path))
            content = try handle.read(upToCount: fileSizeMaxBytes + 1) ?? Data()
            try handle.close()
        } catch {
            return unread("The file cannot be read: \(error.localizedDescription)")
        }
        guard content.count <= fileSizeMaxBytes else {
            return unread(
                "The file is larger than \(fileSizeMaxBytes >> 20) MiB: move the models into one of their own.")
        }
        guard let text = String(validating: content, as: UTF8.self) else {
            return unread("The file is not UTF-8: save it in that encoding.")
        }
        return DocumentKind(file.path) == nil
            ? parsed(text: text, name: file.name, errors: errors) : DocumentReader.facts(text: text, name: file.name)
    }

    /// Returns the declarations of a text. Its problems have `name` as their file.
    package static func facts(
        text: String, name: String, errors: SyntaxProblems.Detail = .located
    ) -> SourceFacts {
        LargeStack { parsed(text: text, name: name, errors: errors) }.wait()
    }

    private static func parsed(text: String, name: String, errors: SyntaxProblems.Detail) -> SourceFacts {
        let source = SourceText(name: name, text: text)
        let tree = Parser.parse(source: source.text)
        guard !SyntaxProblems.isTooDeep(tree) else {
            let location = SourceLocation(file: name, line: 0)
            let message = "The file is nested too deeply to be read: move the models into one of their own."
            return SourceFacts(problems: [SourceFacts.Problem(location: location, message: message)])
        }
        var reader = FileReader(source: source)
        let types = reader.types(in: tree.statements)
        return SourceFacts(
            files: [name], types: types,
            problems: SyntaxProblems.problems(of: tree, in: source, errors: errors) + reader.problems)
    }
}
