import Testing

@testable import StrictJSON
@testable import WireFormats

/// Hostile bytes: they never cause a crash, and two readers return the same verdict.
struct HostileInputTests {
    private static let samples: [[UInt8]] = [
        #"{"entity":"SDMeal","id":"0b0f7f0e-1111-4222-8333-444455556666","op":"update","stamp":3598761234567890,"#
            + #""fields":{"name":"Süp\u00e9 \ud83d\ude00","calories":310,"#
            + #""ratio":-1.25e-3,"tags":["a",null,true,false,{}]}}"#,
        #"[1,-0,0.5,1e10,"\\\"\/\b\f\n\r\t",[[[[]]]],{"":{"":{}}}]"#, #""plain""#, "-12.5E+7", "  [ ]  ",
    ].map { Array($0.utf8) }

    /// Bytes that matter to a JSON reader, so that mutations reach far into it.
    private static let telling =
        Array("{}[]:,\"\\/utfneE+-.0123456789dDcC8 \n\0\u{1F}".utf8) + [0x80, 0xC3, 0xED, 0xA0, 0xF4, 0xFF]

    private static func mutate(_ bytes: inout [UInt8], using random: inout SeededRandom) {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let offset = Int.random(in: 0...bytes.count, using: &random)
            let byte = telling.randomElement(using: &random)!
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes.insert(byte, at: offset)
            case 1 where offset < bytes.count: bytes[offset] = byte
            case 2 where offset < bytes.count: bytes.remove(at: offset)
            case 3: bytes.removeSubrange(offset...)
            default:
                let end = min(offset + Int.random(in: 0...20, using: &random), bytes.count)
                bytes.insert(contentsOf: bytes[offset..<end], at: Int.random(in: 0...bytes.count, using: &random))
            }
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func bothReadersAgreeOnMutatedDocuments(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var accepted = 0
        for _ in 0..<40_000 {
            var bytes = HostileInputTests.samples.randomElement(using: &random)!
            HostileInputTests.mutate(&bytes, using: &random)
            let fault = bytes.withUnsafeBytes { JSONReader.fault(in: $0, depthMax: 64) }
            do throws(JSONError) {
                let document = try JSONDocument(parsing: bytes)
                #expect(fault == nil, "\(bytes)")
                accepted += 1
                _ = document.root.containsNUL
                let portable = bytes.withUnsafeBytes { try? JSONDocument(parsing: $0, with: .portable) }
                #expect(portable != nil, "\(bytes)")
                guard let portable else { continue }
                #expect(JSONTree(portable.root) == JSONTree(document.root), "\(bytes)")
            } catch {
                if case .duplicateKey = error { continue }
                #expect(fault == error, "\(bytes)")
                #expect((error.offset ?? 0) <= bytes.count)
            }
        }
        #expect(accepted > 1_000)
    }

    @Test(arguments: SeededRandom.seeds)
    func bothReadersAgreeOnShortRandomTexts(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<40_000 {
            let bytes = (0..<Int.random(in: 1...10, using: &random)).map { _ in
                HostileInputTests.telling.randomElement(using: &random)!
            }
            let fault = bytes.withUnsafeBytes { JSONReader.fault(in: $0, depthMax: 64) }
            do throws(JSONError) {
                _ = try JSONDocument(parsing: bytes)
                #expect(fault == nil, "\(bytes)")
            } catch {
                if case .duplicateKey = error { continue }
                #expect(fault == error, "\(bytes)")
            }
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func scalarReadersSurviveRandomBytes(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let telling = Array("0123456789-:+.TZtzeE=/AFaf ".utf8) + [0, 0x80, 0xFF]
        for _ in 0..<50_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in telling.randomElement(using: &random)! }
            _ = ID(utf8: bytes.span)
            _ = try? Timestamp(utf8: bytes.span)
            _ = Base64.decode(bytes.span)
            _ = DecimalText(utf8: bytes.span)
        }
    }
}
