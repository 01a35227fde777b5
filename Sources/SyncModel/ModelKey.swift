package import WireFormats

/// The identity of a record: its id, and the name that its entity has in some version.
package struct ModelKey: Hashable, Sendable {
    package let entity: String
    package let id: ID

    package init(entity: String, id: ID) {
        self.entity = entity
        self.id = id
    }
}
