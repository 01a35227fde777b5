package import WireFormats

/// A change in quarantine: its content, and the reason why it could not be merged.
package struct QuarantinedChange: Sendable {
    /// The change's number in the database. Within a space, the numbers are in the order in which the changes entered
    /// quarantine.
    package let id: Int64
    package let app: String
    package let space: ID
    package let content: Content
    package let reason: Reason
    package let heldAt: Timestamp
    package let triedAt: Timestamp
    package let attempts: Int64

    /// The content of the change as the device sent it.
    package struct Content: Sendable {
        package let device: ID?
        /// The record's table.
        package let table: String
        /// The entity's name in the version.
        package let entity: String
        package let record: ID
        package let operation: String
        /// The stamp as the device sent it.
        package let sent: Stamp
        /// The stamp with which the change is merged, in place of `sent`.
        package let stamp: Stamp
        /// The change mode that the request stated.
        package let mode: String
        /// The number of the version in which the change was written; `fingerprint` identifies the shape among those
        /// with this number.
        package let version: Schema.Version
        package let fingerprint: String
        /// The change's original bytes.
        package let bytes: [UInt8]
        /// The values that the device had read in the record and only repeated in the change, as JSON. `nil` if they
        /// are not known, because a server of the previous release stored the change.
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

    /// The reason why merging the change failed the last time.
    package struct Reason: Sendable {
        package let code: String
        /// The details for the operator; they may contain values of the change.
        package let detail: String

        package init(code: String, detail: String) {
            self.code = code
            self.detail = detail
        }
    }
}
