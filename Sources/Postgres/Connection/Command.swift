/// A statement and the values bound to it: what a session runs.
package struct Command: Sendable {
    package let statement: Statement
    /// One for each of `$1`, `$2`, … in order.
    package let parameters: [Parameter]

    package init(_ statement: Statement, _ parameters: [Parameter] = []) {
        self.statement = statement
        self.parameters = parameters
    }
}

extension Command: ExpressibleByStringLiteral {
    /// A statement written in the source that takes no values.
    package init(stringLiteral sql: StaticString) {
        self.init(Statement(sql))
    }
}
