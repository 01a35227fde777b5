extension Int64 {
    /// The number of bytes as text in a suitable unit, to at most four digits: `31 MB`.
    var sizeText: String {
        let units = ["B", "kB", "MB", "GB"]
        var (count, index) = (self, 0)
        while count >= 10_240, index + 1 < units.count { (count, index) = (count / 1024, index + 1) }
        return "\(count) \(units[index])"
    }
}
