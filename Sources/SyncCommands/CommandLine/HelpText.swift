import PGMigrations

/// The output of `--help`, at most 100 columns wide.
struct HelpText {
    let path: CommandPath

    private var command: CommandSpec { path.command }

    /// Returns the usage line of a command: `syncserver migrate new [OPTION…] LINE NAME`.
    static func usage(of path: CommandPath) -> String {
        let command = path.command
        var parts = [path.words]
        if !command.subcommands.isEmpty { return (parts + ["COMMAND"]).joined(separator: " ") }
        parts += command.options.filter(\.mustBeStated).map { option in
            let once = option.word + option.valueUsage
            return option.isRepeated ? "\(once) [\(once)…]" : once
        }
        if command.options.contains(where: { !$0.mustBeStated }) { parts.append("[OPTION…]") }
        return (parts + command.arguments.map(\.usage)).joined(separator: " ")
    }

    var text: String {
        var blocks = ["Usage: \(HelpText.usage(of: path))".wrapped(), "\(command.summary).".wrapped(indent: 0)]
        blocks += command.details.map { $0.wrapped(indent: 0) }
        let rows = [
            ("Commands:", command.subcommands.map { ($0.name, $0.summary) }),
            ("Arguments:", command.arguments.map { ($0.name, $0.help) }),
            ("Options:", command.allOptions.map { ($0.word + $0.valueUsage, $0.helpWithStandard) }),
        ]
        blocks += rows.filter { !$0.1.isEmpty }.map { title, rows in
            ([title] + HelpText.table(rows)).joined(separator: "\n")
        }
        if !command.subcommands.isEmpty { blocks.append("‘\(path.words) COMMAND --help’ says more about one of them.") }
        return blocks.joined(separator: "\n\n")
    }

    /// The largest width in columns of a label (such as an option) whose description begins on the same line. After a
    /// wider label, the description begins on the next line.
    private static let labelWidthMax = 24

    private static func table(_ rows: [(label: String, text: String)]) -> [String] {
        let labels = rows.map(\.label.count).filter { $0 <= labelWidthMax }
        let width = (labels.max() ?? labelWidthMax) + 2
        return rows.flatMap { label, text in
            if label.count <= labelWidthMax { return ["  \(label.padded(to: width))\(text)".wrapped(indent: width)] }
            return ["  \(label)", (String(repeating: " ", count: width + 2) + text).wrapped(indent: 0)]
        }
    }
}
