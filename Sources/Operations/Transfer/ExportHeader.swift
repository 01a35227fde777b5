import StrictJSON
import SyncEngine
package import WireFormats

/// The first line of an export: the app, and the version and fingerprint (the hash of the schema) of the records that
/// follow.
package struct ExportHeader: Hashable, Sendable {
    package let app: String
    package let version: String
    package let fingerprint: String
    /// True if each record has the stamps of all its attributes. Exports of the first releases had only one stamp per
    /// record.
    let hasStamps: Bool

    package init(_ plan: Plan, version: Int) {
        app = plan.app
        self.version = plan.shapes[version].version.description
        fingerprint = plan.shapes[version].fingerprint
        hasStamps = true
    }

    /// Parses a header; `nil` if the line is not a header.
    package init?(line: some Collection<UInt8>) {
        guard let root = try? JSONDocument(parsing: Array(line)).root, let app = root["app"]?.string,
            let version = root["version"]?.string, let fingerprint = root["fingerprint"]?.string
        else { return nil }
        self.app = app
        self.version = version
        self.fingerprint = fingerprint
        hasStamps = root["stamps"]?.bool ?? false
    }

    /// Throws an error if the line would be the header of an export, but lacks a valid fingerprint (the hash of the
    /// version's schema). This can happen in a file that was written by hand.
    ///
    /// - Throws: `TransferError` that gives the missing fingerprint, or says that the plan does not have the version.
    static func check(line: some Collection<UInt8>, plan: Plan) throws(TransferError) {
        guard ExportHeader(line: line) == nil, let root = try? JSONDocument(parsing: Array(line)).root,
            root["app"]?.string == plan.app, let version = root["version"]?.string
        else { return }
        guard let index = ShapeName(version).flatMap({ plan.index(of: $0) }) else {
            throw TransferError("The file is in version \(shortened(version)), which \(plan.app) does not have here.")
        }
        throw TransferError(
            "The file's first line lacks ‘fingerprint’: that of \(version) is \(plan.shapes[index].fingerprint), as "
                + "‘schema list’ shows.")
    }

    /// Returns the version of the records, as an index in `plan.shapes`.
    ///
    /// - Throws: `TransferError`, if the plan has no version with exactly this schema.
    package func index(in plan: Plan) throws(TransferError) -> Int {
        guard app == plan.app else {
            throw TransferError("The file is an export of \(shortened(app)), not \(plan.app).")
        }
        if let index = ShapeName("\(version);fp=\(fingerprint)").flatMap({ plan.index(of: $0) }) { return index }
        guard let index = Schema.Version(version).flatMap({ plan.index(of: $0) }) else {
            throw TransferError("The file is in version \(shortened(version)), which \(plan.app) does not have here.")
        }
        throw TransferError(
            "Version \(version) of \(plan.app) has another shape here than in the file (fingerprint "
                + "\(plan.schemas[index].fingerprint), in the file \(shortened(fingerprint))).")
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("app", app)
        writer.member("version", version)
        writer.member("fingerprint", fingerprint)
        writer.member("stamps", hasStamps)
        writer.endObject()
    }
}
