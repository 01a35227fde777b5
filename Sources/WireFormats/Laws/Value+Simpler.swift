extension Value {
    /// The values of `type` that are simpler than this one, the simplest first.
    func simpler(as type: AttributeType) -> [Value] {
        var candidates: [Value] = type.isOptional ? [.null] : []
        candidates.append(type.kind.zero)
        switch self {
        case .int(let x): candidates += [.int(1), .int(x / 1000), .int(x / 2)]
        case .double(let x): candidates += [.double(1), .double(x.rounded()), .double((x / 2).rounded())]
        case .decimal(let x): candidates += DecimalText(x.text.prefix(x.text.count / 2)).map { [.decimal($0)] } ?? []
        case .string(let x):
            candidates += [.string("a"), .string(String(x.prefix(x.count / 2))), .string(String(x.dropFirst()))]
        case .date: candidates.append(.date(Timestamp(microseconds: 1_000_000)))
        case .data(let x): candidates.append(.data(Array(x.dropLast())))
        case .null, .bool, .uuid, .json: break
        }
        return candidates.filter { ($0.isNull || type.kind.admits($0)) && $0.weight < weight }
    }

    /// The complexity of the value for a person who reads it: lower is simpler.
    var weight: Int {
        switch self {
        case .null: 0
        case .bool(let x): x ? 2 : 1
        case .int(let x): x == 0 ? 1 : "\(x)".utf8.count + 1
        case .double(let x): x == 0 ? 1 : "\(x)".utf8.count + 1
        case .decimal(let x): x == .zero ? 1 : x.text.utf8.count + 1
        case .string(let x), .json(let x): x.unicodeScalars.reduce(1) { $0 + ($1.isASCII ? 1 : 3) }
        case .date(let x): x.microseconds == 0 ? 1 : "\(x.microseconds)".utf8.count
        case .uuid(let x): x == ID(high: 0, low: 0) ? 1 : 36
        case .data(let x): x.count + 1
        }
    }

    /// The value in one short line for people, with everything that is not plain ASCII written as an escape.
    package var brief: String {
        switch self {
        case .null: "null"
        case .bool(let x): "\(x)"
        case .int(let x): "\(x)"
        case .double(let x): "\(x) (Double)"
        case .decimal(let x): Value.shortened(x.text) + " (Decimal)"
        case .string(let x): "\"\(Value.shortened(Value.escaped(x)))\""
        case .json(let x): Value.shortened(Value.escaped(x)) + " (JSON)"
        case .date(let x): "\(x.microseconds) µs since 1970"
        case .uuid(let x): "uuid \(String(x.high, radix: 16))-\(String(x.low, radix: 16))"
        case .data(let x): "\(x.count) bytes \(x.prefix(8))"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { $0 += $1.escaped(asASCII: true) }
    }

    private static func shortened(_ text: String) -> String {
        let length = text.count
        return length <= 60 ? text : text.prefix(40) + "… (\(length) characters)"
    }
}
