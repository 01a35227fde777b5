/// The error that `eventually` throws at its time limit.
package struct NeverHappened: Error {
    package let what: String
}

/// Waits until `condition` is true, by checking it every few milliseconds. `what` names it in the error.
///
/// - Throws: `NeverHappened` if the condition is not true within `limit`. The limit is generous, because only a failure
///   reaches it.
package func eventually(
    _ what: String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        if ContinuousClock.now > deadline { throw NeverHappened(what: what) }
        try await Task.sleep(for: .milliseconds(5))
    }
}
