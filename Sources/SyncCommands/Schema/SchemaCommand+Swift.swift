import Foundation
import Postgres
import WireFormats

extension SchemaCommand {
    static func swift(_ options: Options) throws -> Int32 {
        let plan = try appsPlan(options)
        let name = try options["name"] ?? VersionTypeName.app(Environment.declaration(plan.app)) + "Schema"
        let source = RecordSource(plan, position: try version(options.positional[0], of: plan), in: name).text
        if let path = options["check"] {
            let file = URL(filePath: path)
            guard let there = try? String(contentsOf: file, encoding: .utf8) else {
                throw CommandError("There is no ‘\(path)’. Without ‘--check’ the command prints what belongs into it.")
            }
            if LineEnds.plain(there) == source { return 0 }
            throw CommandError(
                "\(path) is not what the version says: write it anew with ‘syncserver schema swift "
                    + "\(options.positional[0]) --app \(plan.app) > \(path)’.")
        }
        Terminal.print(String(source.dropLast()))
        return 0
    }
}
