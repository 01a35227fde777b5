/// A conversion between one attribute and two, for `Split` and `Merge`. The one value and the two values are stored in
/// separate columns.
///
/// A `Conversion` between a value and a tuple is the newer way to write the same: `split` is its `up`, `merge` is its
/// `down`.
@available(*, deprecated, message: "Declare a Conversion: split becomes up(_:), merge becomes down(_:) of a tuple.")
public protocol SplitConversion: Sendable {
    /// The type of the attribute that is split.
    associatedtype Whole: AttributeValue
    /// The type of the first of the two attributes.
    associatedtype First: AttributeValue
    /// The type of the second of the two attributes.
    associatedtype Second: AttributeValue

    /// Returns the two values that stand for a value of the split attribute.
    ///
    /// - Throws: `LensFailure` for a value that has no counterpart.
    func split(_ whole: Whole) throws(LensFailure) -> (First, Second)
    /// Returns the one value of the whole attribute for the values of the two attributes. This is the opposite of
    /// `split`.
    ///
    /// - Throws: `LensFailure` for values that have no counterpart.
    func merge(_ first: First, _ second: Second) throws(LensFailure) -> Whole
    /// Typical and difficult values. The law tests use them together with random values.
    var examples: [Whole] { get }
}

/// Splits an attribute in two.
///
/// `Split("Tool.length", into: "size", "unit", using: SizeAndUnit())` is now
/// `Convert("Tool.length", to: "size", "unit", using: SizeAndUnit())`, with a `Conversion`. It means the same: the
/// tables and the fingerprints stay as they are.
@available(*, deprecated, message: "Write Convert(\"Tool.length\", to: \"size\", \"unit\", using: a Conversion).")
public struct Split: Sendable {
    let instruction: StageInstruction.Kind

    /// Makes the instruction for one attribute.
    ///
    /// - Parameters:
    ///   - path: the older attribute, `"Entity.attribute"`.
    ///   - first: the name of the newer attribute that gets the first value.
    ///   - second: the name of the newer attribute that gets the second value.
    ///   - conversion: the conversion, whose whole is the older attribute.
    public init(_ path: String, into first: String, _ second: String, using conversion: some SplitConversion) {
        let (entity, attribute) = splitPath(path)
        let mapping = ValueMapping(splitting: conversion)
        instruction = .convert(
            .init(
                entity: entity, older: [attribute], newer: [first, second], mapping: { _, _ in mapping }, verb: .split))
    }
}

/// Merges two attributes of the same entity into one.
///
/// `Merge("Person.firstName", "lastName", into: "name", using: FullName())` is now
/// `Convert("Person.firstName", "lastName", to: "name", using: FullName())`, with a `Conversion`. It means the same:
/// the tables and the fingerprints stay as they are.
@available(*, deprecated, message: "Write Convert(\"Person.first\", \"last\", to: \"name\", using: a Conversion).")
public struct Merge: Sendable {
    let instruction: StageInstruction.Kind

    /// Makes the instruction for two attributes of one entity.
    ///
    /// - Parameters:
    ///   - path: the first of the older attributes, `"Entity.attribute"`.
    ///   - second: the name of the other older attribute, of the same entity.
    ///   - newer: the name of the newer attribute.
    ///   - conversion: the conversion, whose whole is the newer attribute.
    public init(_ path: String, _ second: String, into newer: String, using conversion: some SplitConversion) {
        let (entity, attribute) = splitPath(path)
        let mapping = ValueMapping(merging: conversion)
        instruction = .convert(
            .init(
                entity: entity, older: [attribute, second], newer: [newer], mapping: { _, _ in mapping }, verb: .merge))
    }
}

extension StageBuilder {
    /// Adds a `Split` to a stage's instructions.
    @available(*, deprecated, message: "Write Convert, with a Conversion.")
    public static func buildExpression(_ x: Split) -> [StageInstruction] { [.init(x.instruction)] }

    /// Adds a `Merge` to a stage's instructions.
    @available(*, deprecated, message: "Write Convert, with a Conversion.")
    public static func buildExpression(_ x: Merge) -> [StageInstruction] { [.init(x.instruction)] }
}

extension ValueMapping {
    @available(*, deprecated)
    fileprivate init<C: SplitConversion>(splitting conversion: C) {
        self.init(
            Splitting(conversion: conversion), from: C.Whole.self, to: C.First.self, C.Second.self, name: "\(C.self)")
    }

    @available(*, deprecated)
    fileprivate init<C: SplitConversion>(merging conversion: C) {
        self.init(
            Merging(conversion: conversion), from: C.First.self, C.Second.self, to: C.Whole.self, name: "\(C.self)")
    }
}

/// A `SplitConversion` as a `Conversion` from one value to two.
@available(*, deprecated)
private struct Splitting<C: SplitConversion>: Conversion {
    let conversion: C

    func up(_ whole: C.Whole) throws(LensFailure) -> (C.First, C.Second) { try conversion.split(whole) }
    func down(_ parts: (C.First, C.Second)) throws(LensFailure) -> C.Whole {
        try conversion.merge(parts.0, parts.1)
    }
    var examples: [C.Whole] { conversion.examples }
}

/// A `SplitConversion` as a `Conversion` from two values to one.
@available(*, deprecated)
private struct Merging<C: SplitConversion>: Conversion {
    let conversion: C

    func up(_ parts: (C.First, C.Second)) throws(LensFailure) -> C.Whole { try conversion.merge(parts.0, parts.1) }
    func down(_ whole: C.Whole) throws(LensFailure) -> (C.First, C.Second) { try conversion.split(whole) }
    var examples: [(C.First, C.Second)] { conversion.examples.compactMap { try? conversion.split($0) } }
}
