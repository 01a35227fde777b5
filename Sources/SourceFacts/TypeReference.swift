/// A type in the form in which the source writes it.
public indirect enum TypeReference: Codable, Hashable, Sendable {
    /// A named type, such as `Trip`, `SchemaV1.Trip` or `Set<String>`: the name with its dots, and the generic
    /// arguments of its last part.
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
