import HTTPServer
import WireFormats

extension HTTPRequest {
    /// Checks that the body's declared type, if there is one, is JSON.
    ///
    /// - Throws: 415 if the body declares a type other than JSON. A body without a type passes.
    func expectJSON() throws(Problem) {
        guard let type = headers["Content-Type"], type != MediaType.json else { return }
        let essence = type.split(separator: ";").first.map { $0.lowercased() } ?? ""
        let trimmed = essence.split(separator: " ").joined()
        guard trimmed == MediaType.json || trimmed.hasPrefix("application/") && trimmed.hasSuffix("+json") else {
            throw .unsupportedMediaType
        }
    }
}
