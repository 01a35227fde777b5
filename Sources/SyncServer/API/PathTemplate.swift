/// A path with named places: `/v1/apps/{app}/spaces/{space}/changes`.
package struct PathTemplate: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let description: String
    let segments: [Segment]

    enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(Parameter)
    }

    /// What a place of a path may stand for.
    package enum Parameter: String, CaseIterable, Sendable {
        case app
        case version
        case space
        case subject
        case invitation
    }

    package init(stringLiteral text: String) {
        description = text
        segments = text.split(separator: "/").map { segment in
            guard segment.hasPrefix("{") else { return .literal(String(segment)) }
            guard let parameter = Parameter(rawValue: String(segment.dropFirst().dropLast())) else {
                preconditionFailure("\(text) has a place of a name that is none: \(segment)")
            }
            return .parameter(parameter)
        }
    }

    /// The parameters, in their order.
    package var parameters: [Parameter] {
        segments.compactMap { if case .parameter(let parameter) = $0 { parameter } else { nil } }
    }

    /// The path with these values, which must need no encoding.
    package func filled(_ value: (Parameter) -> String) -> String {
        segments.map { segment in
            switch segment {
            case .literal(let text): "/" + text
            case .parameter(let parameter): "/" + value(parameter)
            }
        }.joined()
    }

    func matches(_ path: [String]) -> Bool {
        guard path.count == segments.count else { return false }
        for (segment, text) in zip(segments, path) {
            if case .literal(let literal) = segment, literal != text { return false }
        }
        return true
    }

    /// What stands in the place of `parameter` in a path that matches.
    func value(of parameter: Parameter, in path: [String]) -> String {
        guard let place = segments.firstIndex(of: .parameter(parameter)) else {
            preconditionFailure("\(self) has no {\(parameter.rawValue)}")
        }
        return path[place]
    }
}
