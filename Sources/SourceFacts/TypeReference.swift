/// A type as it is written.
public indirect enum TypeReference: Codable, Hashable, Sendable {
    /// `Trip`, `SchemaV1.Trip`, `Set<String>`: dotted, with the generic arguments of the last part.
    case named(String, arguments: [TypeReference])
    /// `T?`, `T!`
    case optional(TypeReference)
    /// `[T]`
    case array(TypeReference)
    /// `[K: V]`
    case dictionary(key: TypeReference, value: TypeReference)
    /// Anything else, as it is written: tuples, functions, `any P`, `some P`.
    case other(String)
}
