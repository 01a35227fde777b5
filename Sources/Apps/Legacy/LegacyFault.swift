import WireFormats

/// Why a file from before the app's models had versions, or one of its rows, cannot be read.
public struct LegacyFault: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// What `read` finds; its fault is the file's.
    static func wrapping<Found>(_ read: () throws(JSONError) -> Found) throws(LegacyFault) -> Found {
        do throws(JSONError) {
            return try read()
        } catch {
            throw LegacyFault(error.description)
        }
    }
}
