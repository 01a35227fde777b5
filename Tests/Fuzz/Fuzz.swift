import DemoApps
import Glibc
import HTTPServer
import StrictJSON
import WireFormats

@testable import OpenID
@testable import PGMigrations
@testable import SyncEngine
@testable import SyncServer

/// The input of clients and operators, each kind given to its first reader: script/fuzz. Which of the
/// readers is the word in `FUZZ_TARGET`.
enum FuzzTarget: String, CaseIterable {
    /// A push's changes, in the oldest, a middle and the newest version, as patches and as whole records.
    case changes
    case cursors
    /// The values of headers that the server reads.
    case headers
    /// An identity provider's token, a key set, or a file of issuers, as the input says.
    case tokens
    /// A migration file, by PostgreSQL's own parser.
    case migrations

    static let chosen: FuzzTarget = {
        guard let word = getenv("FUZZ_TARGET"), let target = FuzzTarget(rawValue: String(cString: word)) else {
            fatalError("Set FUZZ_TARGET to one of \(FuzzTarget.allCases.map(\.rawValue)).")
        }
        return target
    }()

    func read(_ bytes: [UInt8]) {
        switch self {
        case .changes: FuzzTarget.readChanges(bytes)
        case .cursors: _ = Cursor(String(decoding: bytes, as: UTF8.self)).map { Cursor("\($0)") }
        case .headers: FuzzTarget.readHeader(bytes)
        case .tokens: FuzzTarget.readToken(bytes)
        case .migrations: _ = try? MigrationFile(line: "fitiq", fileName: "0001-fuzzed-file.sql", bytes: bytes)
        }
    }

    private static let plan = Result { try Plan(FitIQPlan.self) }

    private static func readChanges(_ bytes: [UInt8]) {
        let body = Array("{\"changes\":".utf8) + bytes + Array("}".utf8)
        _ = JSONSalvage(ofMember: "changes", in: body, elementsMax: 100, limits: JSONDocument.Limits())
        guard let plan = try? plan.get(), let document = try? JSONDocument(parsing: bytes),
            let changes = document.root.elements
        else { return }
        for version in [0, plan.newest / 2, plan.newest] {
            for mode in [ChangeMode.patch, .whole] {
                let reader = ChangeReader(plan: plan, version: version, mode: mode)
                for change in changes {
                    _ = reader.read(change)
                    _ = reader.versionUnknown(in: change)
                }
            }
        }
    }

    private static func readHeader(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        _ = ShapeName(text)
        _ = ID(text)
        _ = ChangeMode(header: text)
        _ = OutboxAge(header: text)
        _ = Authenticator.bearer(text, sizeMax: IdentityProviders.tokenSizeMaxBytes)
        _ = CrossOrigins(text)
        _ = IPAddress(text)
        _ = TrustedProxies(text)
    }

    private static func readToken(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        // With the two parts that a fuzzer does not come by: base64url.
        for token in [
            text, Base64.encodeURLSafe(Array(#"{"alg":"ES256"}"#.utf8)) + "." + Base64.encodeURLSafe(bytes) + ".AA",
        ] {
            guard let read = try? SignedToken(token) else { continue }
            for name in ["exp", "nbf"] { _ = try? NumericDate(read.claims[name], name) }
            _ = try? Addressees(read.claims)
            _ = ClaimPath("/roles/0")?.texts(in: read.claims)
        }
        _ = try? KeySet(bytes)
        _ = try? IdentityFile(bytes)
    }
}

/// libFuzzer (LLVM's manual, ‘libFuzzer’, section ‘Using libFuzzer as a library’).
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ read: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The program's entry point, by the name that SwiftPM gives it.
@_cdecl("Fuzz_main")
public func fuzz(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var (count, arguments) = (count, arguments)
    return runDriver(&count, &arguments) { start, count in
        FuzzTarget.chosen.read(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
    }
}
