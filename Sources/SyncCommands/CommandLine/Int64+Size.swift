extension Int64 {
    /// The number of bytes in a suitable unit, to four digits at most: `31 MB`.
    var sizeText: String {
        let units = ["B", "kB", "MB", "GB"]
        var (count, place) = (self, 0)
        while count >= 10_240, place + 1 < units.count { (count, place) = (count / 1024, place + 1) }
        return "\(count) \(units[place])"
    }
}
