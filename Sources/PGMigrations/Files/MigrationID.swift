/// The identity of a migration: its line (`sync`, or an app's name) and its number in the line, from 1.
package struct MigrationID: Sendable, Hashable {
    package let line: String
    package let number: Int

    package init(line: String, number: Int) {
        self.line = line
        self.number = number
    }
}
