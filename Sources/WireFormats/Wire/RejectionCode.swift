/// The codes of rejected changes: docs/protocol.md, *Verdicts*.
package enum RejectionCode: String, CaseIterable, Sendable {
    /// The user who sent the change may only read the space.
    case readOnly = "read-only"
    /// The change is not a JSON object with the protocol's members, or it is a deletion with fields or increments.
    case malformedChange = "malformed-change"
    case malformedID = "malformed-id"
    /// The id is a UUID of the kind that the server derives from text ids, but the server has not derived it in this
    /// space.
    case unknownID = "unknown-id"
    case badOperation = "bad-op"
    case badStamp = "bad-stamp"
    /// The change's `version` is not a version of the app's models.
    case unknownVersion = "unknown-version"
    case unknownEntity = "unknown-entity"
    case unknownAttribute = "unknown-attribute"
    /// The change names an entity, attribute or to-many relationship that is never sent.
    case localOnly = "local-only"
    case wrongType = "wrong-type"
    /// A text contains U+0000, which PostgreSQL cannot store.
    case nulCharacter = "nul-character"
    /// The change creates another record of an entity of which each space has exactly one.
    case notTheSingleton = "not-the-singleton"
    /// An increment of a counter has no stamp.
    case missingStamp = "missing-stamp"
    /// An increment of a counter has no device id.
    case missingDevice = "missing-device"
    /// The change increments an attribute that is not a counter.
    case notACounter = "not-a-counter"
    /// An update sets an attribute that the change's version declares as a counter, instead of incrementing it.
    case counterSet = "counter-set"
    /// With the increment, the counter would not fit in 64 bits.
    case counterOverflow = "counter-overflow"
    /// With the change, the record would exceed the greatest size of a record in bytes.
    case recordTooLarge = "record-too-large"
    /// A create lacks a required attribute that has no default.
    case missingAttribute = "missing-attribute"
    /// The change gives a unique attribute a value that is taken: another record of the space, which is not deleted,
    /// has it.
    case unique
    /// A relationship's delete rule denies the deletion while there are records at its other end.
    case denied
    /// The push contains so many deletions that the device's store may have been wiped by mistake.
    case massDeletion = "mass-deletion"
}
