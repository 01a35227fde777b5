package import SQLText

/// A part of a migration file that is done or not done as a whole: what follows one `-- phase:` line, or a whole file
/// without any.
package struct MigrationStep: Sendable, Hashable {
    /// Its place in the file, from 1.
    package let number: Int
    package let phase: Phase
    package let mode: Mode
    /// What devices learn of the rows that it changes; `nil` where it says nothing, and so may change none.
    package let effect: SyncEffect?
    /// What must hold before it may run, such as `census(<2.0.0)=0 for 30d`; only a contract has any.
    package let requirements: [String]
    /// Their lines are those of the file.
    package let statements: [SQLStatement]
    /// The line on which it begins, from 1.
    package let line: Int

    /// The phases of a change that is made while servers of both sides of it are at work, in their order.
    package enum Phase: String, Sendable, Comparable, CaseIterable {
        /// Adds what the new server needs and the old one does not notice.
        case expand
        /// Fills what was added, beside traffic.
        case backfill
        /// Queries that must return no row.
        case verify
        /// Takes away what only old servers need.
        case contract

        package static func < (a: Phase, b: Phase) -> Bool {
            allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
        }
    }

    /// How a step is run.
    package enum Mode: Sendable, Hashable {
        /// All statements and the ledger's row commit together.
        case transaction
        /// One statement after the other, each by itself, for what PostgreSQL refuses inside a transaction. Each must
        /// be harmless when run twice.
        case statements
        /// One UPDATE, again and again for the next rows by primary key.
        case batches(table: TableName, size: Int)
    }

    /// What a change of rows means for devices.
    package enum SyncEffect: Sendable, Hashable {
        /// No record gets a new number: no device is told anything.
        case silent
        /// The records that change get new numbers: every device is told of them, in the terms of its version.
        case republish(entities: [String])
    }
}

/// A table's name with its schema, as SQL has it: what is a word of PostgreSQL's may be in quotes.
package struct TableName: Sendable, Hashable, CustomStringConvertible {
    package let schema: String
    package let table: String
    /// In quotes where SQL needs them.
    package let description: String

    package init?(_ text: some StringProtocol) {
        let name = SQLName(text: String(text))
        guard let schema = name.schema, !schema.isEmpty, !name.name.isEmpty else { return nil }
        (self.schema, table, description) = (schema, name.name, name.sql)
        let spellings = Self.spellings(schema).flatMap { first in Self.spellings(table).map { "\(first).\($0)" } }
        if !spellings.contains(String(text)) { return nil }
    }

    /// In quotes, and plain where that may be.
    private static func spellings(_ part: String) -> [String] {
        let quoted = "\"\(part.replacing("\"", with: "\"\""))\""
        return part.wholeMatch(of: /[\w$]+/) == nil ? [quoted] : [part, quoted]
    }
}
