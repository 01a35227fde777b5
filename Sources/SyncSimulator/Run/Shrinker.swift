/// Finds the few steps of a failing run that matter: delta debugging (Zeller and Hildebrandt 2002, `ddmin`). Steps are
/// values that can be left out, so each part of the list is a run of its own.
struct Shrinker {
    /// A run that is tried costs up to some seconds.
    let triesMax: Int
    /// Told of each try: which it is, and how many steps are left.
    let progress: (Int, Int) -> Void

    /// - Parameter fails: runs a part of the steps; how many of them it took to fail, or `nil` where it did not.
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
