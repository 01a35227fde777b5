extension LawTrial {
    /// The greatest number of attempts to make a case smaller. It is enough to reduce a record of thirty attributes to
    /// the two that cause a violation.
    private static let attemptsMax = 600

    /// Returns a violation of the same law by the smallest test case that could be found. The search starts from
    /// `lawCase`. It leaves out steps and edits, and makes values simpler, one change at a time.
    func shrunk(_ finding: LawFinding, from lawCase: LawCase) -> LawFinding {
        var search = Search(trial: self, law: finding.law, smallest: lawCase, finding: finding, attempts: 0)
        while search.improve(), search.attempts < LawTrial.attemptsMax {}
        var found = search.finding
        found.steps = words(for: search.smallest)
        return found
    }

    private struct Search {
        let trial: LawTrial
        let law: Law
        var smallest: LawCase
        var finding: LawFinding
        var attempts: Int

        /// Tries once to leave out each step and edit of the test case, and to make its values simpler. Returns true if
        /// the case became smaller.
        mutating func improve() -> Bool {
            var isSmaller = false
            for index in smallest.puts.indices.reversed() {
                isSmaller = adopt { $0.puts.remove(at: index) } || isSmaller
            }
            for index in smallest.creation.indices.reversed() {
                isSmaller = adopt { $0.creation.remove(at: index) } || isSmaller
            }
            for put in smallest.puts.indices {
                for index in smallest.puts[put].edits.indices.reversed() {
                    isSmaller = adopt { $0.puts[put].edits.remove(at: index) } || isSmaller
                }
            }
            return simplifyValues() || isSmaller
        }

        private mutating func simplifyValues() -> Bool {
            var isSmaller = false
            for index in smallest.creation.indices {
                let edit = smallest.creation[index]
                for value in simpler(edit, by: smallest.creator) where !isPlainer(smallest.creation[index].value, value)
                {
                    isSmaller = adopt { $0.creation[index].value = value } || isSmaller
                }
            }
            for put in smallest.puts.indices {
                for index in smallest.puts[put].edits.indices {
                    let edit = smallest.puts[put].edits[index]
                    for value in simpler(edit, by: smallest.puts[put].version)
                    where !isPlainer(smallest.puts[put].edits[index].value, value) {
                        isSmaller = adopt { $0.puts[put].edits[index].value = value } || isSmaller
                    }
                }
            }
            return isSmaller
        }

        private func simpler(_ edit: LawEdit, by version: Int) -> [Value] {
            let generator = trial.generator.generators[version][edit.field]
            return edit.value?.simpler(as: generator.type).filter(generator.admits) ?? []
        }

        /// Returns true if an edit's `value` is at least as simple as `candidate`. An edit whose value is `nil` only
        /// repeats the current value, so it counts as the simplest.
        private func isPlainer(_ value: Value?, _ candidate: Value) -> Bool {
            value.map { $0.weight <= candidate.weight } ?? true
        }

        /// Applies `change` to the smallest case so far, and keeps the result if it still breaks the law.
        private mutating func adopt(_ change: (inout LawCase) -> Void) -> Bool {
            guard attempts < LawTrial.attemptsMax else { return false }
            attempts += 1
            var candidate = smallest
            change(&candidate)
            guard let found = trial.finding(in: candidate, seeking: LawSet([law])) else { return false }
            smallest = candidate
            finding = found
            return true
        }
    }

    private func words(for lawCase: LawCase) -> [String] {
        func words(_ edits: [LawEdit], by version: Int) -> [String] {
            edits.map { "  \(chain.fields[version][$0.field].name) = \($0.value?.brief ?? "as it reads")" }
        }
        func label(_ version: Int) -> String {
            "\(chain.names[version] ?? hub.identity) at \(subject.tree.name(of: version))"
        }
        var lines = ["create \(label(lawCase.creator))"] + words(lawCase.creation, by: lawCase.creator)
        for put in lawCase.puts { lines += ["edit \(label(put.version))"] + words(put.edits, by: put.version) }
        return lines
    }
}
