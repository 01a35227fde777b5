import WireFormats

/// The part of a record that each change of a push contains.
package enum ChangeMode: String, Sendable {
    /// The values that the user changed.
    case patch
    /// All values of the record in the device's store. Values that equal the stored record, as the version reads it,
    /// count as unchanged.
    case whole
    /// The values of an import. A counter gets its initial value, if nobody has counted yet.
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
