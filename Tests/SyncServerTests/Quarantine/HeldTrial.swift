import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import WireFormats

/// One story in two spaces: in the one a push is held and replayed at the end, in the other it is merged at once.
struct HeldTrial {
    private let server: TestServer
    private let plan: Plan
    private let version: Int
    private var random: SplitMix64
    private var number = 0

    init(_ server: TestServer, version: Int, seed: UInt64) {
        self.server = server
        plan = server.plan
        self.version = version
        random = SplitMix64(seed: seed)
    }

    /// Makes PostgreSQL refuse whatever is written into the spaces that `public.refused` lists.
    static func refusing(in plan: Plan) -> String {
        let triggers = plan.hub.entities.map { entity in
            """
            CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON \(plan.hub.schema).\(entity.table)
                FOR EACH ROW EXECUTE FUNCTION public.refuse();
            """
        }
        return """
            DO $do$ BEGIN
            CREATE TABLE public.refused (space uuid PRIMARY KEY);
            CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
                SET search_path = pg_catalog
            AS $$
            BEGIN
                IF EXISTS (SELECT FROM public.refused WHERE space = NEW.space_id) THEN
                    RAISE EXCEPTION USING ERRCODE = '23514', MESSAGE = 'refused for now';
                END IF;
                RETURN NEW;
            END
            $$;
            \(triggers.joined(separator: "\n"))
            END $do$
            """
    }

    /// The changes that a device of one version pushes at once.
    private struct Step {
        let version: Int
        let changes: [JSONValue]
    }

    /// A record of the story.
    private struct Subject {
        let projection: Projection
        let id: ID
    }

    /// - Returns: the rows of both spaces, in one order.
    mutating func run() async throws -> (held: [String], inTime: [String]) {
        let subjects = plan.projections[version].compactMap { $0 }.map { projection in
            Subject(
                projection: projection,
                id: plan.hub.entities[projection.entity].singleton ?? ID.random(using: &random))
        }
        let beginning = subjects.compactMap { creation(of: $0) }
        // Before and after the stamp of what is held.
        let meanwhile = subjects.flatMap { subject in
            [moment(Int64(200 + random.below(90))), moment(Int64(400 + random.below(90)))].compactMap {
                edit(of: subject, at: $0)
            }
        }
        let choices = subjects.map { _ in random.next() }
        var rows: [[String]] = []
        for isHeld in [true, false] {
            let space = ID.random()
            let token = try await server.makeToken(app: plan.app, spaces: [space])
            func device(_ version: Int) -> TestDevice {
                server.device(stated(version), space: space, token: token)
            }
            for step in beginning { try await device(step.version).send(step.changes) }
            let phone = device(version)
            try await phone.pullAll()
            let store = await phone.store
            let push = zip(subjects, choices).compactMap { subject, choice -> JSONValue? in
                guard let read = store[subject.projection.name]?[subject.id.description] else { return nil }
                return saying(read, of: subject, choice)
            }
            if isHeld { try await server.asOwner("INSERT INTO public.refused VALUES ('\(space)')") }
            let verdicts = try await phone.push(push).verdicts
            if isHeld {
                guard verdicts.allSatisfy({ $0 == "held" }) else { throw NotHeld(verdicts: verdicts) }
                try await server.asOwner("DELETE FROM public.refused")
            }
            for step in meanwhile { try await device(step.version).send(step.changes) }
            if isHeld { _ = try await server.withEngine { try await $0.replay(in: space) } }
            rows.append(try await self.rows(of: space))
        }
        return (rows[0], rows[1])
    }

    /// The error of a trial whose changes were not held.
    struct NotHeld: Error {
        let verdicts: [String]
    }

    private func stated(_ version: Int) -> String {
        "\(plan.shapes[version].version);fp=\(plan.shapes[version].fingerprint)"
    }

    /// Some version's creation of a record, which refers to what is not there yet.
    private mutating func creation(of subject: Subject) -> Step? {
        guard let (writer, projection) = writer(of: subject) else { return nil }
        let fields = fields(projection, units: nil)
        return Step(
            version: writer,
            changes: [.create(projection.name, subject.id, fields, at: moment(Int64(random.below(90))))]
        )
    }

