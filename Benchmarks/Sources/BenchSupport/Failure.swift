import Foundation

/// Why there are no figures.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// Says on standard error how far the run is.
package func note(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
