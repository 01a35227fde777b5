import WireFormats

extension LegacyFault {
    /// What `read` finds; its fault is the file's.
    static func wrapping<Found>(_ read: () throws(JSONError) -> Found) throws(LegacyFault) -> Found {
        do throws(JSONError) {
            return try read()
        } catch {
            throw LegacyFault(error.description)
        }
    }
}
