/// Why a server does not start over a database, and what to do about it.
package struct NotServable: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
