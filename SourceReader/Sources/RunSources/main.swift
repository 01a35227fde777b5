internal import Foundation
internal import SourceReading

let program = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments.first ?? "syncserver-sources")
exit(ReadCommand.main(Array(CommandLine.arguments.dropFirst()), program: program))
