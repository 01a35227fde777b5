/// The codes of rejected changes: docs/protocol.md, *Verdicts*.
package enum RejectionCode: String, CaseIterable, Sendable {
    /// The sender may only read the space.
    case readOnly = "read-only"
    /// The change is not an object with the known members.
    case malformedChange = "malformed-change"
    case malformedID = "malformed-id"
    /// A UUID of the kind that the server makes from texts, which the server has not made from any text.
    case unknownID = "unknown-id"
    case badOperation = "bad-op"
    case badStamp = "bad-stamp"
    /// The change's `version` is not one of the app's.
    case unknownVersion = "unknown-version"
    case unknownEntity = "unknown-entity"
    case unknownAttribute = "unknown-attribute"
    /// An entity, attribute or to-many relationship that never crosses the wire.
    case localOnly = "local-only"
    case wrongType = "wrong-type"
    /// U+0000, which PostgreSQL text cannot hold.
    case nulCharacter = "nul-character"
    /// Another record of an entity of which each space has one.
    case notTheSingleton = "not-the-singleton"
    /// An increment without a stamp; `missingDevice`: one without a device.
    case missingStamp = "missing-stamp"
    case missingDevice = "missing-device"
    /// An increment of an attribute that is not a counter.
    case notACounter = "not-a-counter"
    /// An update that sets a counter, in a version that declares the attribute as one.
    case counterSet = "counter-set"
    /// With the increment, the counter would not fit in 64 bits.
    case counterOverflow = "counter-overflow"
    /// With the change, the record would exceed the limit of bytes per record.
    case recordTooLarge = "record-too-large"
    /// A create lacks a required attribute that has no default.
    case missingAttribute = "missing-attribute"
    /// Another live record of the space already has this unique value.
    case unique
    /// A deletion that a relationship's delete rule denies while there are records at its other end.
    case denied
    /// A deletion among so many in one push that a store may have been wiped.
    case massDeletion = "mass-deletion"
}
