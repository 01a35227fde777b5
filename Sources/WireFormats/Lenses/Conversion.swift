/// A hand-written two-way conversion between one attribute's older and newer form: a value with four members.
///
/// Its laws are tested from `examples` with no test code from its author. Both directions are total: a value without a
/// counterpart maps to the one that the other version shows for it. What was written is not lost by that: with fidelity
/// `.lossy` each form is kept in a column of its own, and an untouched value is never written back.
public protocol Conversion: Sendable {
    associatedtype Older: AttributeValue
    associatedtype Newer: AttributeValue

    func up(_ older: Older) -> Newer
    func down(_ newer: Newer) -> Older
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

    func split(_ whole: Whole) -> (First, Second)
    func merge(_ first: First, _ second: Second) -> Whole
    var examples: [Whole] { get }
}

/// A conversion with its types erased: values in, values out, in the order of the attributes it joins.
struct ValueMapping: Sendable {
    let name: String
    let fidelity: Fidelity
    let olderKinds: [AttributeType]
    let newerKinds: [AttributeType]
    let olderExamples: [[Value]]
    let up: @Sendable ([Value]) -> [Value]
    let down: @Sendable ([Value]) -> [Value]

    init<C: Conversion>(_ conversion: C) {
        name = "\(C.self)"
        fidelity = conversion.fidelity
        olderKinds = [C.Older.attributeType]
        newerKinds = [C.Newer.attributeType]
        olderExamples = conversion.examples.map { [$0.value] }
        up = { [conversion.up(C.Older(reading: $0[0])).value] }
        down = { [conversion.down(C.Newer(reading: $0[0])).value] }
    }

    init<C: SplitConversion>(splitting conversion: C) {
        name = "\(C.self)"
        fidelity = .lossy
        olderKinds = [C.Whole.attributeType]
        newerKinds = [C.First.attributeType, C.Second.attributeType]
        olderExamples = conversion.examples.map { [$0.value] }
        up = {
            let (first, second) = conversion.split(C.Whole(reading: $0[0]))
            return [first.value, second.value]
        }
        down = { [conversion.merge(C.First(reading: $0[0]), C.Second(reading: $0[1])).value] }
    }

    init<C: SplitConversion>(merging conversion: C) {
        name = "\(C.self)"
        fidelity = .lossy
        olderKinds = [C.First.attributeType, C.Second.attributeType]
        newerKinds = [C.Whole.attributeType]
        olderExamples = conversion.examples.map {
            let (first, second) = conversion.split($0)
            return [first.value, second.value]
        }
        up = { [conversion.merge(C.First(reading: $0[0]), C.Second(reading: $0[1])).value] }
        down = {
            let (first, second) = conversion.split(C.Whole(reading: $0[0]))
            return [first.value, second.value]
        }
    }

    /// A mapping between single values whose types the plan already knows.
    init(
        name: String, fidelity: Fidelity, older: AttributeType, newer: AttributeType,
        up: @escaping @Sendable (Value) -> Value, down: @escaping @Sendable (Value) -> Value
    ) {
        self.name = name
        self.fidelity = fidelity
        olderKinds = [older]
        newerKinds = [newer]
        olderExamples = []
        self.up = { [up($0[0])] }
        self.down = { [down($0[0])] }
    }
}
