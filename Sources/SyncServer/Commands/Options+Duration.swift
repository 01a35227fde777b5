extension Options {
    /// A time such as `180d`, `6h`, `30m` or `45s`, of at least `minimum`.
    func duration(_ name: String, atLeast minimum: Duration = .zero) throws(UsageError) -> Duration? {
        guard let text = self[name] else { return nil }
        let seconds: [Character: Int64] = ["d": 86_400, "h": 3600, "m": 60, "s": 1]
        guard let unit = text.last.flatMap({ seconds[$0] }), let count = Int64(text.dropLast()), count >= 0,
            count <= Options.secondsMax / unit, .seconds(count * unit) >= minimum
        else {
            throw UsageError("‘--\(name)’ takes a time such as 180d, 6h or 30m, not ‘\(text)’.")
        }
        return .seconds(count * unit)
    }

    /// A hundred years: more is a slip, and a time that far back may not be one that the database can tell.
    private static var secondsMax: Int64 { 100 * 366 * 86_400 }
}
