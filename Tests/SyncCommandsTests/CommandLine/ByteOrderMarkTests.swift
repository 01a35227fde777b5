import DemoApps
import Foundation
import Operations
import PGStore
import SyncCommands
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Files of people's, as editors and other programs save them: with a byte order mark, or in UTF-16.
@Suite struct ByteOrderMarkTests {
    /// A command that reads a file, called `FILE` in its words or in a variable.
    struct Reader: CustomTestStringConvertible, Sendable {
        let words: [String]
        let text: String
        var environment: [String: String] = [:]
        /// The part of a run by which it shows that the file was read, whatever became of it.
        let sign: String

        var testDescription: String { words.joined(separator: " ") }
    }

    private static func reading(_ app: String, _ text: String, _ sign: String) -> Reader {
        let space = "00000000-0000-8000-8000-000000000001"
        return Reader(
            words: ["import", "--app", app, "--space", space, "--dry-run", "--written", "2026-01-01", "FILE"],
            text: text, sign: sign)
    }

    private static let csv = """
        Datum,Produktname,Normalisierter Name,Preis,Preis pro Einheit,Kategorie,Geschäft,ID
        2025-09-27 08:50:00,A,,7,58,4,99,K,S,9C40FC43-0A4A-55C0-BA7C-28E9BF95D2F5
        """

    private static func export() throws -> String {
        let header = ExportHeader(try Plan(FitIQPlan.self), version: 0)
        return #"{"app":"fitiq","version":"\#(header.version)","fingerprint":"\#(header.fingerprint)","stamps":true}"#
    }

    static let readers: [Reader] = [
        reading("keeptrack", #"[{"date":764579700,"units":1}]"#, "1 would be imported"),
        reading("allesteurer", csv, "1 would be imported"),
        reading("easitopen", "[]", "0 would be imported"),
        reading("fitiq", (try? export()) ?? "", "0 would be imported"),
        Reader(words: ["serve", "--config", "FILE"], text: #"{"prot": 1}"#, sign: "Did you mean ‘port’?"),
        Reader(words: ["serve", "--limits", "FILE", "--port", "0"], text: #"{"quota": {}}"#, sign: "quota"),
        Reader(words: ["identity", "check", "FILE"], text: #"{"issuers": 7}"#, sign: "issuers"),
        Reader(
            words: ["token", "list"], text: "nonsense", environment: ["DATABASE_URL_FILE": "FILE"],
            sign: "not valid"),
    ]

    @Test(arguments: readers)
    func aMarkIsTakenAndAnotherEncodingIsNamed(reader: Reader) async throws {
        let folder = try TemporaryDirectory()
        let path = "\(folder.path)/file"
        func run(_ data: Data) async throws -> CommandRun {
            try data.write(to: URL(filePath: path))
            return try await CommandRun(
                reader.words.map { $0 == "FILE" ? path : $0 },
                environment: reader.environment.mapValues { $0 == "FILE" ? path : $0 })
        }
        let plain = try await run(Data(reader.text.utf8))
        #expect((plain.output + plain.errors).contains(reader.sign), "\(plain)")
        let marked = try await run(Data("\u{FEFF}\(reader.text)".utf8))
        #expect(marked.status == plain.status && (marked.output + marked.errors).contains(reader.sign), "\(marked)")
        let units = Array(reader.text.utf16)
        let little: [[UInt8]] = units.map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big: [[UInt8]] = units.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        // One with its mark, one without.
        for bytes in [[0xFF, 0xFE] + Array(little.joined()), Array(big.joined())] {
            let other = try await run(Data(bytes))
            #expect(other.status != 0 && other.output.isEmpty, "\(other)")
            #expect(other.errors.replacing("\n", with: " ").contains("UTF-16"), "\(other)")
        }
    }
}
