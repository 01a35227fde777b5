import StrictJSON
import WireFormats

extension SyncStore {
    /// Parses the body of an answer with status 200.
    ///
    /// - Throws: `SyncFailure` for a body without `serverTime`. Such an answer did not come from the server; most
    ///   likely it is the page of a captive portal.
    static func document(_ body: [UInt8]) throws(SyncFailure) -> JSONDocument {
        guard let document = try? JSONDocument(parsing: body), document.root[BodyMember.serverTime] != nil else {
            throw .unexpectedAnswer("what answered with 200 is not the server")
        }
        return document
    }
}
