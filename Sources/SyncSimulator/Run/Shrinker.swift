/// A search for the few steps that make a run fail, by delta debugging (Zeller and Hildebrandt 2002, `ddmin`). Any step
/// can be left out, because any part of the list can be run by itself.
struct Shrinker {
    /// The maximum number of tries. In each try the remaining steps are run, which takes up to a few seconds.
    let triesMax: Int
    /// Called before each try, with the number of the try and the number of steps that are left.
    let progress: (Int, Int) -> Void

    /// Returns fewer steps, in their order, that still fail.
    ///
    /// - Parameter fails: runs the given steps, and returns the number of steps up to the failure; `nil` if they do not
    ///   fail.
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
