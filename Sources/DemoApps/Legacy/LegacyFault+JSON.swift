import StrictJSON
import WireFormats

extension LegacyFault {
    /// Returns the result of `read`. If it throws a `JSONError`, this is thrown on as a fault of the file.
    static func wrapping<Found>(_ read: () throws(JSONError) -> Found) throws(LegacyFault) -> Found {
        do throws(JSONError) {
            return try read()
        } catch {
            throw LegacyFault(error.description)
        }
    }
}
