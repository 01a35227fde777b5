import OpenID
import PGStore
import WireFormats

/// The identity providers of a file, as of `serve --identity`.
enum IdentityOption {
    /// - Parameter plans: what is served.
    /// - Throws: `UsageError`, where the file says something else than whose tokens let in, and to what.
    static func providers(in path: String, _ plans: [Plan]) throws -> IdentityProviders {
        let bytes = try Files.contents(of: path)
        let file: IdentityFile
        do throws(IdentityFile.Fault) { file = try IdentityFile(bytes) } catch {
            throw UsageError("\(path): \(error) See docs/identity.md.")
        }
        let known = plans.map(\.app)
        if let stranger = file.issuers.lazy.compactMap(\.app).first(where: { !known.contains($0) }) {
            throw UsageError("\(path): There is no app ‘\(stranger)’; there is \(known.joined(separator: ", ")).")
        }
        return IdentityProviders(file)
    }
}
