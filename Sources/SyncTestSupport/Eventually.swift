/// What `eventually` throws when the time is up.
package struct NeverHappened: Error {
    package let what: String
}

/// Waits until `condition` holds, by asking again and again.
///
/// - Throws: `NeverHappened` if it does not within `limit`, which is generous because it is only reached by a
///   failure.
package func eventually(
    _ what: String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        if ContinuousClock.now > deadline { throw NeverHappened(what: what) }
        try await Task.sleep(for: .milliseconds(5))
    }
}
