/// A generator of random values of one attribute's type: typical values, the ends of the range, and values that
/// careless code does not expect.
///
/// It never makes a value that a client cannot send: U+0000, a Double that is not finite, an unknown case of an
/// enumeration. It also never makes JSON that a conversion's codable struct cannot decode; it tries the decoding to
/// find out.
struct ValueGenerator: Sendable {
    let type: AttributeType
    /// Values that the plan treats specially: the attribute's default, and the examples of its conversions.
    let telling: [Value]
    /// For each conversion of the attribute, the function that returns true if the conversion can read a value.
    private let readers: [ValueMapping.Reader]

    init(_ type: AttributeType, telling: [Value] = [], readers: [ValueMapping.Reader] = []) {
        self.type = type
        self.telling = telling.filter { value in
            !value.isNull && type.canHold(value) && readers.allSatisfy { $0(value) }
        }
        self.readers = readers
    }

    func value(using random: inout SplitMix64) -> Value {
        let dice = random.next()
        if type.isOptional, dice & 7 == 0 { return .null }
        if !telling.isEmpty, (dice >> 3) & 3 == 0 { return telling[random.below(telling.count)] }
        return readers.isEmpty ? ValueGenerator.value(of: type.kind, using: &random) : readable(using: &random)
    }

    /// Returns true if the attribute's conversions can read `value`, or if it is null. Only such values are generated.
    func admits(_ value: Value) -> Bool {
        value.isNull || readers.allSatisfy { $0(value) }
    }

    private static let triesMax = 8

    /// Draws a value that the attribute's conversions can read. There is always one, because a plan is refused if a
    /// conversion cannot read the attribute's initial value.
    private func readable(using random: inout SplitMix64) -> Value {
        for turn in 0..<ValueGenerator.triesMax {
            var candidate = ValueGenerator.value(of: type.kind, using: &random)
            if turn & 3 != 0, !telling.isEmpty, case .json(let text) = telling[random.below(telling.count)] {
                candidate = .json(HostileValues.mutated(text, using: &random))
            }
            if candidate.isStorable, admits(candidate) { return candidate }
        }
        return telling.isEmpty ? .null : telling[random.below(telling.count)]
    }

    private static func value(of kind: AttributeType.Kind, using random: inout SplitMix64) -> Value {
        switch kind {
        case .bool: .bool(random.next() & 1 == 0)
        case .int: int(using: &random)
        case .double: double(using: &random)
        case .decimal: decimal(using: &random)
        case .string: string(using: &random)
        case .date: date(using: &random)
        case .uuid, .reference: random.next() & 7 == 0 ? .uuid(ID(high: 0, low: 0)) : .uuid(.random(using: &random))
        case .data: .data((0..<random.below(6)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        case .enumeration(_, let cases): cases.isEmpty ? .string("") : .string(cases[random.below(cases.count)])
        case .array(let element): .json(HostileValues.array(of: element, using: &random))
        case .codable: .json(HostileValues.json[random.below(HostileValues.json.count)])
        }
    }

    private static func int(using random: inout SplitMix64) -> Value {
        switch random.below(4) {
        case 0: .int(HostileValues.ints[random.below(HostileValues.ints.count)])
        case 1: .int(Int64(bitPattern: random.next()))
        default: .int(Int64(random.below(1000)) - 100)
        }
    }

    private static func double(using random: inout SplitMix64) -> Value {
        switch random.below(4) {
        case 0: return .double(HostileValues.doubles[random.below(HostileValues.doubles.count)])
        case 1:
            let any = Double(bitPattern: random.next())
            // Adding zero turns -0.0 into 0.0, as reading from the wire does.
            return .double(any.isFinite ? any + 0 : 0.5)
        default: return .double(Double(random.below(100_000)) / 100)
        }
    }

    private static func decimal(using random: inout SplitMix64) -> Value {
        switch random.below(4) {
        case 0: return .decimal(HostileValues.decimals[random.below(HostileValues.decimals.count)])
        case 1:
            let digits = "\(random.next())\(random.next())"
            return .decimal(DecimalText("\(digits)e-\(random.below(40))") ?? .zero)
        default: return .decimal(DecimalText("\(random.below(100_000))e-2") ?? .zero)
        }
    }

    private static func string(using random: inout SplitMix64) -> Value {
        switch random.below(4) {
        case 0: return .string(HostileValues.strings[random.below(HostileValues.strings.count)])
        case 1:
            let pieces = (0...random.below(6)).map { _ in HostileValues.pieces[random.below(HostileValues.pieces.count)]
            }
            return .string(pieces.joined())
        default: return .string(HostileValues.words[random.below(HostileValues.words.count)])
        }
    }

    private static func date(using random: inout SplitMix64) -> Value {
        switch random.below(4) {
        case 0: .date(HostileValues.dates[random.below(HostileValues.dates.count)])
        case 1: .date(Timestamp(microseconds: Int64(random.next() >> 14)))
        default: .date(Timestamp(microseconds: 1_700_000_000_000_000 + Int64(random.below(100_000)) * 1_000_000))
        }
    }
}

extension SplitMix64 {
    /// A random number that is not negative and less than `bound`, by remainder: nearly uniform, which is enough for
    /// tests.
    package mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }
}
