extension Options {
    /// Parses a duration such as `180d`, `6h`, `30m` or `45s`, of at least `minimum`; `nil` if the option is not given.
    package func duration(_ name: String, atLeast minimum: Duration = .zero) throws(UsageError) -> Duration? {
        guard let text = self[name] else { return nil }
        guard let duration = Duration(shortText: text), duration >= minimum else {
            throw UsageError("‘--\(name)’ takes a time such as 180d, 6h or 30m, not ‘\(text)’.")
        }
        return duration
    }
}
