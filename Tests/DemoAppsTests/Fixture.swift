import Foundation

/// A JSON file of `Fixtures`.
enum Fixture {
    static func read<Content: Decodable>(_ name: String, as type: Content.Type = Content.self) throws -> Content {
        guard let url = Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Fixtures") else {
            throw CocoaError(.fileNoSuchFile)
        }
        return try JSONDecoder().decode(Content.self, from: Data(contentsOf: url))
    }
}
