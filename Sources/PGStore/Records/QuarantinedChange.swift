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

    /// The content of the change as the device sent it, with the values that the server derived from it.
    package struct Content: Sendable {
        package let device: ID?
        /// The name of the record's table.
        package let table: String
        /// The name that the entity has in the version in which the change was written.
        package let entity: String
        package let record: ID
        package let operation: String
        /// The stamp as the device sent it.
        package let sent: Stamp
        /// The stamp with which the change is merged. It differs from `sent` if the device's stamp was too far ahead of
        /// the server's clock.
        package let stamp: Stamp
        /// The change mode of the request. It tells which values a change contains: only the edited ones (`patch`), all
        /// (`whole`), or those of an import (`imported`).
        package let mode: String
        /// The number of the version in which the change was written, as text, because a row may contain anything. If
        /// several schemas were shipped under this number, `fingerprint` identifies the one.
        package let version: String
        package let fingerprint: String
        /// The bytes of the change as the device sent it.
        package let bytes: [UInt8]
        /// The values in the change that the device only read from the server and did not edit, as JSON. `nil` if they
        /// are not known, because a server of the previous release stored the change.
        package let reading: String?

        package init(
            device: ID?, table: String, entity: String, record: ID, operation: String, sent: Stamp,
            stamp: Stamp, mode: String, version: String, fingerprint: String, bytes: [UInt8],
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
        /// An explanation of the reason, written for the operator. It may contain values of the change.
        package let detail: String

        package init(code: String, detail: String) {
            self.code = code
            self.detail = detail
        }
    }
}
