import Foundation
import Postgres
import WireFormats

/// The golden files of one published shape (a version's schema), in `Tests/CompatTests/fixtures/<app>/<version>/`:
/// `schema.json`, and a file of records for each entity.
struct FixtureFolder {
    let path: String

    private static let schemaName = "schema.json"

    /// - Parameter fingerprint: the hash of the version's schema, if another schema with the same version number was
    ///   published before; `nil` otherwise.
    init(_ root: String, app: String, version: Schema.Version, fingerprint: String?) {
        path = "\(root)/\(app)/\(version)" + (fingerprint.map { "-\($0)" } ?? "")
    }

    private static func fileName(_ entity: String) -> String { "\(entity).ndjson" }

    /// Returns the golden files of a version, as they are written when the version is published. They are ordered by
    /// name.
    ///
    /// - Parameter version: the version, as an index in the plan's `shapes`.
    /// - Throws: `FrozenProblem` if a file cannot be made from the plan, or does not pass the check of golden files.
    ///   Such an error should already have been found by a test of the lens laws (the rules for conversions between
    ///   versions).
    static func contents(of plan: Plan, _ version: Int) throws(FrozenProblem) -> [(name: String, text: String)] {
        var files = [(schemaName, plan.shapes[version].json)]
        for case let projection? in plan.projections[version] {
            let fixture = WireFixture(projection, in: plan)
            let name = fileName(projection.name)
            let text: String
            do throws(LensFailure) {
                text = try fixture.made(of: plan)
            } catch {
                throw .staleFixture(name, line: 1, error.reason)
            }
            if let fault = fixture.faults(in: text).first {
                throw .staleFixture(name, line: fault.line, fault.message)
            }
            files.append((name, text))
        }
        return files.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    }

    /// Returns the checksum of the files, which must be in the order of their names. The lock file contains this
    /// checksum.
    static func checksum(of files: [(name: String, text: String)]) -> String {
        let lines = files.map { "\($0.name) \(Checksum.sha256(of: Array($0.text.utf8)))\n" }
        return Checksum.sha256(of: Array(lines.joined().utf8))
    }

    /// Writes the files into the folder, after deleting files that an interrupted run left there.
    func write(_ files: [(name: String, text: String)]) throws {
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for file in files {
            try Data(file.text.utf8).write(to: URL(filePath: "\(path)/\(file.name)"))
        }
    }

    /// Finds problems of the golden files: files that were edited since they were published, and files whose contents
    /// the plan's version no longer reproduces.
    ///
    /// - Parameters:
    ///   - version: the version, as an index in the plan's `shapes`.
    ///   - checksum: the checksum of the files when they were published.
    func problems(_ plan: Plan, _ version: Int, checksum: String) -> [FrozenProblem] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            return [.missingFixture(path)]
        }
        let files = names.filter { !$0.hasPrefix(".") }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .map { (name: $0, text: text(of: $0) ?? "") }
        if Self.checksum(of: files) != checksum { return [.editedFixture(path)] }
        var problems = schemaProblems(plan.shapes[version])
        for case let projection? in plan.projections[version] {
            let name = Self.fileName(projection.name)
            guard let file = files.first(where: { $0.name == name }) else {
                problems.append(.missingFixture("\(path)/\(name)"))
                continue
            }
            problems += WireFixture(projection, in: plan).faults(in: file.text).map {
                .staleFixture("\(path)/\(name)", line: $0.line, $0.message)
            }
        }
        return problems
    }

    /// The published schema, parsed from the folder's file `schema.json`; `nil` if the file is missing or not valid.
    var schema: Schema? {
        text(of: Self.schemaName).flatMap { try? Schema(json: $0) }
    }

    /// Compares the published schema with the current one. Equal fingerprints are not enough, because a fingerprint
    /// does not cover the names that entities and attributes had in earlier versions. If such a name were edited,
    /// values would be read from and written to other columns.
    private func schemaProblems(_ current: Schema) -> [FrozenProblem] {
        guard let frozen = schema else {
            return [.staleFixture("\(path)/\(Self.schemaName)", line: 1, "it is no longer read as a schema")]
        }
        if frozen == current { return [] }
        return [.edited(path, frozen.changes(in: current))]
    }

    private func text(of name: String) -> String? {
        (try? Data(contentsOf: URL(filePath: "\(path)/\(name)"))).flatMap { String(validating: $0, as: UTF8.self) }
            .map { LineEnds.plain($0) }
    }
}
