import WireFormats

/// One space of one app, among all that a server serves.
package struct SpaceName: Hashable, Sendable {
    let app: String
    let space: ID
}
