import SchemaImport
import WireFormats

/// What the command line of `schema import` asks for.
struct ImportRequest {
    let app: String
    let paths: [String]
    let version: Schema.Version?
    let renamings: [Renaming]
    let history: SchemaImporting.History
    let isPublic: Bool
    let program: String?

    /// `Pantry` for `pantry`, `MyPantry` for `my_pantry`.
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
            return name
        }
    }
}
