package import WireFormats

/// A change in quarantine: what was sent, and why it could not be merged.
package struct QuarantinedChange: Sendable {
    /// Its number in the database; within a space they are in the order in which they were held.
    package let id: Int64
    package let app: String
    package let space: ID
    package let content: Content
    package let reason: Reason
    package let heldAt: Timestamp
    package let triedAt: Timestamp
    package let attempts: Int64

    /// What the device sent.
    package struct Content: Sendable {
        package let device: ID?
        /// The record's table.
        package let table: String
        /// The entity's name in the version.
        package let entity: String
        package let record: ID
        package let operation: String
        /// As the device sent it.
        package let sent: Stamp
        /// The one that counts.
        package let stamp: Stamp
        /// How the request said that its changes are to be read.
        package let mode: String
        /// What it was written in, with the fingerprint.
        package let version: Schema.Version
        package let fingerprint: String
        /// The change's own bytes.
        package let bytes: [UInt8]
        /// The values that its device had read of the record and only said again, as JSON; `nil` where they are not
        /// known, because a server of a release before has held it.
        package let reading: String?

        package init(
            device: ID?, table: String, entity: String, record: ID, operation: String, sent: Stamp,
            stamp: Stamp, mode: String, version: Schema.Version, fingerprint: String, bytes: [UInt8],
            reading: String?
        ) {
            self.device = device
            self.table = table
            self.entity = entity
            self.record = record
            self.operation = operation
            self.sent = sent
            self.stamp = stamp
            self.mode = mode
            self.version = version
            self.fingerprint = fingerprint
            self.bytes = bytes
            self.reading = reading
        }
    }

    /// Why it was held the last time that it was tried.
    package struct Reason: Sendable {
        package let code: String
        /// For the operator; may quote the change.
        package let detail: String

        package init(code: String, detail: String) {
            self.code = code
            self.detail = detail
        }
    }
}
