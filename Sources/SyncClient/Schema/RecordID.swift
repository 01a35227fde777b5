public import Foundation
public import WireFormats

/// The id of a record, exactly as the device wrote it: a UUID, or any text if the version's model has `id: String`.
///
/// Two ids are equal if their bytes are equal. A Swift `String` differs: it equals another one with the same characters
/// in another encoding, such as an é of one scalar or of two. To the server those are two ids.
public struct RecordID: Hashable, Sendable {
    /// The id as text, in the form in which it is sent to the server.
    public let text: String

    /// Makes an id from text. If the version's model has `id: String`, the text must have 1 to 512 bytes of UTF-8.
    /// Otherwise it must be a UUID in lower case.
    public init(_ text: String) { self.text = text }

    /// Makes an id of the 36 characters of a UUID, in lower case.
    public init(_ id: ID) { text = id.description }

    /// Makes an id of the 36 characters of a UUID, in lower case.
    public init(_ uuid: UUID) { text = uuid.uuidString.lowercased() }

    /// The id as a UUID; `nil` if the text is not one.
    public var uuid: UUID? { UUID(uuidString: text) }

    public static func == (a: RecordID, b: RecordID) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension RecordID: CustomStringConvertible {
    public var description: String { text }
}
