import HTTPServer
import StrictJSON
import Synchronization
import WireFormats

/// The route `GET /openapi.json`: returns the OpenAPI document, which is built once, at the first request. It needs no
/// token, because it reveals nothing about data.
final class OpenAPIPage: Sendable {
    private let document: OpenAPIDocument
    private let written = Mutex<[UInt8]?>(nil)

    init(_ plans: [Plan]) {
        document = OpenAPIDocument(plans)
    }

    var response: HTTPResponse {
        let bytes = written.withLock { written in
            if let written { return written }
            var writer = JSONWriter()
            document.write(to: &writer)
            written = writer.bytes
            return writer.bytes
        }
        return HTTPResponse(status: 200, headers: ["Content-Type": MediaType.json], body: bytes)
    }
}
