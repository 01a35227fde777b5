package import Postgres
package import WireFormats

/// Finds the values in an app's tables that cannot be sent to any device, because the protocol does not allow them.
/// These are numbers that are not finite, dates out of range, decimals with too many digits, texts that are not a case
/// of the newest version's enumeration, JSON that a strict parser rejects, and null for a required value. In place of
/// such a value, devices receive the attribute's default.
///
/// Each table is read to its end, so this is for operators who examine a database, not for serving.
package struct UnsendableValues: Sendable {
    private let hub: Hub

    package init(_ hub: Hub) {
        self.hub = hub
    }

    /// A column with values that cannot be sent to devices.
    package struct Finding: Sendable, Hashable {
        /// The name that the entity had in the first version that has it.
        package let entity: String
        /// The qualified name of the table, such as `fitiq.sd_meal`.
        package let table: String
        package let column: String
        /// The number of rows in which the column has a value that cannot be sent.
        package let count: Int64
        /// The space of an example: a row whose value cannot be sent. `record` is the id of the row's record.
        package let space: ID
        package let record: ID
        /// The SQL statement that sets the column's invalid values to the attribute's default. Devices already receive
        /// this default in their place.
        package let remedy: String

        /// A description of the values: their column, their number, and one record as an example. It contains none of
        /// the values, because they are users' data.
        package var description: String {
            "\(table).\(column) (\(entity)): \(count) \(count == 1 ? "row holds" : "rows hold") what no device can be "
                + "sent, such as record \(record) of space \(space)"
        }
    }

    /// The number of rows that are fetched at a time to check their JSON.
    private static let rowsMax: Int64 = 100
    /// The size of JSON, in bytes, above which a value is not checked. No record that was ever pushed is larger.
    private static let jsonMaxBytes: Int64 = 4 << 20

    /// Searches all tables of the app for values that cannot be sent to devices. Columns that are missing in a table,
    /// or have another type there, are skipped.
    package func find(_ session: isolated Session) throws(PGError) -> [Finding] {
        var found: [Finding] = []
        for entity in hub.entities {
            let types = try columnTypes(of: entity, session)
            let columns = entity.columns.indices.filter {
                types[entity.columns[$0].name] == entity.columns[$0].type.rawValue
            }
            found += try scalars(of: entity, columns, session)
            found += try documents(of: entity, columns.filter { entity.columns[$0].type == .json }, session)
        }
        return found
    }

    private func columnTypes(of entity: HubEntity, _ session: isolated Session) throws(PGError) -> [String: String] {
        let rows = try session.execute(
            Command(
                """
                SELECT a.attname, format_type(a.atttypid, a.atttypmod)
                FROM pg_attribute AS a
                    JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped
                """, [.text(hub.schema), .text(entity.table)]))
        return Dictionary(
            (0..<rows.count).map { (rows.string($0, 0), rows.string($0, 1)) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: What SQL can tell

    /// Finds the values in the given columns that cannot be sent to devices, except values inside of JSON. Reads the
    /// table only once.
    private func scalars(
        of entity: HubEntity, _ columns: [Int], _ session: isolated Session
    ) throws(PGError) -> [Finding] {
        let conditions = columns.compactMap { column in condition(on: column, of: entity).map { (column, $0) } }
        if conditions.isEmpty { return [] }
        let selected = conditions.map { _, condition in
            "count(*) FILTER (WHERE \(condition)), "
                + "min(space_id::text || id::text) FILTER (WHERE \(condition))"
        }
        let table = "\(quoted(hub.schema)).\(quoted(entity.table))"
        let rows = try session.execute(
            Command(Statement(unchecked: "SELECT \(selected.joined(separator: ", ")) FROM \(table)")))
        return conditions.enumerated().compactMap { index, condition in
            guard let example = rows.stringIfPresent(0, 2 * index + 1),
                let space = ID(String(example.prefix(36))), let record = ID(String(example.suffix(36)))
            else { return nil }
            return finding(
                in: condition.0, of: entity, count: rows.int(0, 2 * index), space, record, where: condition.1)
        }
    }

    /// Returns the SQL condition for rows whose value in one column cannot be sent to devices; `nil` if the column
    /// cannot have such values.
    ///
    /// - Parameter index: the column, as an index in the entity's columns.
    private func condition(on index: Int, of entity: HubEntity) -> String? {
        let column = entity.columns[index]
        let name = quoted(column.name)
        // Null JSON is found with other JSON that cannot be sent.
        let isDocument = column.type == .json && entity.forms[index] != nil
        var conditions: [String] = column.isNullable || isDocument ? [] : ["\(name) IS NULL"]
        switch column.type {
        case .double: conditions.append("\(name) IN ('NaN', 'Infinity', '-Infinity')")
        case .numeric:
            conditions.append(
                "\(name) IN ('NaN', 'Infinity', '-Infinity') OR "
                    + "length(translate(trim_scale(\(name))::text, '-.', '')) > \(DecimalText.digitsMax)")
        case .timestamp:
            let (first, last) = (Timestamp.wireRange.lowerBound, Timestamp.wireRange.upperBound)
            conditions.append("\(name) NOT BETWEEN '\(first)' AND '\(last)'")
        case .text:
            guard let cases = entity.forms[index]?.cases else { break }
            conditions.append("\(name) <> ALL (ARRAY[\(cases.map(quotedLiteral).joined(separator: ", "))]::text[])")
        case .boolean, .bigint, .uuid, .bytes, .json: break
        }
        return conditions.isEmpty ? nil : conditions.joined(separator: " OR ")
    }

    // MARK: What only a reader of JSON can

    private func documents(
        of entity: HubEntity, _ columns: [Int], _ session: isolated Session
    ) throws(PGError) -> [Finding] {
        let columns = columns.filter { entity.forms[$0] != nil }
        if columns.isEmpty { return [] }
        let texts = columns.map { "\(quoted(entity.columns[$0].name))::text" }
        // An empty text is no JSON.
        let selected = zip(columns, texts).map { column, text in
            (entity.columns[column].isNullable ? "CASE" : "CASE WHEN \(text) IS NULL THEN ''")
                + " WHEN octet_length(\(text)) <= \(UnsendableValues.jsonMaxBytes) THEN \(text) END"
        }
        let conditions = zip(columns, texts).map { column, text in
            "\(text) <> '[]'" + (entity.columns[column].isNullable ? "" : " OR \(text) IS NULL")
        }
        let statement = Statement(
            unchecked: """
                SELECT space_id, id, \(selected.joined(separator: ", "))
                FROM \(quoted(hub.schema)).\(quoted(entity.table))
                WHERE (space_id, id) > ($1, $2) AND (\(conditions.joined(separator: " OR ")))
                ORDER BY space_id, id LIMIT $3
                """)
        var counts: [Int: (count: Int64, space: ID, record: ID)] = [:]
        var (space, id) = (ID(high: 0, low: 0), ID(high: 0, low: 0))
        while true {
            let rows = try session.execute(Command(statement, [.id(space), .id(id), .int(UnsendableValues.rowsMax)]))
            for row in 0..<rows.count {
                (space, id) = (rows.id(row, 0), rows.id(row, 1))
                for (index, column) in columns.enumerated() where !rows.isNull(row, 2 + index) {
                    let isGood = rows.withBytes(row, 2 + index) { entity.forms[column]?.admits(json: $0) ?? true }
                    if isGood { continue }
                    counts[column, default: (0, space, id)].count += 1
                }
            }
            if rows.count < UnsendableValues.rowsMax { break }
        }
        return counts.sorted { $0.key < $1.key }.map { column, found in
            let example = "(space_id, id) = ('\(found.space)', '\(found.record)')"
            return finding(
                in: column, of: entity, count: found.count, found.space, found.record, where: example)
        }
    }

    private func finding(
        in index: Int, of entity: HubEntity, count: Int64, _ space: ID, _ record: ID, where condition: String
    ) -> Finding {
        let name = entity.columns[index].name
        let standard = MigrationDraft.literal(entity.standards[index])
        return Finding(
            entity: entity.identity, table: "\(hub.schema).\(entity.table)", column: name, count: count, space: space,
            record: record,
            remedy: "UPDATE \(quoted(hub.schema)).\(quoted(entity.table)) SET \(quoted(name)) = \(standard) "
                + "WHERE \(condition);")
    }
}
