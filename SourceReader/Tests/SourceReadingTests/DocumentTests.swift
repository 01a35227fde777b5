import Foundation
import SourceFacts
import SourceReading
import Testing

/// The XML files of models.
@Suite struct DocumentTests {
    private static let file = "App.xcdatamodeld/App 2.xcdatamodel/contents"

    private func read(_ text: String) -> SourceFacts { DocumentReader.facts(text: text, name: DocumentTests.file) }

    private static let head = #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#

    @Test func elementsAreReadAsTheyAreWritten() throws {
        let facts = read(
            """
            \(DocumentTests.head)
            <model documentVersion="1.0">
                <!-- <entity name="No"/> -->
                <entity name="Caf&#233; &amp; Bar" syncable="YES">
                    <attribute name="x"
                        optional="YES"/>
                </entity>
                <note>  one &lt; two </note>
            </model>
            """)
        #expect(facts.problems == [])
        #expect(facts.files == [DocumentTests.file])
        let root = try #require(facts.documents.first).root
        #expect((root.name, root.line, root.attributes) == ("model", 2, ["documentVersion": "1.0"]))
        #expect(root.elements.map(\.name) == ["entity", "note"])
        #expect(root.elements[0].attributes == ["name": "Café & Bar", "syncable": "YES"])
        #expect(root.elements[0].line == 4)
        #expect(root.elements[0].elements.map(\.attributes) == [["name": "x", "optional": "YES"]])
        #expect(root.elements[1].text == "one < two")
        #expect(root.text == nil)
    }

    /// A mapping model has megabytes of elements that nothing reads.
    @Test func ofAMappingItsEndsAndItsCodeAreKept() throws {
        let text = """
            \(DocumentTests.head)
            <database>
                <object type="XDDEVMAPPINGMODEL">
                    <attribute name="sourcemodelpath" type="string">App.xcdatamodeld/App.xcdatamodel</attribute>
                    <attribute name="sourcemodeldata" type="binary">AAAA</attribute>
                </object>
                <object type="XDDEVENTITYMAPPING">
                    <attribute name="migrationpolicyclassname" type="string">App.Policy</attribute>
                    <attribute name="mappingnumber" type="int32">2</attribute>
                </object>
            </database>
            """
        let facts = DocumentReader.facts(text: text, name: "1To2.xcmappingmodel/xcmapping.xml")
        let root = try #require(facts.documents.first).root
        let kept = root.elements.flatMap(\.elements).map { "\($0.attributes["name"] ?? ""): \($0.text ?? "")" }
        #expect(
            kept == [
                "sourcemodelpath: App.xcdatamodeld/App.xcdatamodel", "migrationpolicyclassname: App.Policy",
            ])
    }

    @Test func aDocumentTypeIsNotLookedUp() throws {
        let facts = read(
            """
            \(DocumentTests.head)
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN"
                "http://localhost:1/no.dtd">
            <plist><dict><key>a</key><string>App 2.xcdatamodel</string></dict></plist>
            """)
        #expect(facts.problems == [])
        let dict = try #require(facts.documents.first).root.elements[0]
        #expect(dict.elements.map(\.text) == ["a", "App 2.xcdatamodel"])
        #expect(dict.line == 4)
    }

    /// Entities in a tenth of a kilobyte that would expand to gigabytes, or include another file.
    @Test(arguments: [
        #"<!DOCTYPE m [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;">]><model name="&b;"/>"#,
        #"<!DOCTYPE m SYSTEM "x" [<!ENTITY a SYSTEM "file:///etc/passwd">]><model>&a;</model>"#,
        #"<!DOCTYPE m [<!ENTITY % p SYSTEM "http://localhost:1/">%p;]><model/>"#,
        #"<!DOCTYPE m><!DOCTYPE m [<!ENTITY a "x">]><model/>"#,
    ])
    func aFileThatDeclaresEntitiesIsNotRead(_ text: String) {
        let facts = read(text)
        #expect(facts.documents == [])
        #expect(facts.problems.map(\.location.description) == ["\(DocumentTests.file):1"])
        #expect(facts.problems.first?.message.contains("declares entities") == true)
    }

    @Test(arguments: [
        ("", 0, "no element"), ("\n\n", 0, "no element"), ("<model>\n<entity>\n</model>", 3, "no XML"),
        ("<model>\n", 1, "no XML"),
        ("<model>\n&nbsp;</model>", 2, "no XML"), ("<model a='1' a='2'/>", 1, "no XML"),
        ("<model/><model/>", 1, "no XML"),
        ("plain", 1, "no XML"), ("<model a='<'/>", 1, "no XML"), ("{\n}", 0, "no element"),
        ("{ \"a\": 1 }", 1, "no XML"),
        ("<model>\u{1}</model>", 1, "no XML"),
    ])
    func aFileThatIsNoXMLIsAProblemWithItsLine(_ text: String, _ line: Int, _ words: String) {
        let facts = read(text)
        #expect(facts.documents == [])
        #expect(facts.files == [])
        #expect(facts.problems.count == 1)
        if line > 0 { #expect(facts.problems.map(\.location.line) == [line], "\(facts.problems)") }
        #expect(facts.problems.first?.message.contains(words) == true, "\(facts.problems)")
    }

    @Test func aFileIsNotReadWithoutBounds() {
        let deep = read(String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17))
        #expect(deep.problems.first?.message.contains("nests more than 16") == true)
        #expect(read(String(repeating: "<a>", count: 200_000)).problems.count == 1)
        let many = read("<m>" + String(repeating: "<a/>\n", count: 200_000) + "</m>")
        #expect(many.problems.first?.message.contains("more than 200000 elements") == true)
        let sixteen = String(repeating: "<a>", count: 16) + String(repeating: "</a>", count: 16)
        #expect(read(sixteen).problems == [])
    }

    /// A declared encoding changes nothing, because the text was read as UTF-8.
    @Test func anotherEncodingHidesNothing() {
        let facts = read("<?xml version='1.0' encoding='UTF-7'?>\n<model a='+ADw-b+AD4-'/>")
        #expect(facts.documents.first?.root.attributes == ["a": "+ADw-b+AD4-"])
    }

    /// Pieces of models in random order, cut and repeated: each is read, or is a problem.
    @Test func mutilatedModelsAreReadOrAProblem() {
        let seed =
            ProcessInfo.processInfo.environment["MUTATION_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        let pieces = [
            "<model>", "</model>", "<entity name='A'", ">", "/>", "</entity>", "<!--", "-->", "<![CDATA[", "]]>",
            "&amp;",
            "&#x0;", "&a;", "<!DOCTYPE a", "[", "]", "<?xml version='1.0'?>", "<?p ?>", "\n", "é", "\u{0}", "\"", "'",
            " ",
        ]
        for _ in 0..<3_000 {
            let text = (0..<(1 + next(12))).map { _ in pieces[next(pieces.count)] }.joined()
            let facts = read(text)
            #expect(facts.documents.count + facts.problems.count == 1, "seed \(seed): \(text)")
        }
    }
}
