import HTTPServer
import Testing
import WireFormats

/// `HTTPServer` knows nothing of the protocol, and spells the codes of what it answers by itself.
@Suite struct TransportProblemTests {
    @Test(arguments: [
        Problem.malformed(""), .timeout, .lengthRequired, .tooLarge(""), .unsupportedEncoding, .headersTooLarge,
        .unsendable, .versionNotSupported, .overloaded(""),
    ])
    func theProtocolHasItsCodeWithItsStatus(_ problem: Problem) {
        #expect(ProblemCode(rawValue: problem.code)?.status == problem.status, "\(problem.code)")
    }
}
