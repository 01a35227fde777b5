package import SQLText

/// A part of a migration file that is done or not done as a whole. It consists of the statements after one `-- phase:`
/// line. A file without such a line is a single step.
package struct MigrationStep: Sendable, Hashable {
    /// The step's number in the file, from 1.
    package let number: Int
    package let phase: Phase
    package let mode: Mode
    /// The effect on devices that the step declares for its changes to records. If it is `nil`, the step may not change
    /// any records.
    package let effect: SyncEffect?
    /// Conditions that must hold before the step may run, such as `census(<2.0.0)=0 for 30d`; only a contract step has
    /// any.
    package let requirements: [String]
    /// The step's statements, with line numbers of the whole file.
    package let statements: [SQLStatement]
    /// The number of the step's first line in the file, from 1.
    package let line: Int

    /// The phases of a schema change, in the order in which they run. They let servers of the previous and of the new
    /// release work side by side.
    package enum Phase: String, Sendable, Comparable, CaseIterable {
        /// Adds objects that new servers need and old servers ignore.
        case expand
        /// Fills the added columns while servers continue to serve.
        case backfill
        /// Checks the rows: queries that must return no row.
        case verify
        /// Removes objects that only old servers need.
        case contract

        package static func < (a: Phase, b: Phase) -> Bool {
            allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
        }
    }

    /// The way in which a step's statements are divided into transactions.
    package enum Mode: Sendable, Hashable {
        /// All statements run in one transaction, which also records the step as done.
        case transaction
        /// Each statement runs by itself. This is for statements that PostgreSQL refuses inside a transaction. Running
        /// a statement twice must do no harm, because an interrupted statement is run again.
        case statements
        /// One UPDATE, repeated for the next `size` rows by primary key until all rows are done.
        case batches(table: TableName, size: Int)
    }

    /// The effect of a change of rows on devices.
    package enum SyncEffect: Sendable, Hashable {
        /// No record gets a new sequence number in its space, so nothing is sent to devices.
        case silent
        /// The changed records get new sequence numbers in their spaces. So they are sent to every device again, in the
        /// form of the device's schema version.
        case republish(entities: [String])
    }
}

/// A table's name with its schema, in SQL notation: a word that PostgreSQL reserves may be in quotes.
package struct TableName: Sendable, Hashable, CustomStringConvertible {
    package let schema: String
    package let table: String
    /// The name in SQL notation, with quotes where SQL needs them.
    package let description: String

    package init?(_ text: some StringProtocol) {
        let name = SQLName(text: String(text))
        guard let schema = name.schema, !schema.isEmpty, !name.name.isEmpty else { return nil }
        (self.schema, table, description) = (schema, name.name, name.sql)
        let spellings = Self.spellings(schema).flatMap { first in Self.spellings(table).map { "\(first).\($0)" } }
        if !spellings.contains(String(text)) { return nil }
    }

    /// Returns the accepted spellings of a name's part: quoted, and unquoted if SQL allows it.
    private static func spellings(_ part: String) -> [String] {
        let quoted = "\"\(part.replacing("\"", with: "\"\""))\""
        return part.wholeMatch(of: /[\w$]+/) == nil ? [quoted] : [part, quoted]
    }
}
