import WireFormats

extension Schema.Attribute {
    /// Returns the value that a version reads in this attribute if the neighbouring version has `value`, and the stage
    /// between them declares no conversion. In a required attribute, null reads as the default. A case that the version
    /// does not have reads as `unknownCase`, or else as the default; without a default, as null or the first value.
    ///
    /// - Parameter unknownCase: the case that the stage substitutes for an unknown case; `nil` if it declares none.
    func reading(_ value: Value, unknownCase: String?) -> Value {
        if value.isNull { return type.isOptional ? .null : fallback }
        guard case .enumeration(_, let cases) = type.kind, case .string(let raw) = value, !cases.has(raw) else {
            return value
        }
        if let unknownCase { return .string(unknownCase) }
        return type.isOptional && `default` == nil ? .null : fallback
    }

    /// The value of a required attribute that no change has set.
    private var fallback: Value {
        `default`?.constant(of: type.kind) ?? type.kind.nothing
    }

    /// True if both attributes allow the same values, so that neither version notices the difference.
    func holdsTheSame(as other: Schema.Attribute) -> Bool {
        guard type.isOptional == other.type.isOptional else { return false }
        switch (type.kind, other.type.kind) {
        case (.enumeration(_, let mine), .enumeration(_, let theirs)):
            return mine.allSatisfy(theirs.has) && theirs.allSatisfy(mine.has)
        case (.reference, .reference): return true
        case (let mine, let theirs): return mine == theirs
        }
    }

    /// True if this attribute allows every value of `other`.
    func holdsAll(of other: Schema.Attribute) -> Bool {
        if other.type.isOptional, !type.isOptional { return false }
        guard case .enumeration(_, let mine) = type.kind else { return true }
        guard case .enumeration(_, let theirs) = other.type.kind else { return false }
        return theirs.allSatisfy(mine.has)
    }
}

extension [String] {
    /// True if the list contains the text, compared byte by byte. Swift treats two texts as equal if they are
    /// canonically equivalent in Unicode.
    func has(_ text: String) -> Bool {
        contains { $0.utf8.elementsEqual(text.utf8) }
    }
}

/// The facts about a record on which its default values depend: its id and its creation time.
struct Beginning {
    let id: ID
    let createdAt: Timestamp

    /// Returns the value of an attribute that no change has set.
    ///
    /// - Parameter standard: the attribute's default, or the default that a stage gives instead.
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
    /// The default's value in an attribute of this kind; `nil` if the value depends on the record.
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
    /// The zero or empty value of the kind.
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
    /// The value as it is stored: a negative zero becomes zero.
    var stored: Value {
        if case .double(let number) = self { .double(number + 0) } else { self }
    }

    /// True if the value precedes the other in the order that decides equal stamps, among the values of one attribute:
    /// null first, then numbers and times by size, and all others by their bytes.
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