    /// Some version's edit of a unit or two; or the record that one refers to comes.
    private mutating func edit(of subject: Subject, at stamp: Int64) -> Step? {
        guard let (writer, projection) = writer(of: subject) else { return nil }
        let units = Set((0...1).compactMap { _ in projection.fields.randomElement(using: &random)?.unit })
        let edit = JSONValue.update(projection.name, subject.id, fields(projection, units: units), at: stamp)
        let targets = targets.compactMap { entity, id -> JSONValue? in
            guard random.next() % 3 == 0,
                let other = plan.projections[writer].compactMap({ $0 }).first(where: { $0.entity == entity })
            else { return nil }
            return .create(other.name, id, fields(other, units: []), at: stamp)
        }
        return Step(version: writer, changes: [edit] + targets)
    }

    private mutating func writer(of subject: Subject) -> (Int, Projection)? {
        let entity = subject.projection.entity
        let writers = plan.projections.indices.compactMap { version in
            plan.projections[version].compactMap { $0 }.first { $0.entity == entity }.map { (version, $0) }
        }
        return writers.randomElement(using: &random)
    }

    /// The records that others refer to and that come later, by hub entity.
    private var targets: [(Int, ID)] {
        plan.hub.entities.indices.map { entity in
            (entity, plan.hub.entities[entity].singleton ?? ID(high: 7, low: UInt64(entity)))
        }
    }

    /// - Parameter units: which are said; `nil` for most. What must be is said in any case of a creation.
    private mutating func fields(_ projection: Projection, units: Set<Int>?) -> [String: JSONValue] {
        let entity = plan.hub.entities[projection.entity]
        // What is linked goes together, or what arrives first would decide the rest.
        let chosen = units ?? Set(projection.fields.map(\.unit).filter { _ in random.next() % 4 != 0 })
        var fields: [String: JSONValue] = [:]
        for (position, field) in projection.fields.enumerated() where entity.units[field.unit].rule.policy != .counter {
            let isRequired = (units == nil || units?.isEmpty == true) && !field.isOmissible
            guard chosen.contains(field.unit) || isRequired else { continue }
            fields[field.name] = value(position, field, projection)
        }
        return fields
    }

    private mutating func value(_ position: Int, _ field: Projection.Field, _ projection: Projection) -> JSONValue {
        let entity = plan.hub.entities[projection.entity]
        if let reference = entity.references.first(where: { $0.column == field.column }) {
            return .id(targets[reference.target].1)
        }
        if entity.uniqueColumns.contains(field.column) {
            number += 1
            if field.type.kind == .string { return .string("\(number)") }
        }
        let generator = RecordGenerator(plan, of: projection.name, in: projection.version)
        return generator.map { JSONValue($0.value(position, using: &random)) } ?? .null
    }

    /// All that a device has read of a record, with one edit.
    private func saying(_ read: [String: JSONValue], of subject: Subject, _ choice: UInt64) -> JSONValue {
        let (projection, entity) = (subject.projection, plan.hub.entities[subject.projection.entity])
        var random = SplitMix64(seed: choice)
        let said = projection.fields.filter { entity.units[$0.unit].rule.policy != .counter }
        var fields = Dictionary(
            uniqueKeysWithValues: said.compactMap { field in read[field.name].map { (field.name, $0) } })
        let position = random.below(projection.fields.count)
        let field = projection.fields[position]
        let isPlain =
            fields[field.name] != nil && !entity.uniqueColumns.contains(field.column)
            && !entity.references.contains { $0.column == field.column }
        if isPlain, let generator = RecordGenerator(plan, of: projection.name, in: projection.version) {
            fields[field.name] = JSONValue(generator.value(position, using: &random))
        }
        return .update(projection.name, subject.id, fields, at: moment(300))
    }

    /// All rows, but for what only says when and by whom they were numbered.
    private func rows(of space: ID) async throws -> [String] {
        let session = try await Session.open(server.database.superuserConnectionString)
        var lines: [String] = []
        for entity in plan.hub.entities {
            let rows = try await session.execute(
                Command(
                    Statement(
                        unchecked: """
                            SELECT (to_jsonb(r) - '{space_id,seq,device,seen,since}'::text[])::text
                            FROM \(plan.hub.schema).\(entity.table) AS r WHERE space_id = '\(space)' ORDER BY id
                            """)))
            lines += (0..<rows.count).map { "\(entity.table): \(rows.string($0, 0))" }
        }
        await session.close()
        return lines
    }
}
