package import WireFormats

/// The identity of a record: its id and its entity's name. The name is that of a certain version, because an entity may
/// have another name in another version.
package struct ModelKey: Hashable, Sendable {
    package let entity: String
    package let id: ID

    package init(entity: String, id: ID) {
        self.entity = entity
        self.id = id
    }
}
