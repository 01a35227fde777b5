import Foundation

/// The reason why there are no figures.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// Prints progress on standard error.
package func note(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
