/// A statement and the values bound to it, to be run by a session.
package struct Command: Sendable {
    package let statement: Statement
    /// The values of `$1`, `$2`, … in order.
    package let parameters: [Parameter]

    package init(_ statement: Statement, _ parameters: [Parameter] = []) {
        self.statement = statement
        self.parameters = parameters
    }
}

extension Command: ExpressibleByStringLiteral {
    /// Creates a command from a literal statement without parameters.
    package init(stringLiteral sql: StaticString) {
        self.init(Statement(sql))
    }
}
