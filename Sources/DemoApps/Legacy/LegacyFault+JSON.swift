import StrictJSON
import WireFormats

extension LegacyFault {
    /// Returns the result of `read`, and converts a thrown `JSONError` to a `LegacyFault`.
    static func wrapping<Found>(_ read: () throws(JSONError) -> Found) throws(LegacyFault) -> Found {
        do throws(JSONError) {
            return try read()
        } catch {
            throw LegacyFault(error.description)
        }
    }
}
