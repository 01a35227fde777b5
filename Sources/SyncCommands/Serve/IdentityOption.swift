import OpenID
import PGStore
import Postgres
import WireFormats

/// The identity providers declared in the file given by `serve --identity`.
enum IdentityOption {
    /// Reads the identity providers from a file.
    ///
    /// - Parameter plans: the plans of the served apps.
    /// - Throws: `UsageError`, if the file is not a valid file of identity providers for these apps.
    static func providers(in path: String, _ plans: [Plan]) throws -> IdentityProviders {
        IdentityProviders(try file(in: document(at: path), plans))
    }

    /// Reads the identity providers from the file given by `--identity`.
    ///
    /// - Returns: the providers; `nil` if the option is not given.
    /// - Throws: `UsageError`, if the file is not a valid file of identity providers for these apps.
    static func providers(_ options: Options, _ plans: [Plan]) throws -> IdentityProviders? {
        try options.document("identity").map { IdentityProviders(try file(in: $0, plans)) }
    }

    /// Checks that no identity provider in the file can issue a token for the subject `subject`, to which the server
    /// itself gives a token. The holders of the two tokens would be treated as the same person.
    ///
    /// - Throws: `UsageError`, if a provider can issue one.
    static func check(_ subject: Subject, in path: String, _ plans: [Plan]) throws {
        let file = try file(in: document(at: path), plans)
        guard let index = file.issuer(naming: subject) else { return }
        let issuer = file.issuers[index]
        throw UsageError(
            "Subjects that begin with ‘\(issuer.subjectPrefix)’ are those of \(issuer.name), by issuers[\(index)] of "
                + "\(path): whoever it calls so would be the same person. Choose another name; or leave out "
                + "‘--identity’, where the token is to be for that person.")
    }

    private static func document(at path: String) throws(FileError) -> Options.Document {
        Options.Document(source: path, bytes: try Files.text(of: path))
    }

    private static func file(in document: Options.Document, _ plans: [Plan]) throws -> IdentityFile {
        let path = document.source
        let file: IdentityFile
        do throws(IdentityFile.Fault) { file = try IdentityFile(document.bytes) } catch {
            throw UsageError("\(path): \(error) See docs/identity.md.")
        }
        let known = plans.map(\.app)
        let exact = known.map { ExactText($0) }
        if let unknown = file.issuers.lazy.compactMap(\.app).first(where: { !exact.contains(ExactText($0)) }) {
            throw UsageError("\(path): There is no app ‘\(unknown)’; there is \(known.joined(separator: ", ")).")
        }
        return file
    }
}
