import OpenID
import Postgres
import StrictJSON
import SyncEngine
import SyncServer
import WireFormats

/// `syncserver identity check`: checks that identity providers can be reached, and shows what the holder of one of
/// their tokens would be allowed to do.
struct IdentityCommand {
    static let spec = CommandSpec(
        "identity", "Check the identity providers whose tokens let in",
        subcommands: [
            CommandSpec(
                "check", "Fetch the keys of each, and say what a token would allow, or why it would let nobody in",
                details: ["Nothing is stored. It asks the providers, as ‘serve --identity’ does, and no database."],
                arguments: [ArgumentSpec("FILE", "as of ‘serve --identity’: see docs/identity.md", kind: .file)],
                options: [
                    .value("token", "FILE", "a token to look at; ‘-’ reads it from standard input", kind: .file), .json,
                ],
                run: check)
        ])

    fileprivate struct Report {
        var issuers: [(keys: IssuerKeys, failure: KeysUnavailable?)] = []
        var token: Result<SignedIn, Refusal>?

        var isGood: Bool {
            if case .failure = token { return false }
            return issuers.allSatisfy { $0.failure == nil }
        }
    }

    /// The reason why a token is refused.
    fileprivate struct Refusal: Error {
        let text: String
    }

    private static func check(_ options: Options) async throws -> Int32 {
        let providers = try IdentityOption.providers(in: options.positional[0], Environment.plans())
        let token = try options["token"].map(token)
        var report = Report()
        for keys in providers.issuers { report.issuers.append((keys, await keys.refresh())) }
        if let token { report.token = await result(token, providers) }
        if options.has("json") {
            Terminal.print(JSONWriter.text { report.write(to: &$0) })
        } else {
            Terminal.print(report.lines.joined(separator: "\n"))
        }
        return report.isGood ? 0 : 1
    }

    private static func token(_ path: String) throws -> String {
        let bytes = try Files.text(of: path == "-" ? "/dev/stdin" : path)
        // Files end with a newline, and tokens have no spaces.
        return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    }

    private static func result(_ token: String, _ providers: IdentityProviders) async -> Result<SignedIn, Refusal> {
        do {
            return .success(try await providers.claimed(token, at: .now).verified())
        } catch let fault as TokenFault {
            return .failure(Refusal(text: fault.description))
        } catch {
            return .failure(Refusal(text: "Its issuer's keys cannot be fetched: \(error)."))
        }
    }
}

extension IdentityCommand.Report {
    fileprivate var lines: [String] {
        var lines: [String] = []
        for (keys, failure) in issuers {
            lines.append(keys.issuer.name.text)
            if keys.issuer.allowsPrivateAddresses { lines.append("  may be at private addresses") }
            if let failure {
                lines.append("  no keys: \(failure)")
            }
            for key in keys.keys {
                let algorithms = key.algorithms.map(\.rawValue).sorted().joined(separator: ", ")
                lines.append("  key \(key.id?.text ?? "without an id"): \(algorithms)")
            }
        }
        switch token {
        case nil: break
        case .success(let claims):
            let app = claims.app.map { "in \($0)" } ?? "in every app"
            lines.append(
                "The token is ‘\(claims.subject)’, which may \(claims.mayWrite ? "write" : "read") \(app) until "
                    + "\(claims.ends).")
            for space in claims.spaces { lines.append("  It grants the space \(space).") }
        case .failure(let refusal): lines.append("The token lets nobody in. \(refusal.text)")
        }
        return lines
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("issuers", each: issuers) { writer, issuer in
            writer.beginObject()
            writer.member("issuer", issuer.keys.issuer.name.text)
            writer.member("allowPrivateAddresses", issuer.keys.issuer.allowsPrivateAddresses)
            writer.member("failure", issuer.failure?.description)
            writer.member("keys", each: issuer.keys.keys) { writer, key in
                writer.beginObject()
                writer.member("id", key.id?.text)
                writer.member("algorithms", key.algorithms.map(\.rawValue).sorted())
                writer.endObject()
            }
            writer.endObject()
        }
        switch token {
        case nil: break
        case .success(let claims):
            writer.key("token")
            writer.beginObject()
            writer.member("subject", claims.subject.text)
            writer.member("app", claims.app)
            writer.member("role", (claims.mayWrite ? Grant.Role.write : .read).rawValue)
            writer.member("spaces", claims.spaces.map(\.description))
            writer.member("ends", claims.ends.description)
            writer.endObject()
        case .failure(let refusal): writer.member("refused", refusal.text)
        }
        writer.endObject()
    }
}
