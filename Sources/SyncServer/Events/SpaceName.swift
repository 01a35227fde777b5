import WireFormats

/// One space of one app, among all that a server serves.
struct SpaceName: Hashable, Sendable {
    let app: String
    let space: ID
}
