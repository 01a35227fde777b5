/// A conversion without its Swift types, as functions from arrays of values to arrays of values. The values are in the
/// order of the attributes that the conversion links.
struct ValueMapping: Sendable {
    let name: String
    let fidelity: Fidelity
    let older: Side
    let newer: Side
    let olderExamples: [[Value]]
    let up: Translation
    let down: Translation

    typealias Translation = @Sendable ([Value]) throws(LensFailure) -> [Value]

    /// A function that returns true if a conversion can read a value.
    typealias Reader = @Sendable (Value) -> Bool

    /// The older or the newer side of a conversion, with a type for each attribute.
    struct Side: Sendable {
        let types: [AttributeType]
        /// For each attribute, the function that returns true if the conversion can read a value.
        let reads: [Reader]

        init<each T: AttributeValue>(of: repeat (each T).Type) {
            var types: [AttributeType] = []
            var reads: [Reader] = []
            for type in repeat (each T).self {
                types.append(type.attributeType)
                reads.append { value in (try? type.init(reading: value)) != nil }
            }
            (self.types, self.reads) = (types, reads)
        }

        /// Makes a side with one attribute whose values are used as `Value`, without a Swift type.
        init(of type: AttributeType) {
            types = [type]
            reads = [{ _ in true }]
        }
    }

    /// Makes a mapping of an author's conversion between any numbers of attributes.
    init<C: Conversion, each Older: AttributeValue, each Newer: AttributeValue>(
        _ conversion: C, from: repeat (each Older).Type, to: repeat (each Newer).Type, name: String = "\(C.self)"
    ) where C.Older == (repeat each Older), C.Newer == (repeat each Newer) {
        self.name = name
        fidelity = conversion.fidelity
        older = Side(of: repeat each from)
        newer = Side(of: repeat each to)
        olderExamples = conversion.examples.compactMap { example in
            try? ValueMapping.values(of: repeat each example)
        }
        up = { values throws(LensFailure) in
            let made = try conversion.up(ValueMapping.tuple(reading: values, as: repeat (each Older).self))
            return try ValueMapping.values(of: repeat each made)
        }
        down = { values throws(LensFailure) in
            let made = try conversion.down(ValueMapping.tuple(reading: values, as: repeat (each Newer).self))
            return try ValueMapping.values(of: repeat each made)
        }
    }

    init<C: Conversion>(_ conversion: C) where C.Older: AttributeValue, C.Newer: AttributeValue {
        self.init(conversion, from: C.Older.self, to: C.Newer.self)
    }

    private static func tuple<each T: AttributeValue>(
        reading values: [Value], as: repeat (each T).Type
    ) throws(LensFailure) -> (repeat each T) {
        var rest = values[...]
        func next() -> Value { rest.popFirst() ?? .null }
        return (repeat try (each T)(reading: next()))
    }

    private static func values<each T: AttributeValue>(of items: repeat each T) throws(LensFailure) -> [Value] {
        var values: [Value] = []
        for item in repeat each items { values.append(try item.value) }
        return values
    }

    /// Makes a mapping between one attribute and another, by functions on `Value` instead of Swift types.
    init(
        name: String, fidelity: Fidelity, older: AttributeType, newer: AttributeType,
        up: @escaping @Sendable (Value) throws(LensFailure) -> Value,
        down: @escaping @Sendable (Value) throws(LensFailure) -> Value
    ) {
        self.name = name
        self.fidelity = fidelity
        self.older = Side(of: older)
        self.newer = Side(of: newer)
        olderExamples = []
        self.up = { values throws(LensFailure) in [try up(values[0])] }
        self.down = { values throws(LensFailure) in [try down(values[0])] }
    }

    private init(_ other: ValueMapping, up: @escaping Translation, down: @escaping Translation) {
        name = other.name
        fidelity = other.fidelity
        older = other.older
        newer = other.newer
        olderExamples = other.olderExamples
        self.up = up
        self.down = down
    }

    /// Returns the same mapping with a check of its results. It throws an error if an attribute cannot have the value
    /// that the mapping returns for it.
    func checked(from older: [Schema.Attribute], to newer: [Schema.Attribute]) -> ValueMapping {
        ValueMapping(self, up: checked(up, making: newer), down: checked(down, making: older))
    }

    private func checked(_ translate: @escaping Translation, making attributes: [Schema.Attribute]) -> Translation {
        let name = name
        return { values throws(LensFailure) in
            let results = try translate(values)
            for (result, attribute) in zip(results, attributes) where !attribute.type.canHold(result) {
                throw LensFailure("\(name) makes \(result.brief) of it, which is no \(attribute.type)")
            }
            return results
        }
    }
}
