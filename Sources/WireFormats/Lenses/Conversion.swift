/// A hand-written two-way conversion between one attribute's older and newer form: a value with four members.
///
/// Its laws are tested from `examples` with no test code from its author. Both directions should be total: a value
/// without a counterpart maps to the one that the other version shows for it. What was written is not lost by that:
/// with fidelity `.lossy` each form is kept in a column of its own, and an untouched value is never written back. Where
/// there is no such value, throw `LensFailure`: the change is held until the conversion has been fixed, and what
/// cannot be read reads as the attribute's default.
public protocol Conversion: Sendable {
    associatedtype Older: AttributeValue
    associatedtype Newer: AttributeValue

    func up(_ older: Older) throws(LensFailure) -> Newer
    func down(_ newer: Newer) throws(LensFailure) -> Older
    var fidelity: Fidelity { get }
    /// Values that are typical or difficult; the law tests mix them with generated ones.
    var examples: [Older] { get }
}

/// A conversion between one attribute and two that together say the same. Always held in columns of its own on both
/// sides.
public protocol SplitConversion: Sendable {
    associatedtype Whole: AttributeValue
    associatedtype First: AttributeValue
    associatedtype Second: AttributeValue

    func split(_ whole: Whole) throws(LensFailure) -> (First, Second)
    func merge(_ first: First, _ second: Second) throws(LensFailure) -> Whole
    var examples: [Whole] { get }
}

/// A conversion with its types erased: values in, values out, in the order of the attributes it joins.
struct ValueMapping: Sendable {
    let name: String
    let fidelity: Fidelity
    let olderKinds: [AttributeType]
    let newerKinds: [AttributeType]
    let olderExamples: [[Value]]
    let up: Translation
    let down: Translation

    typealias Translation = @Sendable ([Value]) throws(LensFailure) -> [Value]

    init<C: Conversion>(_ conversion: C) {
        name = "\(C.self)"
        fidelity = conversion.fidelity
        olderKinds = [C.Older.attributeType]
        newerKinds = [C.Newer.attributeType]
        olderExamples = conversion.examples.map { [$0.value] }
        up = { values throws(LensFailure) in [try conversion.up(C.Older(reading: values[0])).value] }
        down = { values throws(LensFailure) in [try conversion.down(C.Newer(reading: values[0])).value] }
    }

    init<C: SplitConversion>(splitting conversion: C) {
        name = "\(C.self)"
        fidelity = .lossy
        olderKinds = [C.Whole.attributeType]
        newerKinds = [C.First.attributeType, C.Second.attributeType]
        olderExamples = conversion.examples.map { [$0.value] }
        up = { values throws(LensFailure) in try ValueMapping.split(values, by: conversion) }
        down = { values throws(LensFailure) in try ValueMapping.merge(values, by: conversion) }
    }

    init<C: SplitConversion>(merging conversion: C) {
        name = "\(C.self)"
        fidelity = .lossy
        olderKinds = [C.First.attributeType, C.Second.attributeType]
        newerKinds = [C.Whole.attributeType]
        olderExamples = conversion.examples.compactMap { try? ValueMapping.split([$0.value], by: conversion) }
        up = { values throws(LensFailure) in try ValueMapping.merge(values, by: conversion) }
        down = { values throws(LensFailure) in try ValueMapping.split(values, by: conversion) }
    }

    private static func split<C: SplitConversion>(
        _ values: [Value], by conversion: C
    ) throws(LensFailure) -> [Value] {
        let (first, second) = try conversion.split(C.Whole(reading: values[0]))
        return [first.value, second.value]
    }

    private static func merge<C: SplitConversion>(
        _ values: [Value], by conversion: C
    ) throws(LensFailure) -> [Value] {
        [try conversion.merge(C.First(reading: values[0]), C.Second(reading: values[1])).value]
    }

    /// A mapping between single values whose types the plan already knows.
    init(
        name: String, fidelity: Fidelity, older: AttributeType, newer: AttributeType,
        up: @escaping @Sendable (Value) throws(LensFailure) -> Value,
        down: @escaping @Sendable (Value) throws(LensFailure) -> Value
    ) {
        self.name = name
        self.fidelity = fidelity
        olderKinds = [older]
        newerKinds = [newer]
        olderExamples = []
        self.up = { values throws(LensFailure) in [try up(values[0])] }
        self.down = { values throws(LensFailure) in [try down(values[0])] }
    }

    private init(_ other: ValueMapping, up: @escaping Translation, down: @escaping Translation) {
        name = other.name
        fidelity = other.fidelity
        olderKinds = other.olderKinds
        newerKinds = other.newerKinds
        olderExamples = other.olderExamples
        self.up = up
        self.down = down
    }

    /// The same between these attributes: a result that its attribute cannot have is a failure.
    func checked(from older: [Schema.Attribute], to newer: [Schema.Attribute]) -> ValueMapping {
        ValueMapping(self, up: checked(up, making: newer), down: checked(down, making: older))
    }

    private func checked(_ translate: @escaping Translation, making attributes: [Schema.Attribute]) -> Translation {
        let name = name
        return { values throws(LensFailure) in
            let results = try translate(values)
            for (result, attribute) in zip(results, attributes) where !attribute.type.admits(result) {
                throw LensFailure("\(name) makes \(result.brief) of it, which is no \(attribute.type)")
            }
            return results
        }
    }
}
