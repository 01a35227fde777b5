import Foundation
import Postgres
import SchemaImport
import WireFormats

/// The arguments of `schema import`.
struct ImportRequest {
    let app: String
    let paths: [String]
    let version: Schema.Version?
    let renamings: [Renaming]
    let history: SourceImport.History
    var isPublic: Bool
    /// The path of the program that parses Swift; `nil` if the option is not given.
    let program: String?

    /// The default name of the type that contains the versions' types. It is derived from the app's name: `Pantry` for
    /// `pantry`, `MyPantry` for `my_pantry`.
    var namespace: String {
        get throws(UsageError) {
            let words = app.split(separator: "_").map { ($0.first?.uppercased() ?? "") + $0.dropFirst() }
            let name = words.joined()
            guard name.first?.isLetter == true,
                app.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
            else { throw UsageError("‘\(app)’ is no name of an app: use a lower-case word, such as ‘pantry’.") }
            guard app == app.lowercased() else {
                throw UsageError("‘--app’ is the app's name in URLs, in lower case: ‘\(app.lowercased())’.")
            }
            guard !TakenNames.isTaken(name) else {
                throw UsageError(
                    "‘\(name)’ is what Swift, or the language of plans, calls something of its own: name the versions' "
                        + "namespace with ‘--namespace’, such as \(name)App.")
            }
            return name
        }
    }
}

extension ImportRequest {
    /// Parses the options about the app's sources.
    init(app: String, paths: [String], isPublic: Bool, _ options: Options) throws {
        (self.app, self.paths, self.isPublic) = (app, paths, isPublic)
        version = try options["version"].map { text throws(UsageError) in
            guard let version = Schema.Version(text) else { throw UsageError("‘--version’ takes major.minor.patch.") }
            return version
        }
        renamings =
            try options.all("rename").map { text throws(UsageError) in
                guard let renaming = Renaming(text) else {
                    throw UsageError("‘--rename’ takes OLD=NEW or MODEL.old=new, not ‘\(text)’.")
                }
                return renaming
            }
            + options.all("removed").map { text throws(UsageError) in
                guard let removal = Renaming(removed: text) else {
                    throw UsageError("‘--removed’ takes MODEL or MODEL.attribute, not ‘\(text)’.")
                }
                return removal
            }
        try ImportRequest.check(renamings)
        history = try ImportRequest.history(options)
        program = options["sources-program"]
    }

    /// Checks that no two of the renamings that the user gave contradict each other.
    private static func check(_ renamings: [Renaming]) throws(UsageError) {
        for (index, one) in renamings.enumerated() {
            for other in renamings[..<index] where one != other && one.entity == other.entity {
                guard one.older == other.older || one.newer != nil && one.newer == other.newer else { continue }
                let words = [other, one].map { "‘\($0.newer == nil ? "--removed" : "--rename") \($0.text)’" }
                throw UsageError("\(words[0]) and \(words[1]) cannot both be so.")
            }
        }
    }

    private static func history(_ options: Options) throws -> SourceImport.History {
        if let file = options["commits"] {
            guard !options.has("git") else {
                throw UsageError(
                    "‘--commits’ takes the place of ‘--git’: list in the file also the tags that are to be read, each "
                        + "with its version behind it, and leave ‘--git’ out.")
            }
            return .commits(String(decoding: try Files.text(of: file), as: UTF8.self))
        }
        guard options.has("git") else {
            if options["tags"] != nil { throw UsageError("‘--tags’ needs ‘--git’.") }
            return .none
        }
        return .tags(options["tags"] ?? "v*")
    }
}
