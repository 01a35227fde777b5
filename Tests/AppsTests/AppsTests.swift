import Apps
import Foundation
import Testing

@testable import WireFormats

@Suite struct AppsTests {
    @Test func everyPlanCompiles() {
        for plan in Apps.all {
            #expect(throws: Never.self) { try Plan(plan) }
        }
    }

    @Test func appsHaveNamesOfTheirOwn() {
        #expect(Set(Apps.all.map { $0.app }).count == Apps.all.count)
    }

    /// A version that was written and then forgotten in the plan is how a real app came to lose its users' data.
    @Test("S1_12, S2_01: every version that is declared is in exactly one plan")
    func everyDeclaredVersionIsInExactlyOnePlan() throws {
        let planned = Apps.all.flatMap { plan in
            (plan.schemas + plan.historicalVariants.map(\.schema)).map { String(reflecting: $0) }
        }
        let declared = try AppsTests.declaredVersions().map { "Apps.\($0)" }
        #expect(declared.count >= 11)
        #expect(planned.sorted() == declared.sorted())
    }

    /// `FitIQ.SchemaV1` for each `enum SchemaV1: VersionedSchema` in `extension FitIQ`, in the target's source.
    private static func declaredVersions() throws -> [String] {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let sources = package.appending(path: "Sources/Apps")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var versions: [String] = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            let app = text.firstMatch(of: /(?m)^extension (\w+)/)?.1
            for version in text.matches(of: /(?:enum|struct|class) (\w+): [^{\n]*\bVersionedSchema\b/) {
                versions.append(app.map { "\($0).\(version.1)" } ?? String(version.1))
            }
        }
        return versions
    }
}
