/// Finds the few relevant steps of a failing run by delta debugging (Zeller and Hildebrandt 2002, `ddmin`). Each step
/// can be left out, so any part of the list is a run of its own.
struct Shrinker {
    /// The maximum number of tries. Each try is a run, which takes up to some seconds.
    let triesMax: Int
    /// Called for each try with its number and the number of steps left.
    let progress: (Int, Int) -> Void

    /// Returns a smaller list of steps that still fails.
    ///
    /// - Parameter fails: runs some of the steps, and returns the number of steps until the failure; `nil` if they do
    ///   not fail.
    func shrink(_ steps: [Step], _ fails: ([Step]) async throws -> Int?) async throws -> [Step] {
        var steps = steps
        var tries = 0
        var parts = 2
        while steps.count > 1, tries < triesMax {
            let size = max(1, steps.count / parts)
            var isSmaller = false
            var from = 0
            while from < steps.count, tries < triesMax {
                let rest = Array(steps[..<from] + steps[min(from + size, steps.count)...])
                tries += 1
                progress(tries, steps.count)
                if let needed = try await fails(rest) {
                    steps = Array(rest.prefix(needed))
                    isSmaller = true
                } else {
                    from += size
                }
            }
            if size == 1, !isSmaller { break }
            parts = isSmaller ? max(2, parts) : min(steps.count, parts * 2)
        }
        return steps
    }
}
