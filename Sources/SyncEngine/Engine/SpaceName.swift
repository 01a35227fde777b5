package import WireFormats

/// The name of a space among all spaces of all apps that a server serves: the app and the space's id.
package struct SpaceName: Hashable, Sendable {
    package let app: String
    package let space: ID

    package init(app: String, space: ID) {
        self.app = app
        self.space = space
    }
}
