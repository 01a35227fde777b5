import DemoApps
import Foundation
import Testing

@testable import WireFormats

@Suite struct DemoAppsTests {
    @Test func everyPlanCompiles() {
        for plan in DemoApps.all {
            #expect(throws: Never.self) { try Plan(plan) }
        }
    }

    @Test func appsHaveNamesOfTheirOwn() {
        #expect(Set(DemoApps.all.map { $0.app }).count == DemoApps.all.count)
    }

    /// A real app lost its users' data because a declared version was missing from the plan.
    @Test("S1_12, S2_01: every version that is declared is in exactly one plan")
    func everyDeclaredVersionIsInExactlyOnePlan() throws {
        let planned = DemoApps.all.flatMap { plan in
            (plan.schemas + plan.historicalVariants.map(\.schema)).map { String(reflecting: $0) }
        }
        let declared = try DemoAppsTests.declaredVersions().map { "DemoApps.\($0)" }
        #expect(declared.count >= 11)
        #expect(planned.sorted() == declared.sorted())
    }

    /// Returns `FitIQ.SchemaV1` for each `enum SchemaV1: VersionedSchema` in `extension FitIQ`, in the target's source.
    private static func declaredVersions() throws -> [String] {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let sources = package.appending(path: "Sources/DemoApps")
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
