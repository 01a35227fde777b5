package import Postgres
package import WireFormats

/// Compares a database with the plan that a server serves. It compares the tables that the plan needs (the hub) with
/// the tables that exist, and checks that the role for serving requests does not have too many rights.
package enum Agreement {
    /// One difference between the plan and the database: its place, such as a table, and a description.
    package struct Difference: Sendable, Hashable, CustomStringConvertible {
        package let place: String
        package let message: String
        /// The SQL statement that removes the difference; `nil` if no statement obviously does.
        package var remedy: String?
        /// True if the database has something that the plan does not know, such as a column of a later version's
        /// migration.
        package var isSurplus = false

        package var description: String { "\(place): \(message)" }
    }

    /// The stage of a rolling update, in which servers of two releases are running. It decides which differences
    /// between a plan and the database are allowed.
    package struct Rollout: Sendable {
        /// True if migrations of a later release have already run, so that the database has more than this release
        /// needs.
        package var isAhead = false
        /// True if contract steps (which remove what servers of earlier releases need) have not run yet. Until then,
        /// rows that older servers write may lack required values.
        package var hasContractsLeft = false

        package init(isAhead: Bool = false, hasContractsLeft: Bool = false) {
            (self.isAhead, self.hasContractsLeft) = (isAhead, hasContractsLeft)
        }
    }

    /// Returns all differences between the tables that the plan needs (`hub`) and the database, except those that
    /// `rollout` allows. They are in the order of the hub's entities, followed by tables that the plan does not know.
    package static func differences(
        of hub: Hub, in rollout: Rollout = Rollout(), _ session: isolated Session
    ) throws(PGError) -> [Difference] {
        let rows = try session.execute(Command(catalog, [.text(hub.schema)]))
        var tables: [String: Table] = [:]
        for row in 0..<rows.count {
            let name = rows.string(row, 0)
            var table = tables[name] ?? Table()
            table.columns[rows.string(row, 1)] = Column(
                type: rows.string(row, 2), isNullable: !rows.bool(row, 3), hasDefault: rows.bool(row, 4))
            tables[name] = table
        }
        var found: [Difference] = []
        for entity in hub.entities {
            let place = "\(hub.schema).\(entity.table)"
            guard let table = tables.removeValue(forKey: entity.table) else {
                found.append(Difference(place: place, message: "the table of \(entity.identity) is missing"))
                continue
            }
            found += compare(expected(entity), with: table.columns, in: rollout, at: place)
        }
        if rollout.isAhead { return found }
        found += tables.keys.sorted().map {
            Difference(place: "\(hub.schema).\($0)", message: "the plan knows no entity of this table", isSurplus: true)
        }
        return found
    }

    /// Finds the rights that a role must not have when it serves requests: to be a superuser, to own tables, or to
    /// bypass row-level security. Returns a difference, with its remedy, for each such right of the session's role.
    package static func excessivePowers(
        of schemas: [String], _ session: isolated Session
    ) throws(PGError) -> [Difference] {
        let rows = try session.execute(Command(powers, [.texts(schemas)]))
        let role = rows.string(0, 0)
        var found: [Difference] = []
        if rows.bool(0, 1) {
            found.append(
                Difference(
                    place: "role \(role)", message: "it is a superuser", remedy: "ALTER ROLE \(role) NOSUPERUSER;"))
        }
        if rows.bool(0, 2) {
            found.append(
                Difference(
                    place: "role \(role)", message: "it bypasses row-level security",
                    remedy: "ALTER ROLE \(role) NOBYPASSRLS;"))
        }
        // A superuser may act as anybody.
        if rows.int(0, 3) > 0, !rows.bool(0, 1) {
            found.append(
                Difference(
                    place: "role \(role)", message: "it may act as the owner of \(rows.int(0, 3)) of the tables",
                    remedy: "ALTER TABLE … OWNER TO the login, and REVOKE what makes \(role) a member of their owner."))
        }
        return found
    }

    private struct Table {
        var columns: [String: Column] = [:]
    }

    private struct Column: Equatable {
        let type: String
        let isNullable: Bool
        var hasDefault = false
    }

    private static func expected(_ entity: HubEntity) -> [String: Column] {
        var columns: [String: Column] = [
            "space_id": Column(type: "uuid", isNullable: false), "id": Column(type: "uuid", isNullable: false),
            "seq": Column(type: "bigint", isNullable: false), "alive": Column(type: "boolean", isNullable: false),
            "stamp": Column(type: "bigint", isNullable: false), "stamps": Column(type: "bytea", isNullable: true),
            "born": Column(type: "bigint", isNullable: false), "died": Column(type: "bigint", isNullable: false),
            "device": Column(type: "uuid", isNullable: true), "seen": Column(type: "bigint", isNullable: true),
            "since": Column(type: "bigint", isNullable: true), "dangling": Column(type: "bigint", isNullable: false),
        ]
        for column in entity.columns {
            columns[column.name] = Column(type: column.type.rawValue, isNullable: column.isNullable)
        }
        return columns
    }

    private static func compare(
        _ expected: [String: Column], with actual: [String: Column], in rollout: Rollout, at place: String
    ) -> [Difference] {
        var found: [Difference] = []
        for (name, column) in expected.sorted(by: { $0.key < $1.key }) {
            let here = "\(place).\(name)"
            guard let has = actual[name] else {
                found.append(Difference(place: here, message: "the column is missing (\(column.type))"))
                continue
            }
            if has.type != column.type {
                found.append(Difference(place: here, message: "it is \(has.type), the plan needs \(column.type)"))
            } else if has.isNullable != column.isNullable, !(has.isNullable && rollout.hasContractsLeft) {
                let (is_, needs) = column.isNullable ? ("NOT NULL", "a nullable column") : ("nullable", "NOT NULL")
                found.append(Difference(place: here, message: "it is \(is_), the plan needs \(needs)"))
            }
        }
        for (name, column) in actual.sorted(by: { $0.key < $1.key }) where expected[name] == nil {
            let here = "\(place).\(name)"
            if !rollout.isAhead {
                found.append(Difference(place: here, message: "the plan knows no such column", isSurplus: true))
            } else if !column.isNullable, !column.hasDefault {
                found.append(
                    Difference(
                        place: here, message: "the plan knows no such column, and it is NOT NULL without a default"))
            }
        }
        return found
    }

    private static let catalog: Statement = """
        SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.atthasdef
        FROM pg_class AS c
            JOIN pg_namespace AS n ON n.oid = c.relnamespace
            JOIN pg_attribute AS a ON a.attrelid = c.oid
        WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
        """

    private static let powers: Statement = """
        SELECT r.rolname, r.rolsuper, r.rolbypassrls,
            (SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p') AND pg_has_role(r.oid, c.relowner, 'MEMBER'))
        FROM pg_roles AS r WHERE r.rolname = current_user
        """
}
