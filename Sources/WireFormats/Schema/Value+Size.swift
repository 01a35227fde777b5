extension Value {
    /// The size of the stored value in bytes: the length of a text, a decimal's text, JSON or data; for every other
    /// type a fixed size.
    ///
    /// O(1), because a string stores the length of its UTF-8.
    package var sizeBytes: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int, .double, .date: 8
        case .uuid: 16
        case .decimal(let x): x.text.utf8.count
        case .string(let x), .json(let x): x.utf8.count
        case .data(let x): x.count
        }
    }
}
