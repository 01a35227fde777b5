/// A type as the source writes it.
public indirect enum TypeReference: Codable, Hashable, Sendable {
    /// A named type: `Trip`, `SchemaV1.Trip`, `Set<String>`; dotted, with the generic arguments of the last part.
    case named(String, arguments: [TypeReference])
    /// An optional: `T?`, `T!`.
    case optional(TypeReference)
    /// An array: `[T]`.
    case array(TypeReference)
    /// A dictionary: `[K: V]`.
    case dictionary(key: TypeReference, value: TypeReference)
    /// Any other type, as it is written: tuples, functions, `any P`, `some P`.
    case other(String)
}
