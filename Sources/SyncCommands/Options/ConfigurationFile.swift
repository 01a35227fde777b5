import PGMigrations
import PGStore
import Postgres
import StrictJSON
import WireFormats

/// A file with values for a command's options: `{"port": 8080, "log-requests": true}`. A member is named like its
/// option. A flag is true or false, a list may be an array of texts, and an option that names a JSON file may have the
/// file's contents in its place. Options on the command line win.
struct ConfigurationFile {
    private let path: String
    private let root: JSONNode

    /// The option that names the configuration file.
    static let option = OptionSpec.value(
        "config", "FILE",
        "a JSON file that says what these options do, such as {\"port\": 8080, \"log-requests\": true}; what the "
            + "command line says comes first", kind: .file)

    /// The value of an option in the file.
    enum Value {
        case flag(Bool)
        case text(String)
        case document(Options.Document)
    }

    /// - Throws: `UsageError`, if the file is no JSON object; `FileError`.
    init(_ path: String) throws {
        self.path = path
        let bytes = try Files.settings(at: path)
        do throws(JSONError) { root = try JSONDocument(parsing: bytes).root } catch {
            throw UsageError("\(path) is not strict JSON. \(error)")
        }
        guard root.members != nil else { throw UsageError("\(path) must be an object of options.") }
    }

    /// The options of a command line, completed by the values of the configuration file that they name.
    static func filling(_ options: Options, of spec: CommandSpec) throws -> Options {
        guard let path = options["config"] else { return options }
        return try ConfigurationFile(path).filling(options, of: spec)
    }

    private func filling(_ options: Options, of spec: CommandSpec) throws -> Options {
        var options = options
        let known = spec.options.filter { $0.name != ConfigurationFile.option.name }
        for member in root.members.map(Array.init) ?? [] {
            guard let option = known.first(where: { $0.name == member.key }) else {
                let near = NearestWord.of(member.key, among: known.map(\.name))
                let suggestion = near.map { " Did you mean ‘\($0)’?" } ?? ""
                throw UsageError(
                    "\(path): ‘\(spec.name)’ has no option ‘\(member.key)’.\(suggestion) "
                        + "Members are called as the options of ‘syncserver \(spec.name) --help’ are, without dashes.")
            }
            options.fill(option, with: try value(of: option, member.value))
        }
        return options
    }

    private func value(of option: OptionSpec, _ node: JSONNode) throws(UsageError) -> Value {
        guard let value = option.value else {
            guard let isSet = node.bool else { throw UsageError("\(path): ‘\(option.name)’ must be true or false.") }
            return .flag(isSet)
        }
        if case .file = value.kind, node.members != nil {
            return .document(.init(source: "\(path), ‘\(option.name)’", bytes: Array(node.canonicalText().utf8)))
        }
        let text = node.string ?? node.int64.map { "\($0)" } ?? node.strings?.joined(separator: ",")
        guard let text, !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            let kinds =
                value.kind == .file ? "a path, or the object that would be in the file" : "a text, a number or an array"
            throw UsageError("\(path): ‘\(option.name)’ must be \(kinds), and not empty.")
        }
        do throws(UsageError) { try value.kind.check(text, of: option) } catch { throw UsageError("\(path): \(error)") }
        return .text(value.kind.isPath ? resolved(text) : text)
    }

    /// A path relative to the file's folder, made relative to the working directory.
    private func resolved(_ text: String) -> String {
        guard !text.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return text }
        return path[...slash] + text
    }
}
