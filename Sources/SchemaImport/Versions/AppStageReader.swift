import SourceFacts
import StrictJSON
import WireFormats

/// Reads the stages of an app's own SwiftData migration plan. Their closures are kept as text, because the server's
/// plan cannot run them.
struct AppStageReader {
    /// A `custom` stage (migration step) of the app's plan, identified by the names of its two version types.
    struct Stage {
        let from: String
        let to: String
        let location: SourceLocation
        /// The text of each closure of the stage, with its argument label, such as `didMigrate`.
        let closures: [(label: String, text: String)]
        /// The `#if` condition under which the stage exists; `nil` if it is in every build.
        let condition: String?
        /// A description of the code that a Core Data mapping model runs; `nil` for a stage that does not come from a
        /// mapping model.
        var mapping: String?

        fileprivate var runs: [[String]] { closures.map { [$0.label, $0.text] } }

        /// True if the stage's closures only save the data and change nothing, as far as their text shows.
        var onlySaves: Bool { closures.allSatisfy { AppStageReader.onlySaves($0.text) } }
    }

    /// The app's migration stages, by the names of the older and the newer version. A pair of versions has several
    /// stages if they depend on an `#if`.
    private(set) var stages: [[String]: [Stage]] = [:]
    private let index: SourceIndex

    init(_ index: SourceIndex) {
        self.index = index
        // Stages are usually in the plan itself; a long plan has them in other types.
        for node in index.nodes.indices {
            let listed = conditions(of: node)
            for name in Set(index.nodes[node].properties.map(\.name)).sorted() {
                for (property, condition) in index.declarations(of: name, in: node) {
                    read(property.value, property, condition ?? listed[name])
                }
            }
        }
        for (versions, found) in stages where found.dropFirst().allSatisfy({ $0.runs == found[0].runs }) {
            // A stage that is the same in each `#if` clause is unconditional.
            let condition = found.count == 1 ? found[0].condition : nil
            stages[versions] = [
                Stage(
                    from: found[0].from, to: found[0].to, location: found[0].location, closures: found[0].closures,
                    condition: condition)
            ]
        }
    }

    /// Returns the `#if` condition of each stage that the plan lists only under a condition, by the stage's name.
    private func conditions(of node: Int) -> [String: String] {
        let lists = index.declarations(of: "stages", in: node).map { property, condition in
            var names: [String] = []
            if case .array(let elements) = property.value {
                for case .member(_, let name, _) in elements { names.append(name) }
            }
            return (names: names, condition: condition)
        }
        var conditions: [String: String] = [:]
        for name in Set(lists.flatMap(\.names)) where !lists.allSatisfy({ $0.names.contains(name) }) {
            let having = lists.filter { $0.names.contains(name) }
            conditions[name] = having.compactMap(\.condition).joined(separator: " or ")
        }
        return conditions
    }

    private mutating func read(_ value: ExpressionFact?, _ property: PropertyFact, _ condition: String?) {
        switch value {
        case .array(let elements):
            for element in elements { read(element, property, condition) }
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
            stages[[from, to], default: []].append(
                Stage(from: from, to: to, location: property.location, closures: closures, condition: condition))
        default: break
        }
    }

    private func version(_ arguments: [ArgumentFact], _ label: String) -> String? {
        guard case .member(let name?, "self", _) = arguments.first(where: { $0.label == label })?.value else {
            return nil
        }
        return name.split(separator: ".").last.map(String.init)
    }

    /// Returns true if a closure changes no data. It is then empty, or its statements only print, log or save, possibly
    /// under the condition `context.hasChanges`.
    private static func onlySaves(_ text: String) -> Bool {
        guard text.hasPrefix("{"), text.hasSuffix("}") else { return false }
        var body = String(text.dropFirst().dropLast())
        if let head = body.firstRange(of: " in"), !body[..<head.lowerBound].contains("\n") {
            body = String(body[head.upperBound...])
        }
        return statements(of: body).allSatisfy { statement in
            var statement = statement
            if statement.hasPrefix("if "), statement.hasSuffix("}"),
                let brace = statement.firstIndex(of: "{"),
                statement[..<brace].hasSuffix("context.hasChanges ")
            {
                statement = TypeText.trimmed(statement[statement.index(after: brace)...].dropLast())
            }
            if statement.hasPrefix("try"), statement.count <= 20, statement.dropFirst(4).hasSuffix("context.save()") {
                return true
            }
            return statement.hasSuffix(")") && isLogCall(statement)
        }
    }

    /// Returns true for a statement that is nothing but a call that prints or logs, possibly with interpolated values.
    private static func isLogCall(_ statement: String) -> Bool {
        guard let parenthesis = statement.firstIndex(of: "(") else { return false }
        let function = statement[..<parenthesis].split(separator: ".").map(String.init)
        let isLog =
            function.count > 1 && function[function.count - 2].lowercased().hasSuffix("logger")
            || function.first == "Logger"
        guard ["print", "debugPrint", "NSLog", "os_log"].contains(function.joined(separator: ".")) || isLog else {
            return false
        }
        // The call must be the whole statement, with nothing after it.
        var depth = 0
        for (index, character) in zip(statement.indices, statement) where "()".contains(character) {
            depth += character == "(" ? 1 : -1
            if depth == 0 { return statement.index(after: index) == statement.endIndex }
        }
        return false
    }

    /// Returns the statements of a closure, each on one line, without comments. A statement ends at the end of a line
    /// at which all brackets are closed.
    private static func statements(of body: String) -> [String] {
        var (found, open): ([String], [String]) = ([], [])
        var depth = 0
        for line in body.split(separator: "\n").map({ TypeText.trimmed($0) }) {
            if line.isEmpty || line.hasPrefix("//") { continue }
            open.append(line)
            depth += line.reduce(0) { $0 + ("([{".contains($1) ? 1 : ")]}".contains($1) ? -1 : 0) }
            if depth > 0 { continue }
            found.append(open.joined(separator: " "))
            (open, depth) = ([], 0)
        }
        return open.isEmpty ? found : found + [open.joined(separator: " ")]
    }
}
