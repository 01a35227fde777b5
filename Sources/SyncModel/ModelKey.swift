package import WireFormats

/// A record's id and its entity's name in some version.
package struct ModelKey: Hashable, Sendable {
    package let entity: String
    package let id: ID

    package init(entity: String, id: ID) {
        self.entity = entity
        self.id = id
    }
}
