import DemoApps
import Foundation
import Testing
import WireFormats

@testable import SyncTesting

/// The files that `compat` writes in addition to its output.
@Suite struct CompatReportTests {
    private func report() throws -> CompatReport {
        let failure = CompatFailure(
            step: "edit", detail: "‘<b>’ & \"more\"", requests: [#"{"fields":{"notes":"</pre>"}}"#])
        return CompatReport(
            plan: try Plan(EasitOpenPlan.self), seed: 7,
            outcomes: [
                CompatOutcome(writer: 0, reader: 0, entities: 2, failure: nil),
                CompatOutcome(writer: 0, reader: 1, entities: 2, failure: failure),
            ])
    }

    @Test func thePageHasACellForEachPairAndWhatFailed() throws {
        let page = try report().html
        #expect(page.contains("1 of 2 pairs are compatible. Seed 7."))
        #expect(page.contains(##"<td class="good">2</td><td class="bad"><a href="#0-1">✗</a></td>"##))
        #expect(page.contains(#"<h2 id="0-1">0.0.1 writes, 0.0.2 reads: edit</h2>"#))
        // Values are escaped, so none of them acts as markup.
        #expect(page.contains("‘&lt;b&gt;’ &amp; &quot;more&quot;") && !page.contains("<b>"))
        #expect(page.components(separatedBy: "</pre>").count == 2)
    }
}
