extension Value {
    /// Bytes of what is stored of it: of texts, JSON and data their own, of the rest as many as its type has at most.
    ///
    /// O(1): a string knows how long its UTF-8 is.
    public var sizeBytes: Int {
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
