/// The reason why a server does not start with a database, with advice.
package struct NotServable: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
