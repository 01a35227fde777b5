import WireFormats

/// The part of a record that each change of a push contains.
package enum ChangeMode: String, Sendable {
    /// The values that the user changed.
    case patch
    /// Each change contains a whole record, as it is in the device's store. A value is an edit only if it differs from
    /// the stored value, translated to the change's version.
    case whole
    /// Each change contains the values of an imported record. The value of a counter becomes its initial value, unless
    /// the counter was written before.
    case imported

    /// Creates the mode from the request header `Change-Mode`: `patch` if there is no header, `nil` for an unknown
    /// value. Clients cannot request `imported`.
    package init?(header: String?) {
        switch header {
        case nil, ChangeModeName.patch.rawValue: self = .patch
        case ChangeModeName.whole.rawValue: self = .whole
        default: return nil
        }
    }
}
