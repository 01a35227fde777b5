import Testing
import WireFormats

struct Base64Tests {
    /// The examples of RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func theExamplesOfTheRFCHold(_ plain: String, _ text: String) {
        #expect(Base64.encode(Array(plain.utf8)) == text)
        #expect(Base64.decode(text) == Array(plain.utf8))
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Zm8", "=", "====", "Z===", "Zh==", "Zm9=", "Zm9v\n", "Zm9v ", " Zm9v", "Zm9v\nZm9v",
        "Zm-_",
        "Zg==Zg==", "Zm8=Zm8=", "Z=g=", "Zm9v====", "Zm9\u{0}", "Zm9é", "Zm=v",
    ])
    func everythingElseIsRefused(_ text: String) { #expect(Base64.decode(text) == nil) }

    @Test(arguments: SeededRandom.seeds)
    func bytesReadBack(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for count in 0..<600 {
            let data = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(Base64.decode(Base64.encode(data)) == data)
        }
    }

    /// Tries all pairs of characters at every index of a padded quad; all 2^24 texts would take long.
    @Test func whatIsReadIsWhatWouldBeWritten() {
        for a in UInt8(0)..<128 {
            for b in UInt8(0)..<128 {
                for text in [[a, b, 0x3D, 0x3D], [0x5A, a, b, 0x3D], [0x5A, 0x6D, a, b]] {
                    guard let data = Base64.decode(text.span) else { continue }
                    #expect(Array(Base64.encode(data).utf8) == text)
                }
            }
        }
    }
}
