import WireFormats

extension Schema.Attribute {
    /// What a version reads in this attribute where its neighbour has `value`, and no conversion is declared between
    /// the two: null where it is required, and a case that it does not have, as its default.
    ///
    /// - Parameter unknownCase: what the stage says instead for a case.
    func reading(_ value: Value, unknownCase: String?) -> Value {
        if value.isNull { return type.isOptional ? .null : fallback }
        guard case .enumeration(_, let cases) = type.kind, case .string(let raw) = value, !cases.has(raw) else {
            return value
        }
        if let unknownCase { return .string(unknownCase) }
        return type.isOptional && `default` == nil ? .null : fallback
    }

    /// What stands for "nothing was said" in an attribute that must say something.
    private var fallback: Value {
        `default`?.constant(of: type.kind) ?? type.kind.nothing
    }

    /// Whether every value of either attribute is one of the other, so that neither version notices the difference.
    func holdsTheSame(as other: Schema.Attribute) -> Bool {
        guard type.isOptional == other.type.isOptional else { return false }
        switch (type.kind, other.type.kind) {
        case (.enumeration(_, let mine), .enumeration(_, let theirs)):
            return mine.allSatisfy(theirs.has) && theirs.allSatisfy(mine.has)
        case (.reference, .reference): return true
        case (let mine, let theirs): return mine == theirs
        }
    }

    /// Whether every value of `other` is one of this attribute.
    func holdsAll(of other: Schema.Attribute) -> Bool {
        if other.type.isOptional, !type.isOptional { return false }
        guard case .enumeration(_, let mine) = type.kind else { return true }
        guard case .enumeration(_, let theirs) = other.type.kind else { return false }
        return theirs.allSatisfy(mine.has)
    }
}

extension [String] {
    /// To the letter: Swift takes two texts for equal that Unicode can write in two ways.
    func has(_ text: String) -> Bool {
        contains { $0.utf8.elementsEqual(text.utf8) }
    }
}

/// What is known of a record when it begins.
struct Beginning {
    let id: ID
    let createdAt: Timestamp

    /// The value that an attribute has which nobody wrote.
    ///
    /// - Parameter standard: its default, or the substitute for it.
    func value(of attribute: Schema.Attribute, standard: Default?) -> Value {
        switch standard {
        case .creation?: .date(createdAt)
        case .newID?: .uuid(id.derived(for: attribute.name))
        case let constant?: constant.constant(of: attribute.type.kind) ?? attribute.nothing
        case nil: attribute.nothing
        }
    }
}

extension Schema.Attribute {
    fileprivate var nothing: Value { type.isOptional ? .null : type.kind.nothing }
}

extension Default {
    /// The value that it is in an attribute of a kind; `nil` where it depends on the record.
    fileprivate func constant(of kind: AttributeType.Kind) -> Value? {
        switch (self, kind) {
        case (.bool(let x), .bool): .bool(x)
        case (.int(let x), .int): .int(x)
        case (.int(let x), .double): .double(Double(x))
        case (.int(let x), .decimal): DecimalText("\(x)").map { .decimal($0) }
        case (.double(let x), .double): .double(x + 0)
        case (.double(let x), .decimal): DecimalText("\(x)").map { .decimal($0) }
        case (.string(let x), .decimal): DecimalText(x).map { .decimal($0) }
        case (.string(let x), .string), (.string(let x), .enumeration): .string(x)
        case (.string(let x), .date): (try? Timestamp(x)).map { .date($0) }
        case (.string(let x), .data): Base64.decode(x).map { .data($0) }
        case (.json(let x), .array), (.json(let x), .codable): .json(x)
        default: nil
        }
    }
}

extension AttributeType.Kind {
    /// The plainest value there is.
    fileprivate var nothing: Value {
        switch self {
        case .bool: .bool(false)
        case .int: .int(0)
        case .double: .double(0)
        case .decimal: .decimal(.zero)
        case .string: .string("")
        case .date: .date(Timestamp(microseconds: 0))
        case .uuid: .uuid(ID(high: 0, low: 0))
        case .data: .data([])
        case .enumeration(_, let cases): .string(cases.first ?? "")
        case .array: .json("[]")
        case .codable: .json("{}")
        case .reference: .null
        }
    }
}

extension Value {
    /// As it is stored, whatever the client wrote: no negative zero.
    var stored: Value {
        if case .double(let number) = self { .double(number + 0) } else { self }
    }

    /// The order in which equal stamps are decided, among the values of one attribute: null, then numbers and times by
    /// size and everything else by its bytes.
    func precedes(_ other: Value) -> Bool {
        switch (self, other) {
        case (.null, _): !other.isNull
        case (_, .null): false
        case (.bool(let a), .bool(let b)): !a && b
        case (.int(let a), .int(let b)): a < b
        case (.double(let a), .double(let b)): a < b
        case (.date(let a), .date(let b)): a < b
        case (.uuid(let a), .uuid(let b)): a < b
        case (.data(let a), .data(let b)): a.lexicographicallyPrecedes(b)
        case (.decimal(let a), .decimal(let b)): a < b
        case (.string(let a), .string(let b)), (.json(let a), .json(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        default: false
        }
    }
}
