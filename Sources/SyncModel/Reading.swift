import WireFormats

extension Schema.Attribute {
    /// Returns the value that a version reads in this attribute if a neighbouring version has stored `value`. Call this
    /// only if the stage (migration step) between the two versions declares no conversion.
    ///
    /// Null becomes the default if the attribute is required. An enumeration case that this version does not have
    /// becomes `unknownCase`. Without `unknownCase` it becomes the default; without a default, it becomes null, or the
    /// first case if the attribute is required.
    ///
    /// - Parameter unknownCase: the case that the stage declares for unknown cases; `nil` if it declares none.
    func reading(_ value: Value, unknownCase: String?) -> Value {
        if value.isNull { return type.isOptional ? .null : fallback }
        guard case .enumeration(_, let cases) = type.kind, case .string(let raw) = value, !cases.has(raw) else {
            return value
        }
        if let unknownCase { return .string(unknownCase) }
        return type.isOptional && `default` == nil ? .null : fallback
    }

    /// The value of a required attribute for which there is no other value: its default, or else a zero or empty value.
    private var fallback: Value {
        `default`?.constant(of: type.kind) ?? type.kind.nothing
    }

    /// Returns true if this attribute and `other` allow the same values. Then their versions can share one value.
    func holdsTheSame(as other: Schema.Attribute) -> Bool {
        guard type.isOptional == other.type.isOptional else { return false }
        switch (type.kind, other.type.kind) {
        case (.enumeration(_, let mine), .enumeration(_, let theirs)):
            return mine.allSatisfy(theirs.has) && theirs.allSatisfy(mine.has)
        case (.reference, .reference): return true
        case (let mine, let theirs): return mine == theirs
        }
    }

    /// Returns true if this attribute allows every value that `other` allows.
    func holdsAll(of other: Schema.Attribute) -> Bool {
        if other.type.isOptional, !type.isOptional { return false }
        guard case .enumeration(_, let mine) = type.kind else { return true }
        guard case .enumeration(_, let theirs) = other.type.kind else { return false }
        return theirs.allSatisfy(mine.has)
    }
}

extension [String] {
    /// Returns true if the list contains the text, compared byte by byte. With `contains`, two texts would be equal if
    /// they are canonically equivalent in Unicode.
    func has(_ text: String) -> Bool {
        contains { $0.utf8.elementsEqual(text.utf8) }
    }
}

/// The properties of a new record on which default values may depend.
struct Beginning {
    let id: ID
    let createdAt: Timestamp

    /// Returns the default value of an attribute in the new record.
    ///
    /// - Parameter standard: the declared default; `nil` if there is none. Then the value is zero or empty.
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
    /// Returns the default as a value of an attribute of this kind; `nil` if the value depends on the record, or if the
    /// default does not fit the kind.
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
    /// The zero or empty value of this type.
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
    /// The value as the server stores it: a negative zero becomes zero.
    var stored: Value {
        if case .double(let number) = self { .double(number + 0) } else { self }
    }

    /// Returns true if this value is less than the other. If two edits have equal stamps, the greater value wins.
    ///
    /// Null is less than any other value. Numbers and times are ordered by size, and all other values by their bytes.
    /// Both values must be of one attribute.
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
