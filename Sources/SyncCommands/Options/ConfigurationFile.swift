import PGMigrations
import PGStore
import Postgres
import StrictJSON
import WireFormats

/// A file with values for a command's options: `{"port": 8080, "log-requests": true}`. Each member has the name of its
/// option. A flag is true or false, and a list may be an array of texts. For an option that takes the path of a JSON
/// file, the member may be the file's contents. Options on the command line take precedence.
struct ConfigurationFile {
    private let path: String
    private let root: JSONNode

    /// The option `--config`, which takes the path of the configuration file.
    static let option = OptionSpec.value(
        "config", "FILE",
        "a JSON file that says what these options do, such as {\"port\": 8080, \"log-requests\": true}; what the "
            + "command line says comes first", kind: .file)

    /// The value of an option, as the configuration file has it.
    enum Value {
        case flag(Bool)
        case text(String)
        case document(Options.Document)
    }

    /// - Throws: `UsageError`, if the file is not a JSON object; `FileError`.
    init(_ path: String) throws {
        self.path = path
        let bytes = try Files.settings(at: path)
        do throws(JSONError) { root = try JSONDocument(parsing: bytes).root } catch {
            throw UsageError("\(path) is not strict JSON. \(error)")
        }
        guard root.members != nil else { throw UsageError("\(path) must be an object of options.") }
    }

    /// Returns the options of a command line, completed by the values in the configuration file that `--config` names.
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

    /// Converts a path that is relative to the configuration file's folder to one that is relative to the working
    /// directory.
    private func resolved(_ text: String) -> String {
        guard !text.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return text }
        return path[...slash] + text
    }
}
