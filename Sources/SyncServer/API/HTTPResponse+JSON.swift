import HTTPServer
import StrictJSON
import WireFormats

extension HTTPResponse {
    /// Returns a response of status 200 with a JSON body.
    static func json(type: String = MediaType.json, _ content: (inout JSONWriter) -> Void) -> HTTPResponse {
        var writer = JSONWriter()
        content(&writer)
        return HTTPResponse(status: 200, headers: ["Content-Type": type], body: writer.bytes)
    }
}
