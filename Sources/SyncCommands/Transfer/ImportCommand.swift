import Foundation
import Operations
import PGMigrations
import PGStore
import Postgres
import StrictJSON
import WireFormats

/// `syncserver import`: merges the records of files into a space.
struct ImportCommand {
    static let spec = CommandSpec(
        "import", "Merge files into a space; importing twice is as good as once",
        details: [
            "All rows of a file that an app itself wrote are edits of the time at which the file says that it was "
                + "written; if it does not say, of ‘--written’; else of the time at which the file was last changed, "
                + "which a copy may have lost. Later edits and deletions stand, and so do later files. Exits with 1 if "
                + "a record or a file was refused; the others are imported."
        ],
        arguments: [
            ArgumentSpec(
                "PATH",
                "an export, a file that the app itself wrote (keeptrack, allesteurer, easitopen), or a folder of such "
                    + "files",
                kind: .file)
        ],
        options: [
            .app, .value("space", "UUID", "the space", isRequired: true),
            .value(
                "written", "WHEN",
                "when files that do not say so were written: a date such as 2025-11-03 or 2025-11-03T20:10:00Z",
                standard: "when they were last changed"),
            .flag("dry-run", "read the files and say what would be refused; needs no database"),
            .database, .migrations, .json,
        ],
        run: run)

    private let plan: Plan
    private let stated: Timestamp?
    private let transfer: SpaceImport
    private let isDryRun: Bool
    private let isForMachines: Bool

    static func run(_ options: Options) async throws -> Int32 {
        let plan = try Environment.plan(options)
        let space = try Environment.space(options)
        let files = try ImportFiles.at(options.positional[0])
        if options.has("dry-run") {
            return try await ImportCommand(plan, SpaceImport(tryingOut: plan), options).run(files, space: space)
        }
        _ = try ImportCommand.stated(options)
        return try await Environment.withEngine(plan, options) { engine in
            try await engine.checkNotErased(space)
            return try await ImportCommand(plan, SpaceImport(engine: engine, space: space), options)
                .run(files, space: space)
        }
    }

    private init(_ plan: Plan, _ transfer: SpaceImport, _ options: Options) throws {
        self.plan = plan
        stated = try ImportCommand.stated(options)
        self.transfer = transfer
        isDryRun = options.has("dry-run")
        isForMachines = options.has("json")
    }

    private static func stated(_ options: Options) throws(UsageError) -> Timestamp? {
        guard let text = options["written"] else { return nil }
        guard let time = (try? Timestamp(text)) ?? (try? Timestamp("\(text)T00:00:00Z")) else {
            throw UsageError(
                "‘--written’ takes a date such as 2025-11-03 or 2025-11-03T20:10:00Z, not ‘\(text)’.")
        }
        return time
    }

    private func run(_ files: [URL], space: ID) async throws -> Int32 {
        var done: [FileImport] = []
        for file in files {
            let file = FileImport(file: file.lastPathComponent, outcome: try await outcome(of: file))
            done.append(file)
            if !isForMachines { tell(file) }
        }
        if isForMachines { Terminal.print(JSONWriter.text { write(done, space, to: &$0) }) }
        if files.isEmpty { Terminal.note("The folder has no files; folders in it and hidden files are not read.") }
        return done.allSatisfy(\.isWhole) ? 0 : 1
    }

    private func outcome(of file: URL) async throws -> Result<FileImport.Content, TransferError> {
        let content: ImportContent
        do throws(TransferError) {
            let read = try ImportCommand.read(file)
            content = try ImportContent(read.bytes, plan: plan, stated: stated, modified: read.modified)
        } catch {
            return .failure(error)
        }
        defer { Terminal.endProgress() }
        var report = try await transfer.run(content.items, version: content.version) { done in
            Terminal.progress(done, of: content.items.count)
        }
        report.faults = (content.faults + report.faults).sorted { $0.position < $1.position }
        return .success(FileImport.Content(positionUnit: content.positionUnit, time: content.time, report: report))
    }

    /// Reads a file. Returns its bytes and the time of its last modification; `nil` instead of the time for a pipe.
    private static func read(_ file: URL) throws(TransferError) -> (bytes: [UInt8], modified: Timestamp?) {
        do throws(FileError) {
            return (try Files.contents(of: file.path), Files.lastChanged(file.path))
        } catch {
            throw TransferError("The file cannot be read: \(error.reason).")
        }
    }

    private func tell(_ file: FileImport) {
        for fault in file.faults { Terminal.note(fault.wrapped(indent: 2)) }
        guard case .success(let content) = file.outcome else { return }
        let report = content.report
        let time = content.time.map { " (\($0.source == .modification ? "last changed" : "written") \($0.time))" } ?? ""
        Terminal.print(
            "\(file.file)\(time): \(report.imported) \(isDryRun ? "would be imported" : "imported"), "
                + "\(report.unchanged) unchanged, \(report.overruled) overruled by later edits, "
                + "\(report.faults.count) refused")
    }

    private func write(_ files: [FileImport], _ space: ID, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("app", plan.app)
        writer.member("space", space.description)
        writer.member("dryRun", isDryRun)
        writer.member("files", each: files) { writer, file in file.write(to: &writer) }
        writer.endObject()
    }
}
