package import WireFormats

/// One space of one app, among all that a server serves.
package struct SpaceName: Hashable, Sendable {
    package let app: String
    package let space: ID

    package init(app: String, space: ID) {
        self.app = app
        self.space = space
    }
}
