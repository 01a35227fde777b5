import SyncTestSupport
import Testing

@testable import SyncCommands

/// `syncserver man`
@Suite struct ManualPageTests {
    private let page = ManualPage(
        CommandPath(.program("syncserver", "A server", commands: SyncServerProgram.commands))
    ).text

    @Test func itHasEveryCommandWithItsOptions() throws {
        let program = CommandPath(.program("syncserver", "A server", commands: SyncServerProgram.commands))
        for path in program.tree where path.command.run != nil {
            let name = path.words.replacing("-", with: "\\-")
            let section = try #require(page.components(from: ".SS \(name)"), "\(path.words)")
            for option in path.command.options {
                let word = option.word.replacing("-", with: "\\-")
                #expect(section.contains(".TP\n\\fB\(word)\\fR"), "\(path.words) \(option.word)")
            }
        }
        for heading in ["NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT"] { #expect(page.contains(".SH \(heading)\n")) }
        for variable in ["DATABASE\\_URL", "PORT", "SYNC\\_MIGRATIONS"] {
            #expect(page.contains("\\fB\(variable.replacing("\\_", with: "_"))\\fR"))
        }
    }

    @Test("Each line of a manual page is a known request or plain text in ASCII")
    func itIsCleanSource() {
        let requests: Set<Substring> = [".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".I", ".BR"]
        for line in page.split(separator: "\n") {
            #expect(!line.contains { !$0.isASCII }, "\(line)")
            if line.hasPrefix(".") { #expect(requests.contains(line.prefix { $0 != " " }), "\(line)") }
            #expect(!line.hasPrefix("'") && line.last != " ", "\(line)")
            let escapes = line.matches(of: /\\(.)/).map(\.1)
            #expect(Set("-ef&([").isSuperset(of: escapes.compactMap(\.first)), "\(line)")
        }
        #expect(!page.contains("\n\n"))
    }
}

extension String {
    /// From `heading` to the next section.
    fileprivate func components(from heading: String) -> Substring? {
        guard let start = ranges(of: heading).first(where: { [" ", "\n"].contains(self[$0.upperBound]) }) else {
            return nil
        }
        let rest = self[start.upperBound...]
        return rest.firstRange(of: "\n.S").map { rest[..<$0.lowerBound] } ?? rest
    }
}
