package import WireFormats

/// A path with named parameters: `/v1/apps/{app}/spaces/{space}/changes`.
package struct PathTemplate: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    let segments: [Segment]

    enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(Parameter)
    }

    /// A parameter that a path may have.
    package typealias Parameter = PathParameter

    /// Reads a path with its parameters in braces.
    package init(_ text: String) {
        description = text
        segments = text.split(separator: "/").map { segment in
            guard segment.hasPrefix("{") else { return .literal(String(segment)) }
            guard let parameter = Parameter(rawValue: String(segment.dropFirst().dropLast())) else {
                preconditionFailure("\(text) has a place of a name that is none: \(segment)")
            }
            return .parameter(parameter)
        }
    }

    /// The parameters, in the order in which they occur in the path.
    package var parameters: [Parameter] {
        segments.compactMap { if case .parameter(let parameter) = $0 { parameter } else { nil } }
    }

    /// Returns the path with each parameter replaced by its value. Values are not percent-encoded.
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

    /// Returns the value of `parameter` in the segments of a path that matches this template.
    func value(of parameter: Parameter, in path: [String]) -> String {
        guard let index = segments.firstIndex(of: .parameter(parameter)) else {
            preconditionFailure("\(self) has no {\(parameter.rawValue)}")
        }
        return path[index]
    }
}
