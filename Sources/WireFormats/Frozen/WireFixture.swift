import StrictJSON

/// Records of one entity exactly as clients of one version send and read them, byte for byte, one JSON object in each
/// line.
///
/// A fixture is made once, when the version is frozen. From then on it represents the app builds in use: however the
/// code changes, each line must decode, be translated by the version's lens into a row of the hub (the server's
/// tables), and be read back from the row unchanged.
package struct WireFixture: Sendable {
    package let projection: Projection
    private let keys: [JSONKey]

    /// The number of records in a fixture. The first record has null in every attribute that may be null; the others
    /// have random values.
    private static let records = 6

    package init(_ projection: Projection, in plan: Plan) {
        self.projection = projection
        keys = projection.fields.map { JSONKey($0.name) }
    }

    /// Makes the text of a new fixture, with new records. They are random, but depend only on the plan: the same plan
    /// always gives the same text.
    ///
    /// - Throws: `LensFailure` if the plan cannot translate a record. The tests of the plan's lens laws should have
    ///   found this before.
    package func made(of plan: Plan) throws(LensFailure) -> String {
        var seed = FNV1a()
        seed.combine("\(plan.app) \(plan.name(of: projection.version)) \(projection.name)".utf8)
        var random = SplitMix64(seed: seed.value)
        let generator = RecordGenerator(plan, of: projection.name, in: projection.version)
        return try (0..<WireFixture.records).map { record throws(LensFailure) in
            let id = plan.hub.entities[projection.entity].singleton ?? ID.random(using: &random)
            let edits = projection.fields.indices.map { index in
                let isNull = record == 0 && projection.fields[index].type.isOptional
                let value = generator?.value(index, using: &random) ?? .null
                return FieldEdit(field: index, value: isNull ? .null : value)
            }
            return try line(id, edits) + "\n"
        }.joined()
    }

    /// The lines of `text` that clients of the version would no longer send or read, with the reason for each; empty if
    /// there is none.
    package func faults(in text: String) -> [WireFixtureFault] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
        if lines.isEmpty { return [WireFixtureFault(line: 1, message: "there is no record in it")] }
        return lines.enumerated().compactMap { number, line in
            message(on: String(line)).map { WireFixtureFault(line: number + 1, message: $0) }
        }
    }

    /// Returns the reason why clients of the version would no longer send or read this line of the fixture; `nil` if
    /// they still would.
    private func message(on line: String) -> String? {
        let root: JSONNode
        do {
            root = try JSONDocument(parsing: line).root
        } catch {
            return "it is no JSON: \(error)"
        }
        guard root["entity"]?.string == projection.name, let id = root["id"]?.string.flatMap({ ID($0) }),
            let fields = root["fields"], let members = fields.members
        else { return "it is no record of \(projection.name)" }
        if let other = members.first(where: { projection.field(named: $0.key) == nil }) {
            return "the version no longer has \(projection.name).\(other.key)"
        }
        var edits: [FieldEdit] = []
        for (index, field) in projection.fields.enumerated() {
            guard let node = fields[keys[index]] else {
                return "it lacks \(projection.name).\(field.name), which the version has now"
            }
            do throws(ValueReader.Failure) {
                edits.append(FieldEdit(field: index, value: try ValueReader.read(node, as: field.type)))
            } catch {
                return "\(projection.name).\(field.name) is no longer read: \(error)"
            }
        }
        do throws(LensFailure) {
            let now = try self.line(id, edits)
            return now == line ? nil : difference(of: now, from: line)
        } catch {
            return "\(projection.name) is no longer read: \(error.reason)"
        }
    }

    /// Creates a record with `edits`, and returns it as a line of JSON with the values that the version reads back.
    private func line(_ id: ID, _ edits: [FieldEdit]) throws(LensFailure) -> String {
        // The time of creation is visible only in attributes that the version does not have.
        let row = try projection.create(edits, id: id, createdAt: Timestamp(microseconds: 0))
        return JSONWriter.text { writer in
            writer.beginObject()
            writer.member("entity", projection.name)
            writer.key("id")
            writer.id(id)
            writer.key("fields")
            writer.beginObject()
            for (field, key) in zip(projection.fields, keys) {
                writer.key(key)
                writer.value(field.view(row[field.column]))
            }
            writer.endObject()
            writer.endObject()
        }
    }

    /// Returns a description of the first byte at which the line `now` differs from the line `then`, with the text
    /// around it.
    private func difference(of now: String, from then: String) -> String {
        let same = zip(now.utf8, then.utf8).prefix { $0 == $1 }.count
        func excerpt(_ text: String) -> String {
            String(decoding: Array(text.utf8.dropFirst(max(0, same - 24)).prefix(48)), as: UTF8.self)
        }
        return "it comes out as ‘…\(excerpt(now))…’ and was ‘…\(excerpt(then))…’"
    }
}

/// A line of a wire fixture that clients of the version would no longer send or read.
package struct WireFixtureFault: Hashable, Sendable {
    /// The number of the line in the fixture, counted from 1.
    package let line: Int
    package let message: String
}
