import DemoApps
import Operations
import SyncCommands
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// A row of a file that is no JSON by itself stays out, is named by its position, and takes no other along.
@Suite struct UnreadableRowTests {
    /// A file of three rows, two of which come in.
    struct File: Sendable, CustomTestStringConvertible {
        let name: String
        let app: any SchemaMigrationPlan.Type
        let folder: String
        /// The rows, the second of which gets what is wrong.
        let rows: [String]
        /// The text before the rows, and the text after them.
        let frame: (String, String)
        /// The position of the second row in the file.
        let position: Int
        var testDescription: String { name }

        func text(with value: String) -> String {
            var rows = rows
            rows[1] = "{\"strange\":\(value)," + rows[1].dropFirst()
            return frame.0 + rows.joined(separator: ",") + frame.1
        }
    }

    private static let files: [File] = {
        let entries = (UInt64(1)...3).map { #"{"id":"\#(ID(high: 7, low: $0))","date":76457970\#($0),"units":1}"# }
        let businesses = (UInt64(1)...3).map {
            #"{"id":"\#(ID(high: 8, low: $0))","name":"A","address":"1 Sample Street","latitude":0,"longitude":0,"#
                + #""dateAdded":"2025-12-03T20:30:00Z","openingHours":[]}"#
        }
        let products = (1...3).map {
            #"{"normalizedName":"P\#($0)","bestPricePerQuantity":1.6666666666666666666667,"bestPriceStore":"","#
                + #""unit":"","highestPricePerQuantity":0.07,"highestPriceStore":"","#
                + #""lastUpdated":"2025-11-01T10:00:00Z"}"#
        }
        return [
            File(
                name: "a list of KeepTrack", app: KeepTrackPlan.self, folder: "KeepTrack", rows: entries,
                frame: ("\u{FEFF}[", "]\n"), position: 2),
            File(
                name: "a backup of KeepTrack", app: KeepTrackPlan.self, folder: "KeepTrack", rows: entries,
                frame: (#"{"goals":[],"exportDate":764579700,"entries":["#, "]}"), position: 2),
            File(
                name: "a list of EasitOpen", app: EasitOpenPlan.self, folder: "EasitOpen", rows: businesses,
                frame: (" [ ", "]"), position: 2),
            File(
                name: "a backup of Alles-Teurer", app: AllesTeurerPlan.self, folder: "AllesTeurer", rows: products,
                frame: (#"{"version":"1.0","purchases":[],"products":["#, "]}"), position: 2),
        ]
    }()

    /// Values that make an object no JSON.
    private static let faults = [
        #""\ud83d""#, #""\ude00x""#, #""\ud83d\u0041""#, #""\x""#, #""\u12""#, "\"\t\"", "01", "+1", "NaN", "1.",
        "nul", #"{"a":1,"a":2}"#,
        String(repeating: "[", count: 70) + String(repeating: "]", count: 70),
    ]

    @Test(arguments: files, faults)
    func aRowThatIsNoJSONStaysOutAloneAndIsNamed(file: File, fault: String) throws {
        let legacy = try LegacyFiles(of: file.app, in: file.folder)
        let time = try Timestamp("2026-01-13T12:00:00Z")
        let whole = try legacy.content(of: file.text(with: "0"), at: time)
        #expect(whole.faults.isEmpty && whole.items.map(\.position).contains(file.position))
        let content = try legacy.content(of: file.text(with: fault), at: time)
        #expect(content.faults.map(\.position) == [file.position], "\(content.faults)")
        #expect(content.faults[0].reason.hasPrefix("The row is no JSON."), "\(content.faults)")
        let expected = whole.items.filter { $0.position != file.position }
        #expect(content.items.map(\.position) == expected.map(\.position))
        // The stamp is of the file's bytes, so compare what the rows say.
        #expect(try content.items.map(said) == expected.map(said))
    }

    private func said(_ item: ImportItem) throws -> [JSONValue] {
        let change = try JSONValue(parsing: item.change)
        return [change["entity"], change["id"], change["fields"]]
    }

    /// Brackets that leave open where a row ends, or which of two values a member of the file has.
    @Test(arguments: [
        #"[{"id":1]"#, #"[{"a":"\ud83d"},{]"#, #"[{"a":"\ud83d"}"#, #"[{"a":"\ud83d}]"#, #"[{"a":"\ud83d"}] x"#,
        #"["\ud83d"]"#, #"[{"a":"\ud83d"}{}]"#,
    ])
    func whereTheBracketsAreWrongTheFileIsRefused(text: String) throws {
        let legacy = try LegacyFiles(of: KeepTrackPlan.self, in: "KeepTrack")
        #expect(throws: TransferError.self) { try legacy.content(of: text) }
    }

    @Test(arguments: files)
    func theOthersComeIn(file: File) async throws {
        let legacy = try LegacyFiles(of: file.app, in: file.folder)
        let time = try Timestamp("2026-01-13T12:00:00Z")
        try await legacy.withEngine { engine in
            let space = ID.random()
            let content = try legacy.content(of: file.text(with: #""\ud83d""#), at: time)
            let report = try await legacy.bring(content, into: space, engine)
            #expect(report.faults.isEmpty && report.imported == content.items.count)
            let records = try await legacy.records(engine, space)
            #expect(records.count >= 2 && records.count == content.items.count, "\(records)")
        }
    }

    /// Bytes that are no UTF-8 in one row.
    @Test func bytesThatAreNoTextStayInTheirRow() throws {
        let plan = try Plan(KeepTrackPlan.self)
        var bytes = Array(#"[{"id":"\#(ID(high: 7, low: 1))","date":764579700,"units":1,"x":"é"},"#.utf8)
        bytes += Array(#"{"id":"\#(ID(high: 7, low: 2))","date":764579700,"units":1}]"#.utf8)
        let index = try #require(bytes.firstIndex(of: 0xC3))
        bytes.remove(at: index + 1)
        let content = try ImportContent(bytes, plan: plan)
        #expect(content.faults.map(\.position) == [1] && content.items.map(\.position) == [2], "\(content.faults)")
    }
}
