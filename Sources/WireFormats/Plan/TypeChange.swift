/// A change of an attribute's type that needs no conversion, because it follows from the two types. Such changes are
/// required ↔ optional, enumeration ↔ string, and more or fewer cases.
struct TypeChange {
    /// The steps that compute the older version's value from the column; empty if the older version reads the column as
    /// it is.
    private(set) var older: [ViewStep] = []
    /// The steps that compute the newer version's value from the column; empty if the newer version reads the column as
    /// it is.
    private(set) var newer: [ViewStep] = []

    /// Compares the types of an attribute in two versions. Returns `nil` if the author must write a conversion.
    ///
    /// - Parameters:
    ///   - was: the attribute in the older version.
    ///   - now: the attribute in the newer version.
    ///   - unknown: the case that the older version reads in place of a newer case that it does not have. `nil` if no
    ///     `UnknownCase` states one.
    init?(from was: Schema.Attribute, to now: Schema.Attribute, unknown: String?) {
        if was.type.isOptional, !now.type.isOptional { newer.append(.orElse(OrElse(fallback: now.fallback))) }
        if !was.type.isOptional, now.type.isOptional { older.append(.orElse(OrElse(fallback: was.fallback))) }
        switch (was.type.kind, now.type.kind) {
        case (.reference, .reference): break
        case (.enumeration(_, let cases), .string):
            older.append(.oneOf(was.oneOf(cases, unknown: unknown)))
        case (.string, .enumeration(_, let cases)):
            newer.append(.oneOf(now.oneOf(cases, unknown: nil)))
        case (.enumeration(_, let old), .enumeration(_, let new)):
            let (isWider, isNarrower) = (Set(new).isSuperset(of: old), Set(old).isSuperset(of: new))
            if isWider, isNarrower { break }
            if isWider {
                older.append(.oneOf(was.oneOf(old, unknown: unknown)))
            } else if isNarrower {
                newer.append(.oneOf(now.oneOf(new, unknown: nil)))
            } else {
                return nil
            }
        case (let old, let new): if old != new { return nil }
        }
    }
}

extension Schema.Attribute {
    /// The value that a version reads in place of null if it requires the attribute.
    fileprivate var fallback: Value {
        `default`?.constant(for: type.kind) ?? type.kind.zero
    }

    fileprivate func oneOf(_ cases: [String], unknown: String?) -> OneOf {
        OneOf(
            cases: cases,
            unknown: unknown.map { .string($0) } ?? (type.isOptional && `default` == nil ? .null : fallback))
    }
}

extension AttributeType {
    /// Returns true if a conversion that declares the type `other` can take an attribute of this type. The types must
    /// be equal, except that a conversion may take an enumeration as a string, by its raw values.
    func holds(_ other: AttributeType) -> Bool {
        isOptional == other.isOptional && kind.holds(other.kind)
    }
}

extension AttributeType.Kind {
    fileprivate func holds(_ other: AttributeType.Kind) -> Bool {
        switch (self, other) {
        case (.enumeration, .string): true
        case (.array(let element), .array(let read)): element.holds(read)
        default: self == other
        }
    }
}
