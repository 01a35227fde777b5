import PGMigrations

/// The manual page for man(1): all help texts on one page.
struct ManualPage {
    private let program: CommandPath

    init(_ program: CommandPath) {
        self.program = program
    }

    var text: String {
        let name = program.command.name
        var lines = [
            ".TH \(name.uppercased()) 1 \(ProgramRelease.date) \"\(name) \(ProgramRelease.version)\" \"User Commands\"",
            ".SH NAME", "\(ManualPage.escaped(name)) \\- \(ManualPage.escaped(program.command.summary))",
            ".SH SYNOPSIS", ".B \(name)", ".I COMMAND", "[\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]",
            ".SH COMMANDS",
        ]
        for path in program.tree where path.command.run != nil { lines += section(path) }
        lines.append(".SH EXIT STATUS")
        for (status, meaning) in ManualPage.exitStatuses { lines += ManualPage.item("\\fB\(status)\\fR", meaning) }
        lines.append(".SH ENVIRONMENT")
        lines += environment
        lines += [".SH SEE ALSO", ".BR psql (1)"]
        return lines.joined(separator: "\n")
    }

    private static let exitStatuses = [
        ("0", "It is done, or what was checked is in order."),
        ("1", "It could not be done, or what was checked is not in order."),
        ("2", "The command line was not understood."),
        ("3", "Migrations: only steps are left that must wait."),
    ]

    private func section(_ path: CommandPath) -> [String] {
        let command = path.command
        let paragraphs = ([command.summary + "."] + command.details).map(ManualPage.paragraph)
        let arguments = command.arguments.flatMap { argument in
            ManualPage.item("\\fI\(ManualPage.escaped(argument.name))\\fR", argument.help)
        }
        let options = command.options.flatMap { option in
            let word = "\\fB\(ManualPage.escaped(option.word))\\fR"
            let value = option.value.map { value in
                let name = "\\fI\(ManualPage.escaped(value.name))\\fR"
                return value.isOptional ? " [\(name)]" : " \(name)"
            }
            return ManualPage.item(word + (value ?? ""), option.helpWithStandard)
        }
        return [".SS \(ManualPage.escaped(HelpText.usage(of: path)))"]
            + paragraphs.flatMap { [".PP", $0] }.dropFirst() + arguments + options
    }

    /// The manual page's section on environment variables, as lines. Each variable is listed with the options that read
    /// it.
    private var environment: [String] {
        var words: [String: Set<String>] = [:]
        for option in program.tree.flatMap(\.command.options) {
            if let variable = option.variable { words[variable, default: []].insert(option.word) }
        }
        return words.sorted { $0.key < $1.key }.flatMap { variable, options in
            ManualPage.item(
                "\\fB\(ManualPage.escaped(variable))\\fR",
                "What \(options.sorted().joined(separator: " and ")) names, where it is not given.")
        }
    }

    private static func item(_ title: String, _ text: String) -> [String] {
        [".TP", title, paragraph(text)]
    }

    /// Returns a paragraph in the source form that mandoc(1) recommends: short lines, and each sentence on a new line.
    private static func paragraph(_ text: String) -> String {
        text.replacing(". ", with: ".\n").split(separator: "\n").flatMap { sentence in
            escaped(String(sentence)).broken(at: columnsMax)
        }.map { line in
            // A line that begins with this character would be a request.
            line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
        }.joined(separator: "\n")
    }

    private static let columnsMax = 78

    /// Returns the text in which all characters are escaped that roff(7) would interpret or print differently:
    /// backslashes, dashes that users type, and characters that are not ASCII.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "‘": "\\(oq"
            case "’": "\\(cq"
            case "…": "..."
            case _ where scalar.isASCII: String(scalar)
            default: "\\[u" + ManualPage.hexadecimal(scalar.value) + "]"
            }
        }.joined()
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
