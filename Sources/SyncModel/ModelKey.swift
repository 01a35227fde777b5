package import WireFormats

/// A record by the name that some version has for its entity.
package struct ModelKey: Hashable, Sendable {
    package let entity: String
    package let id: ID

    package init(entity: String, id: ID) {
        self.entity = entity
        self.id = id
    }
}
