import SourceFacts
import WireFormats

/// What an app's own migration plan says of a stage: its closures, which no plan of ours can run.
struct StageReader {
    /// A `custom` stage, by the names of its two versions.
    struct Stage {
        let from: String
        let to: String
        let location: SourceLocation
        /// Its closures' texts, each with its label.
        let closures: [(label: String, text: String)]

        /// Whether its closures do nothing to the data but save them, as far as their lines tell.
        var onlySaves: Bool { closures.allSatisfy { StageReader.onlySaves($0.text) } }
    }

    private(set) var stages: [Stage] = []
    private let index: SourceIndex

    init(_ index: SourceIndex) {
        self.index = index
        // Mostly in the plan; a long one has them in types beside it.
        for node in index.nodes.indices {
            for property in index.nodes[node].properties { read(property.value, property, in: node) }
        }
    }

    private mutating func read(_ value: ExpressionFact?, _ property: PropertyFact, in scope: Int) {
        switch value {
        case .array(let elements):
            for element in elements { read(element, property, in: scope) }
        case .call(let function, let arguments) where function == "custom" || function.hasSuffix(".custom"):
            let from = version(arguments, "fromVersion")
            let to = version(arguments, "toVersion")
            guard let from, let to else { return }
            let others = arguments.filter { $0.label != "fromVersion" && $0.label != "toVersion" }
            let closures = others.compactMap { argument -> (label: String, text: String)? in
                let label = argument.label ?? "didMigrate"
                switch argument.value {
                case .null: return nil
                case .closure(let text), .other(let text): return (label, text)
                default: return (label, argument.value.text)
                }
            }
            stages.append(Stage(from: from, to: to, location: property.location, closures: closures))
        default: break
        }
    }

    private func version(_ arguments: [ArgumentFact], _ label: String) -> String? {
        guard case .member(let name?, "self", _) = arguments.first(where: { $0.label == label })?.value else {
            return nil
        }
        return name.split(separator: ".").last.map(String.init)
    }

    /// Lines that print, log, save or end a block; an empty closure.
    private static func onlySaves(_ text: String) -> Bool {
        guard text.hasPrefix("{"), text.hasSuffix("}") else { return false }
        var body = String(text.dropFirst().dropLast())
        if let head = body.firstRange(of: " in"), !body[..<head.lowerBound].contains("\n") {
            body = String(body[head.upperBound...])
        }
        return body.split(separator: "\n").map { TypeText.trimmed($0) }.allSatisfy { line in
            line.isEmpty || line.hasPrefix("//") || line.hasPrefix("print(") && line.hasSuffix(")")
                || line.hasPrefix("try") && line.dropFirst(4).hasSuffix("context.save()") && line.count <= 20
        }
    }
}
