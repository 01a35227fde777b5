import StrictJSON
package import SyncEngine
package import WireFormats

/// An export of a space as NDJSON: its records that are not deleted, in the form of one version of the app.
///
/// The first line is a header. Each further line is a record in the JSON form of a pull with all stamps, but without
/// `seq`, the number of the record's latest change. This number differs from space to space. Without it, an export of
/// an imported space has the same bytes as the imported file. Importing a space's own export changes nothing.
///
/// The lines are sorted by entity and id. A pull returns the records in another order, so the whole export is kept in
/// memory.
package struct SpaceExport: Sendable {
    private let engine: SyncEngine
    private let caller: SyncEngine.Caller

    /// - Parameter version: the version of the exported records, as an index in the plan's `schemas`.
    package init(engine: SyncEngine, space: ID, version: Int) {
        self.engine = engine
        caller = SyncEngine.Caller(space: space, version: version, device: nil)
    }

    private struct Key: Hashable, Comparable {
        let entity: Int
        /// The id in UTF-8. Its bytes are compared, because comparing strings would treat canonically equivalent texts
        /// as one id.
        let id: [UInt8]

        static func < (a: Key, b: Key) -> Bool {
            a.entity == b.entity ? a.id.lexicographicallyPrecedes(b.id) : a.entity < b.entity
        }
    }

    /// Pulls the space page by page to its end. A record that changes in the meantime is pulled again, so the result
    /// has all records as they are when the last page is read.
    ///
    /// - Parameter progress: called after each page with the number of records pulled so far.
    /// - Returns: the lines of the export, each ended by a line feed.
    /// - Throws: `SyncError`, `PGError`.
    package func run(progress: (Int) -> Void = { _ in }) async throws -> [UInt8] {
        var lines: [Key: [UInt8]] = [:]
        var cursor: Cursor?
        while true {
            let page = try await engine.pull(
                after: cursor, limit: SyncEngine.pageRecordsMax, withStamps: true, as: caller)
            try collect(page.changes, into: &lines)
            progress(lines.count)
            cursor = page.cursor
            if !page.more { break }
        }
        var writer = JSONWriter()
        ExportHeader(engine.plan, version: caller.version).write(to: &writer)
        var bytes = writer.bytes + [UInt8(ascii: "\n")]
        for key in lines.keys.sorted() {
            bytes += lines[key] ?? []
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    private func collect(_ changes: [UInt8], into lines: inout [Key: [UInt8]]) throws {
        let array = [UInt8(ascii: "[")] + changes + [UInt8(ascii: "]")]
        guard let elements = try JSONDocument(parsing: array).root.elements else { return }
        for change in elements {
            guard let name = change["entity"]?.string, let id = change["id"]?.string,
                let entity = engine.plan.projection(version: caller.version, named: name)?.entity
            else { continue }
            let isAlive = change["fields"] != nil
            lines[Key(entity: entity, id: Array(id.utf8))] = isAlive ? line(of: change) : nil
        }
    }

    private func line(of change: JSONNode) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for member in change.members.map(Array.init) ?? [] where member.key != "seq" {
            writer.key(member.key)
            guard member.key == "fields", let fields = member.value.members else {
                writer.canonical(member.value)
                continue
            }
            writer.beginObject()
            for field in fields {
                writer.key(field.key)
                writer.canonical(field.value)
            }
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }
}
