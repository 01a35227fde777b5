import Foundation
import SyncTestSupport
import Testing

/// The steps of `docs/adding-a-version.md`, run as written on a copy of this repository.
@Suite struct WalkthroughTests {
    private static let document = "/docs/adding-a-version.md"

    private func walkthrough() throws -> Walkthrough {
        Walkthrough(try String(contentsOfFile: Repository.root + WalkthroughTests.document, encoding: .utf8))
    }

    @Test func aVersionIsAddedAsTheDocumentSays() async throws {
        let checkout = try Workplace.checkout()
        for step in try walkthrough().steps { try await step.prove(in: checkout) }
    }

    @Test func theDocumentGoesAllTheWay() throws {
        let steps = try walkthrough().steps
        let scripts = steps.compactMap { if case .run(let script, _) = $0.action { script } else { nil } }
        let commands = [
            "schema new", "schema check", "schema plan", "schema sql", "migrate lint", "compat", "schema freeze",
            "migrate plan", "migrate up",
        ]
        for command in commands {
            #expect(scripts.contains { $0.contains("syncserver \(command)") }, "\(command)")
        }
        #expect(steps.contains { !$0.output.isEmpty })
    }

    @Test func blocksAreStepsByWhatTheirFencesSay() throws {
        let steps = Walkthrough(
            """
            Text.
            ```sh exits=3
            echo a
            exit 3
            ```
            ```text
            a
            …
            b: …
            ```
            ```swift
            let read = "only"
            ```
            ```swift Sources/A.swift
            let a = 1
            ```
            ```diff
            -a
            ```
            """
        ).steps
        #expect(steps.map(\.line) == [2, 14, 17])
        guard case .run("echo a\nexit 3\n", status: 3) = steps[0].action,
            case .write("let a = 1\n", to: "Sources/A.swift") = steps[1].action, case .apply("-a\n") = steps[2].action
        else { throw CancellationError() }
        #expect(steps[0].output == ["a", "b: "])
    }

    @Test func aStepThatFailsIsSeen() async throws {
        let checkout = try Workplace()
        let (status, output) = try await checkout.take(.run("echo before; false; echo after", status: 0))
        #expect(status == 1)
        #expect(output == "before\n")
        #expect(try await checkout.take(.apply("no diff\n")).status != 0)
    }
}
