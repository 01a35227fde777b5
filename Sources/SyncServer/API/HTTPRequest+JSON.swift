import HTTPServer

extension HTTPRequest {
    /// - Throws: 415, where the body says that it is something else than JSON. It need not say what it is.
    func expectJSON() throws(Problem) {
        guard let type = headers["Content-Type"], type != "application/json" else { return }
        let essence = type.split(separator: ";").first.map { $0.lowercased() } ?? ""
        let trimmed = essence.split(separator: " ").joined()
        guard trimmed == "application/json" || trimmed.hasPrefix("application/") && trimmed.hasSuffix("+json") else {
            throw .unsupportedMediaType
        }
    }
}
