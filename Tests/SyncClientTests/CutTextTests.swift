import StrictJSON
import SyncClient
import Testing
import WireFormats

/// Texts that a text field has cut, for example in the middle of an emoji: they are never sent in a form that no server
/// can read.
@Suite struct CutTextTests {
    @Test(arguments: 0...4)
    func aTextThatWasCutIsSentWhole(length: Int) throws {
        let cut = String(decoding: Array("a😀b".utf16.prefix(length)), as: UTF16.self)
        let sent = JSONWriter.text { writer in writer.string(cut) }
        #expect(try JSONDocument(parsing: sent).root.string == cut)
    }

    @Test(arguments: [#"{"a":"\ud83d"}"#, #"["\ude00"]"#, #"{"\ud83d":1}"#, "1e999", #"{"a":1,"a":2}"#])
    func whatIsNoJSONIsNoneOfARecord(text: String) {
        #expect(throws: JSONError.self) { try JSONText(text) }
    }
}
